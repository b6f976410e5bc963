/* SPDX-License-Identifier: GPL-2.0 */
#ifndef MEMLAT_CORE_LINES_H
#define MEMLAT_CORE_LINES_H

#include "origin.h"
#include "table.h"

extern const struct memlat_table_kind memlat_lines_kind;

/*
 * Prefetch the record of a line that will be added to: call these in this order, with
 * memlat_table_ask_way() after the first.
 */
void memlat_lines_ask(const struct memlat_table *lines, const struct memlat_cell *cell,
		      struct memlat_table_ask *ask);
void memlat_lines_ask_record(const struct memlat_table_ask *ask, const struct memlat_cell *cell);
struct memlat_rec_line *memlat_lines_get_asked(struct memlat_table *lines,
					       const struct memlat_cell *cell,
					       const struct memlat_table_ask *ask);

struct memlat_rec_line *memlat_lines_get(struct memlat_table *lines,
					 const struct memlat_cell *cell);
void memlat_line_add(struct memlat_rec_line *line, const struct memlat_cell *cell,
		     const struct memlat_origin *origin);

#endif /* MEMLAT_CORE_LINES_H */
