// SPDX-License-Identifier: GPL-2.0
#include "where.h"

#include <string.h>

#include "../profile/history.h"
#include "../util/order.h"
#include "../util/text.h"
#include "../util/xalloc.h"

const char *where_call(const char *function)
{
	/* Behind a name of two times it would seem to belong to the earlier one. */
	return strchr(function, '(') || strstr(function, HISTORY_EARLIER) ? "" : "()";
}

const char *where_inlined(const struct code_name *name)
{
	const char *outer = name->nr_frames > 1 ? name->frames[name->nr_frames - 1].function : NULL;

	return outer && order_text(outer, name->function) ? outer : NULL;
}

struct cell where_function(struct cell_room *room, const struct code_name *name)
{
	const char *outer = where_inlined(name);

	if (!name->function)
		return cell_text(name->module ? "(no symbol)" : "(unknown)");
	return outer ? cell_say(room, "%s [inlined in %s]", name->function, outer) :
		       cell_text(name->function);
}

struct cell where_offset(struct cell_room *room, const struct code_name *name)
{
	const char *symbol = where_inlined(name);

	/* The offset counts from the enclosing symbol, so show that symbol's name. */
	if (!symbol && (name->nr_frames <= 1 || !name->raw))
		symbol = name->function;
	if (!symbol)
		symbol = name->raw;
	if (symbol)
		return cell_say(room, "%s+0x%llx", symbol, name->offset);
	return name->module ? cell_say(room, "%s+0x%llx", name->module,
				       name->module_offset) : cell_none();
}

struct cell where_line(struct cell_room *room, const char *file, unsigned int line)
{
	if (!file)
		return cell_none();
	return line ? cell_say(room, "%s:%u", text_last_part(file), line) :
		      cell_text(text_last_part(file));
}

char *where_data(const struct data_name *data)
{
	const struct code_name *site = data->site;

	if (site && site->function && site->file && site->line)
		return xasprintf("allocated in %s%s, %s:%u", site->function,
				 where_call(site->function), text_last_part(site->file), site->line);
	if (site && site->function)
		return xasprintf("allocated in %s%s", site->function, where_call(site->function));
	if (data->file && data->line)
		return xasprintf("%s:%u", text_last_part(data->file), data->line);
	return data->file ? xstrdup(text_last_part(data->file)) : NULL;
}
