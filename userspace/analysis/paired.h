/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Two ways to do the same work, run in pairs: which one is better, by how much, and how sure that
 * is. Runs close in time are alike, so each pair is compared by itself. The order is turned from
 * pair to pair (ABBA), so a drift over time favours neither way.
 */
#ifndef MEMLAT_PAIRED_H
#define MEMLAT_PAIRED_H

#include <stdbool.h>
#include <stddef.h>

#define PAIRED_LEAST	3
#define PAIRED_MAX	50

/* Relative to the first way: 0.4 means 40 % less with the second way, -0.1 means 10 % more. */
struct paired {
	double less;
	double lo, hi;		/* the interval that holds the truth 95 times in 100 */
	bool shown;		/* the interval does not hold 0, so there is a difference */
};

/* Does the second way run first in this pair (from 0)? */
bool paired_turned(size_t pair);
/* Compare the figures of pairs. False: too few or too many pairs, or a figure is not above 0. */
bool paired_compare(struct paired *paired, const double *first, const double *second, size_t pairs);

#endif
