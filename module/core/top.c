// SPDX-License-Identifier: GPL-2.0
/*
 * The hottest lines, with most HITM first, then by cost. The list is kept in order as lines grow,
 * so showing it needs no sort of the table.
 */
#include "shard.h"
#include "tables.h"

static_assert(MEMLAT_TOP % sizeof(u64) == 0);

static u8 tag_of(const struct memlat_line *line)
{
	return memlat_hash(0, (unsigned long)line);
}

/* Compares eight tags at a time. Tags of other lines, and old tags at the end, may match too. */
static unsigned int memlat_top_index(const struct memlat_top *top,
				     const struct memlat_line *line)
{
	const u64 tag = tag_of(line) * MEMLAT_BYTES_ONE;
	unsigned int i, at;
	u64 tags, match;

	for (i = 0; i < top->lines; i += sizeof(tags)) {
		memcpy(&tags, &top->tag[i], sizeof(tags));
		for (match = memlat_bytes_zero(tags ^ tag); match; match &= match - 1) {
			at = i + __builtin_ctzll(match) / 8;
			if (likely(top->line[at] == line))
				return at < top->lines ? at : top->lines;
		}
	}
	return top->lines;
}

/**
 * memlat_top_drop - remove a line that was evicted from the table
 * @top: the list
 * @line: the line
 */
void memlat_top_drop(struct memlat_top *top, const struct memlat_line *line)
{
	unsigned int i = memlat_top_index(top, line);

	if (i == top->lines)
		return;
	top->lines--;
	memmove(&top->line[i], &top->line[i + 1], (top->lines - i) * sizeof(top->line[0]));
	memmove(&top->tag[i], &top->tag[i + 1], top->lines - i);
}

/**
 * memlat_top_move - add or move a line that has grown
 * @top: the list
 * @line: the line, hotter than the last one or one of the list
 */
void memlat_top_move(struct memlat_top *top, const struct memlat_line *line)
{
	unsigned int i;

	i = memlat_top_index(top, line);
	if (i == top->lines) {
		if (top->lines < MEMLAT_TOP)
			top->lines++;
		else
			i--;
	}
	/* A line only grows, so it only moves up. */
	for (; i && memlat_line_is_hotter(line, top->line[i - 1]); i--) {
		top->line[i] = top->line[i - 1];
		top->tag[i] = top->tag[i - 1];
	}
	top->line[i] = line;
	top->tag[i] = tag_of(line);
}
