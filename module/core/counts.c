// SPDX-License-Identifier: GPL-2.0
#include "counts.h"

/**
 * memlat_counts_sums - add the sums of a drain
 * @counts: of this CPU
 * @sums: latencies
 * @loads: number of loads, and their weight
 * @stores: number of stores, and their weight
 *
 * Runs in NMI.
 */
void memlat_counts_sums(struct memlat_counts *counts, const struct memlat_sums *sums,
			const struct memlat_tally *loads, const struct memlat_tally *stores)
{
	u64 *count = counts->count;

	count[MEMLAT_COUNT_SAMPLES] += loads->samples + stores->samples;
	count[MEMLAT_COUNT_LOADS] += loads->samples;
	count[MEMLAT_COUNT_STORES] += stores->samples;
	count[MEMLAT_COUNT_WEIGHT_LOADS] += loads->weight;
	count[MEMLAT_COUNT_WEIGHT_STORES] += stores->weight;
	count[MEMLAT_COUNT_LATENCY_SUM] += sums->latency;
	if (sums->latency_max > counts->latency_max)
		counts->latency_max = sums->latency_max;
}

/**
 * memlat_counts_merge - add counts, except the raw words
 * @to: the sum
 * @from: counts that no CPU writes
 */
void memlat_counts_merge(struct memlat_counts *to, const struct memlat_counts *from)
{
	const u64 *more = (const u64 *)from;
	u64 *sum = (u64 *)to;
	size_t i;

	/* Add up the structure as an array of words, of which there are a thousand per CPU. */
	static_assert(!offsetof(struct memlat_counts, latency_max));
	static_assert(offsetof(struct memlat_counts, count) == sizeof(u64));
	for (i = 1; i < offsetof(struct memlat_counts, raw) / sizeof(u64); i++)
		sum[i] += more[i];
	if (from->latency_max > to->latency_max)
		to->latency_max = from->latency_max;
}

/**
 * memlat_counts_raws_merge - add the raw words of one kind of core
 * @to: the sum
 * @from: counts that no CPU writes
 * @raws: memlat_source_raws()
 *
 * A program has a handful of different words, so most counts are 0 and are skipped.
 */
void memlat_counts_raws_merge(u64 *to, const u64 *from, unsigned int raws)
{
	unsigned int i, j;

	for (i = 0; i < raws; i += 4) {
		if (!(from[i] | from[i + 1] | from[i + 2] | from[i + 3]))
			continue;
		for (j = i; j < i + 4; j++)
			to[j] += from[j];
	}
}

/**
 * memlat_core_counts_add - add the counts of a CPU to those of its kind of core
 * @to: the sum of the kind
 * @from: the CPU's counts, which it does not write meanwhile
 * @raws: memlat_source_raws() of the kind
 */
void memlat_core_counts_add(struct memlat_core_counts *to, const struct memlat_counts *from,
			    unsigned int raws)
{
	to->loads += from->count[MEMLAT_COUNT_LOADS];
	to->stores += from->count[MEMLAT_COUNT_STORES];
	memlat_counts_raws_merge(to->raw, from->raw, raws);
}

/**
 * memlat_core_counts_merge - add counts of the same kind of core
 * @to: the sum
 * @from: the counts
 * @raws: memlat_source_raws() of the kind
 */
void memlat_core_counts_merge(struct memlat_core_counts *to,
			      const struct memlat_core_counts *from, unsigned int raws)
{
	to->loads += from->loads;
	to->stores += from->stores;
	if (from->loads)
		memlat_counts_raws_merge(to->raw, from->raw, raws);
}

static u64 sum_of(const u64 latency[MEMLAT_SRC_NR])
{
	unsigned int i;
	u64 sum = 0;

	for (i = 0; i < MEMLAT_SRC_NR; i++)
		sum += latency[i];
	return sum;
}

/**
 * memlat_counts_cache_latency - sum of the cache latencies of all loads
 * @counts: the counts
 */
u64 memlat_counts_cache_latency(const struct memlat_counts *counts)
{
	return sum_of(counts->cache_latency);
}

/**
 * memlat_counts_use_latency - sum of the use latencies of all loads
 * @counts: the counts
 */
u64 memlat_counts_use_latency(const struct memlat_counts *counts)
{
	return sum_of(counts->use_latency);
}
