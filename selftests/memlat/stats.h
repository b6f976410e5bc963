/* SPDX-License-Identifier: GPL-2.0 */
/*
 * How far a count of samples may be from the truth.
 *
 * Each of n samples falls on what is counted with probability p, the share
 * of it among all loads that the hardware counted. Then k of them do, with
 * mean n p and standard deviation sqrt(n p (1 - p)). Taking every period-th
 * load, a prime, spreads samples more evenly than chance does, so that counts
 * should agree better than the bound asks, never worse.
 */
#ifndef MEMLAT_TEST_STATS_H
#define MEMLAT_TEST_STATS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* For one figure: wrong by chance in 0.0063 % of measurements. */
#define STATS_ONE	4.0

/*
 * For each cell of tables that have up to 40 cells together: 40 times the
 * 0.000057 % beyond 5 sigma is 0.0023 % (Bonferroni).
 */
#define STATS_TABLE	5.0
#define STATS_TABLE_CELLS	40

/*
 * A measurement that is not all within these bounds is taken again, this often
 * in all; a test fails where none is. With some ten figures and two tables a
 * measurement is off by chance in 0.1 % at most, and a test in 10^-9; the whole
 * of `make check-all` has some forty such tests. What is wrong by more than a
 * bound is off each time.
 */
#define STATS_MEASUREMENTS	3

/* Fewer are expected: the binomial is too skew for a bound in sigmas. */
#define STATS_EXPECTED_MIN	5.0

/*
 * Is |k - n p| <= sigmas * sqrt(n p (1 - p)) + 1 + slack? The 1 is for the
 * part of a period that every session leaves over; slack is the number of
 * samples known to be missing.
 */
bool stats_agree(uint64_t k, uint64_t n, double p, double sigmas, double slack);

/*
 * Compare the sampled counts of a table's cells with the true ones, each by
 * its share. Returns how many cells were compared (those that expect at
 * least STATS_EXPECTED_MIN), or -1 - i for the first cell i out of bounds;
 * a cell that is sampled but never happened is out of bounds.
 */
int stats_table(const uint64_t *sampled, const uint64_t *truth, size_t cells,
		double slack);

#endif
