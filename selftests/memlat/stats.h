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

/* For one figure: wrong by chance in 0.27 % of runs. */
#define STATS_ONE	3.0

/*
 * For each cell of tables that have up to 40 cells together: 40 times the
 * 0.0063 % beyond 4 sigma is 0.25 %, so a whole table is wrong by chance as
 * rarely as one figure (Bonferroni).
 */
#define STATS_TABLE	4.0
#define STATS_TABLE_CELLS	40

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
