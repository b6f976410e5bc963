// SPDX-License-Identifier: GPL-2.0
#include "calibrate.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define MIDDLE_MOST	99
#define KIB		1024ULL
#define LEAST		(2 * KIB)
/*
 * Share of a cache's bytes to walk. A prefetcher that fetches the other line of each pair fills the
 * cache with twice as much.
 */
#define FILLED		(3.0 / 8)
#define BEYOND		2.0	/* times the previous cache: at this size nothing hits it */
/* of the next level's latency: a faster level counts as one of its own */
#define HARDLY		0.95
#define MEMORY_BEYOND	4.0
#define MEMORY_LEAST	1.5
#define MEMORY_UNKNOWN	(64.0 * 1024 * KIB)	/* bytes, if no cache is known */

/* A whole number of loop turns of the walk. */
static __u64 whole(double bytes)
{
	return (__u64)bytes / KIB * KIB;
}

static void add_size(struct plan_sizes *sizes, double bytes)
{
	__u64 size = whole(bytes);

	if (size >= LEAST && (!sizes->nr || size > sizes->bytes[sizes->nr - 1]))
		sizes->bytes[sizes->nr++] = size;
}

void plan_cache(struct plan_sizes *sizes, __u64 before, __u64 cache)
{
	double high = FILLED * (double)cache, low;

	memset(sizes, 0, sizeof(*sizes));
	low = before ? BEYOND * (double)before : high / 4;
	if (low > high) {
		/* No size is far beyond one and well within the other, so take the middle. */
		if ((double)cache >= MEMORY_LEAST * (double)before)
			add_size(sizes, ((double)before + (double)cache) / 2);
		return;
	}
	add_size(sizes, low);
	add_size(sizes, sqrt(low * high));
	add_size(sizes, high);
}

void plan_memory(struct plan_sizes *sizes, __u64 cache, __u64 most)
{
	double low = cache ? MEMORY_BEYOND * (double)cache : MEMORY_UNKNOWN;

	memset(sizes, 0, sizeof(*sizes));
	if ((double)most < MEMORY_LEAST * (double)cache)
		return;
	if (low > (double)most)
		low = (double)most;
	add_size(sizes, low);
	if (2 * low <= (double)most)
		add_size(sizes, 2 * low);
}

static bool is_cache(enum memlat_source source)
{
	return source == MEMLAT_SRC_L1 || source == MEMLAT_SRC_L2 || source == MEMLAT_SRC_L3;
}

__u32 plan_rising(struct latency *latencies, size_t from, size_t *nr)
{
	double behind = 0;
	__u32 out = 0;
	size_t i;

	for (i = *nr; i-- > from;) {
		enum memlat_source source = latencies[i].source;

		if (!is_cache(source) && source != MEMLAT_SRC_DRAM)
			continue;
		if (is_cache(source) && behind > 0 && latencies[i].cycles > HARDLY * behind) {
			out |= 1U << source;
			memmove(&latencies[i], &latencies[i + 1], (*nr - i - 1) * sizeof(*latencies));
			(*nr)--;
		} else {
			behind = latencies[i].cycles;
		}
	}
	return out;
}

static int order_values(const void *pa, const void *pb)
{
	const double *a = pa, *b = pb;

	return *a < *b ? -1 : *a > *b;
}

void plan_median(double *values, size_t nr, double *low, double *median, double *high)
{
	qsort(values, nr, sizeof(*values), order_values);
	*low = values[nr / 4];
	*median = values[nr / 2];
	*high = values[nr - 1 - nr / 4];
}

double plan_middle(const double *values, size_t nr)
{
	double copy[MIDDLE_MOST], low, median, high;

	memcpy(copy, values, nr * sizeof(*copy));
	plan_median(copy, nr, &low, &median, &high);
	return median;
}

void plan_edges(const struct latency *latencies, size_t nr, __u32 edge[MEMLAT_SRC_NR])
{
	double slowest[MEMLAT_SRC_NR] = { 0 };
	unsigned int source, other;
	size_t i;

	for (i = 0; i < nr; i++)
		if (latencies[i].source != MEMLAT_SRC_UNKNOWN &&
		    latencies[i].cycles > slowest[latencies[i].source])
			slowest[latencies[i].source] = latencies[i].cycles;
	for (source = 0; source < MEMLAT_SRC_NR; source++) {
		double most = 2 * slowest[source];

		for (other = 0; other < MEMLAT_SRC_NR; other++) {
			double between = sqrt(slowest[source] * slowest[other]);

			if (slowest[other] > slowest[source] && between < most)
				most = between;
		}
		/* An edge is never below what was measured. */
		edge[source] = slowest[source] > 0 ? (__u32)ceil(fmax(most, slowest[source])) : 0;
	}
}
