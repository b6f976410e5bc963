/* SPDX-License-Identifier: GPL-2.0 */
/* What the counts of one cache line say, and the order of lines. */
#ifndef MEMLAT_LINE_H
#define MEMLAT_LINE_H

#include <stdbool.h>
#include <stddef.h>

#include <linux/memlat.h>

#include "slots.h"

enum line_order {
	LINE_BY_HITM,	/* remote + local HITM, then cost */
	LINE_BY_COST,	/* cycles that its samples stand for */
	LINE_BY_LOADS,	/* loads sampled, then cost */
	LINE_BY_STORES,	/* stores sampled, then cost */
	LINE_ORDERS
};

/* How a line is used by several CPUs, as far as samples can tell. */
enum line_reading {
	LINE_PLAIN,		/* nothing that is plain to see */
	LINE_FALSE_SHARING,	/* likely: HITM at several slots, or at none written */
	LINE_TRUE_SHARING	/* likely: HITM at one slot, which is written */
};

/* A slot with this share of the line's HITM loads, or stores, is in the game. */
#define LINE_SLOT_PERCENT	10
/* Fewer HITM loads than this, or than this share of all, say nothing. */
#define LINE_HITM_LEAST		10
/* With fewer stores sampled nothing is said of where it is written. */
#define LINE_STORES_LEAST	10
#define LINE_HITM_PERCENT	10

__u64 line_loads(const struct memlat_rec_line *line);
__u64 line_hitm(const struct memlat_rec_line *line);

/* slots: of this line, as slots_of_line() has them. */
enum line_reading line_read(const struct memlat_rec_line *line,
			    const struct line_slots *slots);
/* Is what is fetched as HITM not what is written, by stores enough to tell? */
bool line_written_elsewhere(const struct memlat_rec_line *line,
			    const struct line_slots *slots);
const char *line_order_name(enum line_order order);

/* Equal lines keep one order (space, address), so that output is stable. */
void line_sort(struct memlat_rec_line *lines, size_t nr, enum line_order order);

#endif
