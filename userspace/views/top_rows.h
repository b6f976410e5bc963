/* SPDX-License-Identifier: GPL-2.0 */
/* How the rows of each kind are made; top_rows.c sorts them. */
#ifndef MEMLAT_TOP_ROWS_H
#define MEMLAT_TOP_ROWS_H

#include "top.h"

void top_find_tasks(struct top_rows *rows, const struct top_interval *interval);
void top_find_lines(struct top_rows *rows, const struct top_interval *interval,
		    enum top_order order);
void top_find_functions(struct top_rows *rows, const struct top_interval *interval);
void top_find_data(struct top_rows *rows, const struct top_interval *interval);

/* The story of one line of an interval. */
struct story top_story(const struct top_interval *interval, const struct memlat_rec_line *line);

/* Set the row's loads of the sources that a screen shows. */
void top_row_sources(struct top_row *row, const __u64 source[MEMLAT_SRC_NR]);

#endif
