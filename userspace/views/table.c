// SPDX-License-Identifier: GPL-2.0
#include "table.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <libsmartcols.h>

#include "../util/text.h"
#include "../util/xalloc.h"

#define GAP		"  "
#define GAP_WIDTH	(sizeof(GAP) - 1)
#define WORDS_LEAST	24	/* of a column of words: no less, before any is dropped */
#define WORDS_NARROW	16	/* where nothing else is left to give way */

static size_t natural_width(const struct table *table, size_t column)
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

static bool same_group(const struct table *table, size_t a, size_t b)
{
	const char *one = table->columns[a].group, *other = table->columns[b].group;

	return one == other || (one && other && !strcmp(one, other));
}

/* A group of one column: its heading has no other to stand above. */
static size_t lone_group_width(const struct table *table, size_t column)
{
	const char *group = table->columns[column].group;

	if (!group || (column && same_group(table, column - 1, column)) ||
	    (column + 1 < table->nr_columns && same_group(table, column, column + 1)))
		return 0;
	return text_width(group);
}

/* A column of words can be made narrower, down to so much. */
static size_t least_width(const struct table *table, size_t column,
			  size_t natural, size_t least)
{
	size_t title = text_width(table->columns[column].title);

	if (table->columns[column].right)
		return natural;
	if (least < title)
		least = title;
	return least < natural ? least : natural;
}

static size_t used_width(const struct table *table, const size_t *widths)
{
	size_t used = 0, column;

	for (column = 0; column < table->nr_columns; column++)
		if (widths[column])
			used += widths[column] + (used ? GAP_WIDTH : 0);
	return used;
}

/* Drop columns from the right, until the others fit; the first one stays. */
static void drop(const struct table *table, size_t width, size_t *widths,
		 bool kept)
{
	size_t column;

	for (column = table->nr_columns; column-- > 1; ) {
		if (used_width(table, widths) <= width)
			return;
		if (table->columns[column].keep == kept)
			widths[column] = 0;
	}
}

static void shrink(const struct table *table, size_t *widths,
		   const size_t *natural, size_t least)
{
	size_t column;

	for (column = 0; column < table->nr_columns; column++)
		if (widths[column])
			widths[column] = least_width(table, column,
						     natural[column], least);
}

static size_t fit(const struct table *table, size_t width, size_t *widths,
		  size_t *natural)
{
	size_t column, used, nr = 0;

	for (column = 0; column < table->nr_columns; column++) {
		size_t lone = lone_group_width(table, column);

		natural[column] = natural_width(table, column);
		if (natural[column] < lone)
			natural[column] = lone;
		/* An empty column is one, too. */
		if (!natural[column])
			natural[column] = 1;
		widths[column] = natural[column];
	}
	if (used_width(table, widths) > width) {
		shrink(table, widths, natural, WORDS_LEAST);
		drop(table, width, widths, false);
	}
	if (used_width(table, widths) > width) {
		shrink(table, widths, natural, WORDS_NARROW);
		drop(table, width, widths, true);
	}
	/* What is left over goes to those that were shortened. */
	used = used_width(table, widths);
	for (column = 0; column < table->nr_columns; column++) {
		size_t more = natural[column] - widths[column];

		if (!widths[column])
			continue;
		nr++;
		if (used >= width)
			continue;
		if (more > width - used)
			more = width - used;
		widths[column] += more;
		used += more;
	}
	return nr;
}

size_t table_fit(const struct table *table, size_t width, size_t *widths)
{
	size_t *natural = xcalloc(table->nr_columns, sizeof(*natural));
	size_t nr = fit(table, width, widths, natural);

	free(natural);
	return nr;
}

/*
 * The cell in so many columns. Under the heading of a group it takes all of them: the
 * library knows of no such heading, and makes columns as wide as their cells.
 */
static char *fit_cell(const struct table_column *column, const char *cell, size_t width)
{
	size_t taken = text_width(cell);

	if (taken > width)
		return text_shorten(cell, width);
	if (!column->group)
		return xstrdup(cell);
	return xasprintf("%*s%s%*s", column->right ? (int)(width - taken) : 0, "", cell,
			 column->right ? 0 : (int)(width - taken), "");
}

/* What the library returns: as it is used here, only memory can be in its way. */
static void done(int error)
{
	if (error)
		xneed(NULL);
}

