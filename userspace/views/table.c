// SPDX-License-Identifier: GPL-2.0
#include "report.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../util/text.h"
#include "../util/xalloc.h"

#define GAP_WIDTH	2	/* between columns */
/* width below which a column of words is not shortened until columns have been dropped */
#define WORDS_LEAST	24
/* width to which one may be shortened if nothing else can give way */
#define WORDS_NARROW	16

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

/* The width of the shown columns from @column on that are of its group. *next: the first one behind. */
static size_t group_width(const struct table *table, const size_t *widths, size_t column, size_t *next)
{
	size_t width = widths[column];

	for (*next = column + 1; *next < table->nr_columns; ++*next) {
		if (widths[*next] && !same_group(table, column, *next))
			break;
		if (widths[*next])
			width += widths[*next] + (width ? GAP_WIDTH : 0);
	}
	return width;
}

/* How narrow a column may become. Only columns of words can be shortened. */
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

/* Drop columns from the right until the rest fits. The first column always stays. */
static void drop(const struct table *table, size_t width, size_t *widths,
		 unsigned int keep)
{
	size_t column;

	for (column = table->nr_columns; column-- > 1; ) {
		if (used_width(table, widths) <= width)
			return;
		if (table->columns[column].keep == keep)
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

/* Widen the last column of each group that is narrower than its heading, where there is room. */
static void widen_groups(const struct table *table, size_t width, size_t *widths)
{
	size_t room = width - used_width(table, widths), column, next, last;

	for (column = 0; column < table->nr_columns; column = next) {
		const char *group = table->columns[column].group;
		const size_t taken = group_width(table, widths, column, &next);
		const size_t wanted = group && taken ? text_width(group) : 0;

		if (wanted <= taken || wanted - taken > room)
			continue;
		for (last = next - 1; !widths[last]; last--)
			;
		widths[last] += wanted - taken;
		room -= wanted - taken;
	}
}

size_t table_fit(const struct table *table, size_t width, size_t *widths)
{
	size_t *natural = xcalloc(table->nr_columns, sizeof(*natural));
	size_t column, used, nr = 0;
	unsigned int keep;

	for (column = 0; column < table->nr_columns; column++) {
		natural[column] = natural_width(table, column);
		/* An empty column has a width too. */
		if (!natural[column])
			natural[column] = 1;
		widths[column] = natural[column];
	}
	for (keep = 0; keep <= TABLE_KEEP_MOST && used_width(table, widths) > width; keep++) {
		shrink(table, widths, natural, keep ? WORDS_NARROW : WORDS_LEAST);
		drop(table, width, widths, keep);
	}
	/* Give the columns that are left over to those that were shortened. */
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
	if (used < width)
		widen_groups(table, width, widths);
	free(natural);
	return nr;
}

/*
 * Print a row of cells, or the titles if cells is NULL. Blanks behind a cell are printed with the
 * next cell, so that the last cell has none. Under a group's heading, they are printed at once,
 * because the heading is as wide as its columns.
 */
static void print_row(FILE *out, const struct table *table, const size_t *widths,
		      char *const *cells)
{
	size_t column, gap = 0, behind = 0;

	for (column = 0; column < table->nr_columns; column++) {
		const struct table_column *c = &table->columns[column];
		size_t blanks;
		char *text;

		if (!widths[column])
			continue;
		text = text_shorten_name(cells ? cells[column] : c->title, widths[column]);
		blanks = widths[column] - text_width(text);
		fprintf(out, "%*s%s", (int)(gap + (c->right ? blanks : 0)), "", text);
		gap = GAP_WIDTH + (c->right ? 0 : blanks);
		behind = cells && c->group ? gap - GAP_WIDTH : 0;
		free(text);
	}
	fprintf(out, "%*s\n", (int)behind, "");
}

static void print_many(FILE *out, char byte, size_t times)
{
	while (times--)
		fputc(byte, out);
}

/* Print "---- Load HITM ----" above the group's columns; gap: blanks to print before. */
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

/* Print the row above the titles, if any shown column has a group. */
static void print_groups(FILE *out, const struct table *table, const size_t *widths)
{
	size_t column, next, width, gap = 0;
	bool any = false;

	for (column = 0; column < table->nr_columns; column++)
		any |= widths[column] && table->columns[column].group;
	for (column = 0; any && column < table->nr_columns; column = next) {
		width = group_width(table, widths, column, &next);
		if (!width)
			continue;
		/* Print no blanks at the end of the row. */
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

void table_print(FILE *out, const struct table *table, size_t width)
{
	size_t *widths = xcalloc(table->nr_columns, sizeof(*widths)), row;

	table_fit(table, width, widths);
	print_groups(out, table, widths);
	print_row(out, table, widths, NULL);
	for (row = 0; row < table->nr_rows; row++)
		print_row(out, table, widths, &table->cells[row * table->nr_columns]);
	print_left_out(out, table, widths, width);
	free(widths);
}
