/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A table that fits its width: long words are shortened, then columns are dropped
 * from the right.
 */
#ifndef MEMLAT_TABLE_H
#define MEMLAT_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct table_column {
	const char *title;
	bool right;	/* aligned right: numbers, which are never shortened */
	bool keep;	/* dropped after all those that are not kept */
	const char *group;	/* heading above neighbours that have the same; NULL: none */
};

/* cells[row * nr_columns + column]: text that is fit for the terminal. */
struct table {
	const struct table_column *columns;
	size_t nr_columns;
	size_t nr_rows;
	char **cells;
};

/*
 * The width that each column gets of a terminal's, 0 where it is dropped; how many
 * have one. The first column always has.
 */
size_t table_fit(const struct table *table, size_t width, size_t *widths);

/* Print the columns that fit and name those that do not. */
void table_print(FILE *out, const struct table *table, size_t width);

#endif
