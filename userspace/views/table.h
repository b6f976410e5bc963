/* SPDX-License-Identifier: GPL-2.0 */
/* A table that fits its width by dropping columns from the right. */
#ifndef MEMLAT_TABLE_H
#define MEMLAT_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct table_column {
	const char *title;
	bool right;	/* aligned right: numbers */
};

/* rows[row * nr_columns + column]: text that is fit for the terminal. */
struct table {
	const struct table_column *columns;
	size_t nr_columns;
	size_t nr_keep;		/* so many are never dropped */
	size_t nr_rows;
	char **cells;
};

/*
 * Print a table whose cells are made one by one: cell() gives newly allocated
 * text, or NULL when there is no memory. As table_print().
 */
struct table_source {
	const struct table_column *columns;
	size_t nr_columns;
	size_t nr_keep;
	size_t nr_rows;
	char *(*cell)(const void *context, size_t row, size_t column);
	const void *context;
};

int table_print_from(FILE *out, const struct table_source *source, size_t width);

/* How many columns fit into width. */
size_t table_fitting(const struct table *table, size_t width);

/* Print the columns that fit and name those that do not. 0 or -errno. */
int table_print(FILE *out, const struct table *table, size_t width);

#endif
