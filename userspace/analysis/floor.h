/* SPDX-License-Identifier: GPL-2.0 */
/*
 * How many samples a row needs before it is shown by itself. The first samples of a session stand
 * for long periods, so that a row of one or two of them may have a great part of all latency, by
 * chance. Such rows come last where rows are in the order of cost or HITM, and views fold them
 * into one line.
 */
#ifndef MEMLAT_FLOOR_H
#define MEMLAT_FLOOR_H

#include <stddef.h>

#include <linux/types.h>

#include "../util/order.h"

#define FLOOR_SAMPLES	10U

/* Compare two rows by whether they reach the floor: those that do come first. */
static inline int floor_order(__u64 samples_a, __u64 samples_b)
{
	return (samples_a < FLOOR_SAMPLES) - (samples_b < FLOOR_SAMPLES);
}

/* Rows that reach the floor come first, then those that cost more, then those with more samples. */
static inline int floor_order_cost(__u64 samples_a, __u64 cost_a, __u64 samples_b, __u64 cost_b)
{
	return floor_order(samples_a, samples_b) ?: order(cost_b, cost_a) ?:
	       order(samples_b, samples_a);
}

/* Rows below it: how many, and what they cost together. */
struct floor_fold {
	__u64 rows, cost;
};

static inline void floor_count(struct floor_fold *fold, __u64 samples, __u64 cost)
{
	if (samples >= FLOOR_SAMPLES)
		return;
	fold->rows++;
	fold->cost += cost;
}

/*
 * How many of nr rows to show, of which those below the floor come last. show: as asked for, 0:
 * all. If no row reaches the floor, all are shown.
 */
static inline size_t floor_show(size_t show, size_t nr, const struct floor_fold *fold)
{
	size_t firm = nr - (size_t)fold->rows;

	return show && firm && firm < show ? firm : show;
}

#endif
