/* SPDX-License-Identifier: GPL-2.0 */
#ifndef MEMLAT_CORE_LINES_H
#define MEMLAT_CORE_LINES_H

#include "origin.h"
#include "table.h"

extern const struct memlat_table_kind memlat_lines_kind;

/* For those who know early what they will ask for. */
void memlat_lines_expect(const struct memlat_table *lines, const struct memlat_cell *cell);
void memlat_lines_expect_record(const struct memlat_table *lines, const struct memlat_cell *cell);

struct memlat_rec_line *memlat_lines_get(struct memlat_table *lines,
					 const struct memlat_cell *cell);
void memlat_line_add(struct memlat_rec_line *line, const struct memlat_cell *cell,
		     const struct memlat_origin *origin);

#endif /* MEMLAT_CORE_LINES_H */
