// SPDX-License-Identifier: GPL-2.0
#include "table.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <libsmartcols.h>

#include "text.h"

#define GAP	"  "

static size_t column_width(const struct table *table, size_t column)
{
	size_t widest = text_width(table->columns[column].title), row;

	for (row = 0; row < table->nr_rows; row++) {
		size_t width = text_width(table->cells[row * table->nr_columns +
						       column]);

		if (width > widest)
			widest = width;
	}
	return widest;
}

size_t table_fitting(const struct table *table, size_t width)
{
	size_t used = 0, column;

	for (column = 0; column < table->nr_columns; column++) {
		used += column_width(table, column) +
			(column ? sizeof(GAP) - 1 : 0);
		if (used > width && column >= table->nr_keep)
			break;
	}
	return column;
}

static int fill(struct libscols_table *scols, const struct table *table,
		size_t nr_columns)
{
	size_t row, column;

	for (column = 0; column < nr_columns; column++) {
		const struct table_column *c = &table->columns[column];

		if (!scols_table_new_column(scols, c->title, 0,
					    c->right ? SCOLS_FL_RIGHT : 0))
			return -ENOMEM;
	}
	for (row = 0; row < table->nr_rows; row++) {
		struct libscols_line *line = scols_table_new_line(scols, NULL);

		if (!line)
			return -ENOMEM;
		for (column = 0; column < nr_columns; column++) {
			int ret = scols_line_set_data(line, column,
				table->cells[row * table->nr_columns + column]);

			if (ret)
				return ret;
		}
	}
	return 0;
}

int table_print(FILE *out, const struct table *table, size_t width)
{
	size_t fitting = table_fitting(table, width), column;
	struct libscols_table *scols = scols_new_table();
	char *text = NULL;
	size_t length;
	int ret;

	if (!scols)
		return -ENOMEM;
	ret = scols_table_set_column_separator(scols, GAP);
	if (!ret)
		ret = fill(scols, table, fitting);
	/* What fits was decided here: never cut a figure in two. */
	if (!ret)
		ret = scols_table_set_termforce(scols, SCOLS_TERMFORCE_NEVER);
	if (!ret)
		ret = scols_print_table_to_string(scols, &text);
	scols_unref_table(scols);
	if (ret)
		return ret;
	/* Versions of the library differ in whether the last line ends. */
	length = strlen(text);
	fputs(text, out);
	if (length && text[length - 1] != '\n')
		fputc('\n', out);
	free(text);
	if (fitting < table->nr_columns) {
		fputs("(left out, too narrow: ", out);
		for (column = fitting; column < table->nr_columns; column++)
			fprintf(out, "%s%s", column > fitting ? ", " : "",
				table->columns[column].title);
		fputs("; a wider terminal or --json shows all)\n", out);
	}
	return 0;
}

int table_print_from(FILE *out, const struct table_source *source, size_t width)
{
	struct table table = {
		.columns = source->columns,
		.nr_columns = source->nr_columns,
		.nr_keep = source->nr_keep,
		.nr_rows = source->nr_rows,
	};
	size_t nr_cells = table.nr_rows * table.nr_columns, i;
	int ret = 0;

	table.cells = calloc(nr_cells, sizeof(*table.cells));
	if (!table.cells)
		return -ENOMEM;
	for (i = 0; i < nr_cells && !ret; i++) {
		table.cells[i] = source->cell(source->context,
					      i / table.nr_columns,
					      i % table.nr_columns);
		if (!table.cells[i])
			ret = -ENOMEM;
	}
	if (!ret)
		ret = table_print(out, &table, width);
	for (i = 0; i < nr_cells; i++)
		free(table.cells[i]);
	free(table.cells);
	return ret;
}
