/* SPDX-License-Identifier: GPL-2.0 */
/* A table of dcache as a report: its columns. */
#ifndef MEMLAT_DCACHE_TABLE_H
#define MEMLAT_DCACHE_TABLE_H

#include "../analysis/scale.h"
#include "dcache.h"
#include "disasm.h"
#include "figures.h"
#include "levels.h"

struct dcache_table {
	const struct dcache_view *view;
	struct dcache_rows rows;
	struct disasm *disasm;		/* NULL: do not show instructions */
	struct site_data *data;		/* of each row in rows; NULL: do not show data */
	struct levels levels;
	struct scale scale;
	__u64 busy;			/* busy cycles, 0: not known */
	struct grid grid;
};

/* The table must not move until dcache_table_free(). */
void dcache_table_init(struct dcache_table *table, const struct dcache_view *view,
		       enum dcache_by by);
void dcache_table_free(struct dcache_table *table);

/* dcache_code.c: the code around the first rows of a table by instruction, the most costly ones. */
void dcache_code_print(FILE *out, const struct dcache_table *table);
struct json_object *dcache_code_json(const struct dcache_table *table);

#endif