static void fill_row(struct libscols_line *line, const struct table *table,
		     size_t row, const size_t *widths)
{
	char **cells = &table->cells[row * table->nr_columns];
	size_t column, place = 0;

	for (column = 0; column < table->nr_columns; column++)
		if (widths[column])
			done(scols_line_refer_data(line, place++,
						   fit_cell(&table->columns[column],
							    cells[column], widths[column])));
}

static void fill(struct libscols_table *scols, const struct table *table,
		 const size_t *widths)
{
	size_t row, column;

	for (column = 0; column < table->nr_columns; column++) {
		const struct table_column *c = &table->columns[column];

		if (widths[column])
			xneed(scols_table_new_column(scols, c->title, 0,
						     c->right ? SCOLS_FL_RIGHT : 0));
	}
	for (row = 0; row < table->nr_rows; row++)
		fill_row(xneed(scols_table_new_line(scols, NULL)), table, row, widths);
}

static void print_many(FILE *out, char byte, size_t times)
{
	while (times--)
		fputc(byte, out);
}

/* "---- Load HITM ----" over the columns that it is of; gap: blanks to print before. */
static void print_group(FILE *out, const char *group, size_t width, size_t gap)
{
	size_t taken;
	char *title;

	print_many(out, ' ', gap);
	title = text_shorten(group, width);
	taken = text_width(title);
	if (width < taken + 4) {
		print_many(out, ' ', (width - taken) / 2);
		fputs(title, out);
		print_many(out, ' ', width - taken - (width - taken) / 2);
	} else {
		size_t dashes = width - taken - 2;

		print_many(out, '-', dashes / 2);
		fprintf(out, " %s ", title);
		print_many(out, '-', dashes - dashes / 2);
	}
	free(title);
}

/* The row above the headings, where any column that is shown has a group. */
static void print_groups(FILE *out, const struct table *table, const size_t *widths)
{
	size_t column, next, width, gap = 0;
	bool any = false;

	for (column = 0; column < table->nr_columns; column++)
		any |= widths[column] && table->columns[column].group;
	for (column = 0; any && column < table->nr_columns; column = next) {
		width = widths[column];
		for (next = column + 1; next < table->nr_columns; next++) {
			if (widths[next] && !same_group(table, column, next))
				break;
			if (widths[next])
				width += widths[next] + (width ? GAP_WIDTH : 0);
		}
		if (!width)
			continue;
		/* No blanks at the end of the row. */
		if (table->columns[column].group) {
			print_group(out, table->columns[column].group, width, gap);
			gap = GAP_WIDTH;
		} else {
			gap += width + GAP_WIDTH;
		}
	}
	if (any)
		fputc('\n', out);
}

static void print_left_out(FILE *stream, const struct table *table,
			   const size_t *widths, size_t width)
{
	const char *before = "(left out, too narrow: ";
	size_t column, size;
	char *text;
	FILE *out = xmemstream(&text, &size);

	for (column = 0; column < table->nr_columns; column++) {
		if (widths[column])
			continue;
		fputs(before, out);
		if (table->columns[column].group)
			fprintf(out, "%s ", table->columns[column].group);
		fputs(table->columns[column].title, out);
		before = ", ";
	}
	xmemstream_end(out);
	if (*text)
		text_remark(stream, width, "%s; a wider terminal or --json shows all)", text);
	free(text);
}

static void print(FILE *out, const struct table *table, const size_t *widths, size_t width)
{
	struct libscols_table *scols = xneed(scols_new_table());
	char *text = NULL;
	size_t length;

	done(scols_table_set_column_separator(scols, GAP));
	fill(scols, table, widths);
	/* What fits was decided here: never cut a figure in two. */
	done(scols_table_set_termforce(scols, SCOLS_TERMFORCE_NEVER));
	done(scols_print_table_to_string(scols, &text));
	scols_unref_table(scols);
	print_groups(out, table, widths);
	/* Versions of the library differ in whether the last line ends. */
	length = strlen(text);
	fputs(text, out);
	if (length && text[length - 1] != '\n')
		fputc('\n', out);
	free(text);
	print_left_out(out, table, widths, width);
}

void table_print(FILE *out, const struct table *table, size_t width)
{
	size_t *widths = xcalloc(table->nr_columns, sizeof(*widths));

	table_fit(table, width, widths);
	print(out, table, widths, width);
	free(widths);
}
