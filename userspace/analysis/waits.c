// SPDX-License-Identifier: GPL-2.0
#include "waits.h"

#include <math.h>
#include <string.h>

#include "gain.h"
#include "line.h"
#include "share.h"

#define TWO_SIDED	1.96	/* standard errors, for 95 % */

static void known(struct waits *waits, double stalls, double cycles)
{
	waits->why = WAITS_COUNTED;
	waits->low = waits->high = fmin(stalls / cycles, 1);
}

/* How many of the sampled loads are of the kind that was counted, by their weight. */
static double missed(const struct snapshot *snap, const struct scale *scale)
{
	double loads = 0;
	unsigned int row, source;

	for (row = 0; row < MEMLAT_BUCKETS; row++)
		for (source = 0; source < MEMLAT_SRC_NR; source++)
			loads += (double)snap->buckets.weight[row][source];
	return loads > 0 ? (double)snap->head.status.loads *
			   fmin((double)scale->sampled / loads, 1) : 0;
}

/* The most that the estimate can be with the error of its samples, as a multiple of it. */
static double error_of(const struct snapshot *snap, const struct scale *scale)
{
	const double loads = (double)snap->head.status.loads, misses = missed(snap, scale);
	struct share cost = { 0 };
	double effective;
	size_t i;

	for (i = 0; i < snap->nr_accesses; i++)
		share_add(&cost, (double)snap->accesses[i].cost,
			  snap->accesses[i].samples - access_stores(&snap->accesses[i]));
	share_complete(&cost, (double)snapshot_cost(snap), snap->head.status.loads);
	effective = share_effective(&cost);
	if (!(effective > 0) || !(misses > 0))
		return INFINITY;
	/* Both the cost and the number of sampled misses are sums over samples. */
	return exp(TWO_SIDED * sqrt(1 / effective + loads / (misses * effective)));
}

void waits_compute(struct waits *waits, const struct snapshot *snap,
		   const struct snapshot *counted)
{
	const double busy = (double)snapshot_busy(&snap->head.status);
	const double cost = (double)snapshot_cost(snap);
	const struct scale_count *stalls;
	struct gain_counts counts;

	*waits = (struct waits){ .why = WAITS_NO_LATENCY, .high = 1 };
	scale_compute(&waits->scale, snap);
	if (cost > 0)
		waits->why = !(busy > 0) ? WAITS_NO_BUSY :
			     waits->scale.why == SCALE_GOOD ? WAITS_ESTIMATED : WAITS_NO_FACTOR;
	if (waits->why == WAITS_ESTIMATED) {
		waits->each = waits->scale.factor * error_of(snap, &waits->scale) / busy;
		waits->high = fmin(cost * waits->each, 1);
	}
	stalls = &waits->scale.count[MEMLAT_EVENT_LOAD_STALLS];
	/* None, although loads were slow: the event counts nothing here, as on some virtual CPUs. */
	if (stalls->known && (stalls->value || !(cost > 0)) && busy > 0)
		known(waits, (double)stalls->value, busy);
	if (!counted)
		return;
	gain_counts_take(&counts, counted);
	if (counts.has_load_stalls && counts.cycles > 0)
		known(waits, counts.load_stalls, counts.cycles);
}
