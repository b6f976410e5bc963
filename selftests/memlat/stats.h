/* SPDX-License-Identifier: GPL-2.0 */
/*
 * How far a count of samples may be from the truth.
 *
 * Each of n samples is of the kind in question with probability p, the share of this kind among all
 * loads that the hardware counted. So their number k has the mean n p and the standard deviation
 * sqrt(n p (1 - p)). The period is prime, which spreads samples more evenly than chance does.
 * Therefore counts agree better than the bound requires.
 */
#ifndef MEMLAT_TEST_STATS_H
#define MEMLAT_TEST_STATS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* For one figure: exceeded by chance in 0.0063 % of measurements. */
#define STATS_ONE	4.0

/*
 * For each cell of tables that have up to 40 cells together: 40 times the
 * 0.000057 % beyond 5 sigma is 0.0023 % (Bonferroni).
 */
#define STATS_TABLE	5.0
#define STATS_TABLE_CELLS	40

/*
 * The number of times that a measurement is made until all of it is within these bounds. If none
 * is, the test fails. With about ten figures and two tables, a measurement is out of bounds by
 * chance in 0.1 % at most, and a test in 10^-9; `make check-all` has about forty such tests. A
 * figure that is really wrong by more than its bound is out of bounds each time.
 */
#define STATS_MEASUREMENTS	3

/* If fewer are expected, the binomial is too skewed for a bound in sigmas. */
#define STATS_EXPECTED_MIN	5.0

/*
 * Is |k - n p| <= sigmas * sqrt(n p (1 - p)) + 1 + slack? The 1 is for the incomplete period at the
 * end of every session. slack is the number of samples that are known to be missing.
 */
bool stats_agree(uint64_t k, uint64_t n, double p, double sigmas, double slack);

/*
 * Compare the sampled counts of a table's cells with the true ones, each by its share. Returns how
 * many cells were compared (those in which at least STATS_EXPECTED_MIN are expected), or -1 - i for
 * the first cell i that is out of bounds. So is a cell that has samples but never happened.
 */
int stats_table(const uint64_t *sampled, const uint64_t *truth, size_t cells,
		double slack);

#endif
