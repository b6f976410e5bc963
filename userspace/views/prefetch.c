// SPDX-License-Identifier: GPL-2.0
#include "views.h"

#include "../util/command.h"
#include "../util/cpulist.h"
#include "../util/out.h"

#define LIST_MAX	(5 * CPULIST_CPUS / 2 + 8)	/* room for every second CPU */

static const struct prefetch_group *group_at(const void *context, size_t row)
{
	const struct prefetch_state *state = context;

	return &state->groups[row];
}

static struct cell cell_cpus(const void *context, size_t row)
{
	static char list[LIST_MAX];

	return cell_text(cpulist_text(list, sizeof(list), group_at(context, row)->cpus));
}

static struct cell cell_kind(const void *context, size_t row, unsigned int kind)
{
	const struct prefetch_group *group = group_at(context, row);

	if (!group->online || !(group->known >> kind & 1))
		return cell_none();
	return cell_text(group->off >> kind & 1 ? "off" : "on");
}

static struct cell cell_held(const void *context, size_t row)
{
	static char text[PREFETCH_TEXT_MAX];
	const struct prefetch_group *group = group_at(context, row);

	return cell_text(group->held ? prefetch_text(text, group->held) : NULL);
}

static struct cell cell_online(const void *context, size_t row)
{
	return cell_text(group_at(context, row)->online ? "yes" : "no");
}

#define COLUMNS	(2 + PREFETCH_KINDS + 1)

/* Text leaves out prefetchers that no CPU of the machine has. */
static void fill_columns(struct report_column columns[COLUMNS], const struct prefetch_state *state)
{
	unsigned int kind, n = 0;

	columns[n++] = (struct report_column){
		.key = "cpus", .title = "CPUs", .left = true, .keep = true, .get = cell_cpus,
	};
	columns[n++] = (struct report_column){ .key = "online", .get = cell_online };
	for (kind = 0; kind < PREFETCH_KINDS; kind++)
		columns[n++] = (struct report_column){
			.key = prefetch_name(kind), .left = true, .get_at = cell_kind, .which = kind,
			.title = state->known >> kind & 1 ? prefetch_name(kind) : NULL,
		};
	columns[n] = (struct report_column){
		.key = "held", .title = "held off by memlat", .left = true, .get = cell_held,
	};
}

static const char *owner_name(__u32 owner)
{
	static const char *const names[] = {
		[MEMLAT_PREFETCH_NOBODY] = "nobody",
		[MEMLAT_PREFETCH_KEPT] = "module",
		[MEMLAT_PREFETCH_FILE] = "program",
		[MEMLAT_PREFETCH_MINE] = "program",
	};

	return owner < sizeof(names) / sizeof(names[0]) ? names[owner] : "unknown";
}

static void print_text(FILE *out, const struct report *report, const struct prefetch_state *state)
{
	report_print(out, report, out_width());
	if (state->owner == MEMLAT_PREFETCH_KEPT)
		command_say(out, "held off until: memlat-ctl prefetch on      (or the module is unloaded)\n");
	else if (state->owner != MEMLAT_PREFETCH_NOBODY)
		fputs("held off by a program, until it ends\n", out);
}

static void print_json(FILE *out, const struct report *report, const struct prefetch_state *state)
{
	struct json_object *document = json_view("prefetch"), *known = json_list();
	unsigned int i;

	for (i = 0; i < PREFETCH_KINDS; i++)
		if (state->known >> i & 1)
			json_append_text(known, prefetch_name(i));
	json_put_bool(document, "documented", state->known != 0);
	json_put(document, "kinds", known);
	json_put_text(document, "held_by", owner_name(state->owner));
	json_put(document, "cpus", report_json(report));
	json_print(out, document);
}

void prefetch_print(FILE *out, enum report_format format, const struct prefetch_state *state)
{
	struct report_column columns[COLUMNS];
	const struct report report = {
		.key = "cpus", .columns = columns, .nr_columns = COLUMNS,
		.nr_rows = state->nr, .context = state,
	};

	fill_columns(columns, state);
	if (format == REPORT_JSON)
		print_json(out, &report, state);
	else if (format == REPORT_CSV)
		report_csv(out, &report);
	else
		print_text(out, &report, state);
}
