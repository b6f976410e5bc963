/* SPDX-License-Identifier: GPL-2.0 */
/* What the counts of one cache line say, and the order of lines. */
#ifndef MEMLAT_LINE_H
#define MEMLAT_LINE_H

#include <stdbool.h>
#include <stddef.h>

#include <linux/memlat.h>

enum line_order {
	LINE_BY_HITM,	/* remote + local HITM, of loads and stores, then cost */
	LINE_BY_COST,	/* cycles that its samples stand for */
	LINE_BY_LOADS,	/* loads sampled, then cost */
	LINE_BY_STORES,	/* stores sampled, then cost */
	LINE_ORDERS
};

/* Fewer HITM loads than this, or than LINE_HITM_PERCENT of all loads, prove nothing. */
#define LINE_HITM_LEAST		10
/* Fewer sampled stores do not show where the line is written. */
#define LINE_STORES_LEAST	10
#define LINE_HITM_PERCENT	10

__u64 line_loads(const struct memlat_rec_line *line);
__u64 line_hitm(const struct memlat_rec_line *line);
/* Loads that found the line in another core: HITM, and lines that others held clean. */
__u64 line_cross_core(const struct memlat_rec_line *line);
/* The latency of these. */
__u64 line_cross_latency(const struct memlat_rec_line *line);

/* Are there enough HITM loads to matter, by number or by latency? */
bool line_hitm_counts(const struct memlat_rec_line *line);
/* Did enough stores find the line modified in another core? */
bool line_stores_fight(const struct memlat_rec_line *line);
/* The same, and if several CPUs store, with stores that another core forwarded the line for. */
bool line_stores_taken(const struct memlat_rec_line *line);
/* Are there enough loads that found the line in another core? */
bool line_crosses_count(const struct memlat_rec_line *line);
/* For a line with several writers: do enough loads wait (in fill buffers too), or stores miss? */
bool line_waits_count(const struct memlat_rec_line *line);

/* The slot with the most samples. */
unsigned int line_hot_slot(const struct memlat_rec_line *line);

const char *line_order_name(enum line_order order);

/*
 * Sort lines so that the first @show (0: all) are in order; the others follow in any order. Equal
 * lines are ordered by space and address, so output is stable.
 */
void line_sort(struct memlat_rec_line *lines, size_t nr, enum line_order order, size_t show);

#endif
