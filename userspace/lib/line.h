/* SPDX-License-Identifier: GPL-2.0 */
/* What the counts of one cache line say, and the order of lines. */
#ifndef MEMLAT_LINE_H
#define MEMLAT_LINE_H

#include <stddef.h>

#include <linux/memlat.h>

enum line_order {
	LINE_BY_HITM,	/* remote + local HITM, then latency */
	LINE_BY_COST,	/* sum of latencies */
	LINE_BY_LOADS	/* samples, then latency */
};

/* How a line is used by several CPUs, as far as loads alone can tell. */
enum line_reading {
	LINE_PLAIN,		/* nothing that is plain to see */
	LINE_FALSE_SHARING,	/* likely: HITM at several slots */
	LINE_TRUE_SHARING	/* likely: HITM at one slot */
};

/* A slot that has this share of the line's HITM loads is in the game. */
#define LINE_SLOT_PERCENT	10
/* Fewer HITM loads than this, or than this share of all, say nothing. */
#define LINE_HITM_LEAST		10
#define LINE_HITM_PERCENT	10

__u64 line_hitm(const struct memlat_rec_line *line);
enum line_reading line_read(const struct memlat_rec_line *line);
const char *line_order_name(enum line_order order);

/* Equal lines keep one order (space, address), so that output is stable. */
void line_sort(struct memlat_rec_line *lines, size_t nr, enum line_order order);

#endif
