// SPDX-License-Identifier: GPL-2.0
/*
 * The hottest lines, kept in order as lines grow, so that nobody has to sort the
 * table to see them: most HITM first, then most cycles.
 */
#include "top.h"

static u64 hitm(const struct memlat_rec_line *line)
{
	return line->source[MEMLAT_SRC_L3_HITM] + line->source[MEMLAT_SRC_RHITM];
}

static bool hotter(const struct memlat_rec_line *a, const struct memlat_rec_line *b)
{
	return hitm(a) != hitm(b) ? hitm(a) > hitm(b) : a->cost > b->cost;
}

static unsigned int find(const struct memlat_top *top, const struct memlat_rec_line *line)
{
	unsigned int i;

	for (i = 0; i < top->lines && top->line[i] != line; i++)
		;
	return i;
}

/**
 * memlat_top_drop - a line has left the table
 * @top: the list
 * @line: where it was
 */
void memlat_top_drop(struct memlat_top *top, const struct memlat_rec_line *line)
{
	unsigned int i = find(top, line);

	if (i == top->lines)
		return;
	top->lines--;
	memmove(&top->line[i], &top->line[i + 1], (top->lines - i) * sizeof(top->line[0]));
}

/**
 * memlat_top_update - a line has grown
 * @top: the list
 * @line: the line; it stays where it is in memory until it is dropped
 */
void memlat_top_update(struct memlat_top *top, const struct memlat_rec_line *line)
{
	unsigned int i;

	if (top->lines == MEMLAT_TOP && !hotter(line, top->line[MEMLAT_TOP - 1]) &&
	    line != top->line[MEMLAT_TOP - 1])
		return;
	i = find(top, line);
	if (i == top->lines) {
		if (top->lines < MEMLAT_TOP)
			top->lines++;
		else
			i--;
	}
	/* A line only ever grows, so it only ever rises. */
	for (; i && hotter(line, top->line[i - 1]); i--)
		top->line[i] = top->line[i - 1];
	top->line[i] = line;
}
