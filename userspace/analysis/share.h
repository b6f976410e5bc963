/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A share of what was sampled, and how exact it is. Samples stand for different numbers of accesses,
 * because periods change, and for different latencies. So a hundred samples of which one weighs as
 * much as the rest tell as little as three equally heavy ones.
 */
#ifndef MEMLAT_SHARE_H
#define MEMLAT_SHARE_H

#include <stdbool.h>
#include <stddef.h>

#include <linux/types.h>

/* A sum over samples, and the sum of their squares. Samples of one row count as equally heavy. */
struct share {
	double weight, squares;
	__u64 samples;
};

/* 0 to 1, in 95 of 100 recordings of the same run. */
struct share_interval {
	double low, high;
};

struct share share_row(double weight, __u64 samples);
void share_add(struct share *share, double weight, __u64 samples);
void share_join(struct share *share, const struct share *other);
/* The sum is known to be @weight; the samples in @share are those whose rows were not evicted. */
void share_complete(struct share *share, double weight, __u64 samples);
/* How many equally heavy samples would be as exact: (sum w)^2 / sum w^2. */
double share_effective(const struct share *share);
/*
 * The least that a sum of some samples stands for, in 95 of 100 recordings. It orders rows: one
 * sample of a long period may weigh as much as a hundred others by chance.
 */
double share_least(double weight, __u64 samples);
/* Compare two such sums for sorting: the one that is more at least comes first. */
int share_order(double weight_a, __u64 samples_a, double weight_b, __u64 samples_b);
/* The share of @part in @whole, which includes it. */
struct share_interval share_interval(const struct share *part, const struct share *whole);

/*
 * How much the variance of a sum of latencies is above that of as many equal ones: they spread about
 * as far as their mean.
 */
#define SHARE_SPREAD	2

/* A sum for each of @per units of time or work. */
struct share share_rate(const struct share *sum, double per);
/*
 * By how much the second of two rates of latency is above the first, in 95 of 100 pairs of
 * recordings. unit: what a sample of each side stands for, in the same unit for both sides. Where a
 * side has no sample, this says how much may have been missed.
 */
struct share_interval share_change(const struct share side[2], const double unit[2]);

/*
 * Two ways to do the same work, run in pairs: which one is better, by how much, and how sure that
 * is. Runs close in time are alike, so each pair is compared by itself. The order is turned from
 * pair to pair (ABBA), so a drift over time favours neither way.
 */

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
