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

/* A slot with this share of the line's HITM loads, or stores, is in the game. */
#define LINE_SLOT_PERCENT	10
/* Fewer HITM loads than this, or than this share of all, say nothing. */
#define LINE_HITM_LEAST		10
/* With fewer stores sampled nothing is said of where it is written. */
#define LINE_STORES_LEAST	10
#define LINE_HITM_PERCENT	10

__u64 line_loads(const struct memlat_rec_line *line);
__u64 line_hitm(const struct memlat_rec_line *line);
/*
 * Loads that fetched what a store of another core may have taken away: HITM, and of a
 * line that somebody stores to what a sibling core forwarded, modified or clean.
 */
__u64 line_fetched(const struct memlat_rec_line *line);
/* Loads that had to do with another core: HITM, and what others held clean. */
__u64 line_cross_core(const struct memlat_rec_line *line);

/* Are they enough, by number or by latency, to matter? */
bool line_hitm_counts(const struct memlat_rec_line *line);
bool line_fetched_counts(const struct memlat_rec_line *line);
/* Did enough of its stores find it modified in another core? */
bool line_stores_fight(const struct memlat_rec_line *line);
/* The same, with those that a core forwarded where several CPUs store. */
bool line_stores_taken(const struct memlat_rec_line *line);
bool line_crosses_count(const struct memlat_rec_line *line);
/* The same of what waits where several write: for a fill buffer too, or stores. */
bool line_waits_count(const struct memlat_rec_line *line);
/*
 * Do loads wait in fill buffers for what is fetched from other cores? A line that is
 * taken away again and again is on its way most of the time: few loads are the
 * HITM that fetches it, and many find it under way.
 */
bool line_buffers_count(const struct memlat_rec_line *line);

const char *line_order_name(enum line_order order);

/*
 * The first so many (0: all) are in order after it; the others are behind them in any.
 * Equal lines have one order (space, address), so that output is stable.
 */
void line_sort(struct memlat_rec_line *lines, size_t nr, enum line_order order, size_t show);

#endif
