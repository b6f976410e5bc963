// SPDX-License-Identifier: GPL-2.0
/* Names of kernel addresses that two sessions of one run of the kernel noted. */
#include "kernel_names.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Into a new one, row by row; what is there already has the same name. */
static int add_missing(struct kernel_names *to, const struct kernel_names *from,
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
		if (!row.name || !row.module || !kernel_row_add(to, &row))
			return -ENOMEM;
	}
	return 0;
}

int kernel_names_merge(struct kernel_names **into, const struct kernel_names *other)
{
	struct kernel_names *names = calloc(1, sizeof(*names));
	int ret = -ENOMEM;

	if (names && *into)
		ret = add_missing(names, *into, NULL);
	else if (names)
		ret = 0;
	if (!ret)
		ret = add_missing(names, other, *into);
	if (ret) {
		kernel_names_free(names);
		return ret;
	}
	names->text = *into ? (*into)->text : other->text;
	names->build_id_size = *into ? (*into)->build_id_size : other->build_id_size;
	memcpy(names->build_id, *into ? (*into)->build_id : other->build_id,
	       sizeof(names->build_id));
	kernel_rows_sort(names);
	kernel_names_free(*into);
	*into = names;
	return 0;
}
