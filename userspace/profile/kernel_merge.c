// SPDX-License-Identifier: GPL-2.0
/* Merge the names of kernel addresses that two sessions of one run of the kernel noted. */
#include "kernel_names.h"

#include <string.h>

#include "../util/xalloc.h"

/* Add the rows of from one by one. A row that is there already has the same name. */
static void add_missing(struct kernel_names *to, const struct kernel_names *from,
			const struct kernel_names *there)
{
	size_t i;

	for (i = 0; i < from->nr; i++) {
		struct kernel_row row = from->rows[i];
		__u8 id[HISTORY_BUILD_ID_MAX];

		if (there && row.kind == KERNEL_BUILD && kernel_module_id(there, row.module, id))
			continue;
		if (there && (kernel_row_at(there, row.kind, row.start) ||
			      (row.end > row.start &&
			       kernel_row_at(there, row.kind, row.end - 1))))
			continue;
		row.name = pool_text(&to->pool, row.name);
		row.module = *row.module ? pool_text(&to->pool, row.module) : "";
		kernel_row_add(to, &row);
	}
}

void kernel_names_merge(struct kernel_names **into, const struct kernel_names *other)
{
	struct kernel_names *names = xcalloc(1, sizeof(*names));

	if (*into)
		add_missing(names, *into, NULL);
	add_missing(names, other, *into);
	names->text = *into ? (*into)->text : other->text;
	names->build_id_size = *into ? (*into)->build_id_size : other->build_id_size;
	memcpy(names->build_id, *into ? (*into)->build_id : other->build_id,
	       sizeof(names->build_id));
	kernel_rows_sort(names);
	kernel_names_free(*into);
	*into = names;
}
