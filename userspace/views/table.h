/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A table that is fitted to a width: long words are shortened first, then columns are dropped from
 * the right.
 */
#ifndef MEMLAT_TABLE_H
#define MEMLAT_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#define TABLE_KEEP_MOST	3

struct table_column {
	const char *title;
	bool right;	/* aligned right: numbers, which are never shortened */
	unsigned char keep;	/* columns with the lowest one are dropped first, from the right */
	const char *group;	/* heading above adjacent columns of the same group; NULL: none */
};

/* cells[row * nr_columns + column]: text that is fit for the terminal. */
struct table {
	const struct table_column *columns;
	size_t nr_columns;
	size_t nr_rows;
	char **cells;
};

/*
 * Choose the width of each column, 0 if it is dropped. Returns how many columns stay. The first
 * column always does.
 */
size_t table_fit(const struct table *table, size_t width, size_t *widths);

/* Print the columns that fit, and name the others. */
void table_print(FILE *out, const struct table *table, size_t width);

#endif
