/* SPDX-License-Identifier: GPL-2.0 */
/* How the rows of each kind are found; top_rows.c puts them in order. */
#ifndef MEMLAT_TOP_ROWS_H
#define MEMLAT_TOP_ROWS_H

#include "top.h"

void top_find_tasks(struct top_rows *rows, const struct top_interval *interval);
void top_find_lines(struct top_rows *rows, const struct top_interval *interval,
		    enum top_order order);
void top_find_functions(struct top_rows *rows, const struct top_interval *interval);
void top_find_data(struct top_rows *rows, const struct top_interval *interval);

/* The loads of a source that a screen has room to tell. */
void top_row_sources(struct top_row *row, const __u64 source[MEMLAT_SRC_NR]);

#endif
