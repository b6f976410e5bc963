// SPDX-License-Identifier: GPL-2.0
/* How far a count of samples may be from the truth. */
#include "stats.h"

#include <math.h>

bool stats_agree(uint64_t k, uint64_t n, double p, double sigmas, double slack)
{
	if (!(p >= 0.0 && p <= 1.0))
		return false;
	return fabs(k - n * p) <= sigmas * sqrt(n * p * (1.0 - p)) + 1.0 + slack;
}

int stats_table(const uint64_t *sampled, const uint64_t *truth, size_t cells,
		double slack)
{
	uint64_t n = 0, total = 0;
	int compared = 0;
	size_t i;
	double p;

	for (i = 0; i < cells; i++) {
		n += sampled[i];
		total += truth[i];
	}
	for (i = 0; i < cells; i++) {
		if (!truth[i] && sampled[i])
			return -1 - (int)i;
		p = total ? (double)truth[i] / total : 0.0;
		if (n * p < STATS_EXPECTED_MIN)
			continue;
		if (!stats_agree(sampled[i], n, p, STATS_TABLE, slack))
			return -1 - (int)i;
		compared++;
	}
	return compared;
}
