// SPDX-License-Identifier: GPL-2.0
#include "bucket.h"
#include "counts.h"

/**
 * memlat_counts_add - count one sample exactly
 * @counts: of this CPU
 * @s: the sample, whole
 *
 * Runs in NMI.
 */
void memlat_counts_add(struct memlat_counts *counts, const struct memlat_sample *s)
{
	struct memlat_tally *tally;

	counts->count[MEMLAT_COUNT_SAMPLES]++;
	if (s->store) {
		counts->count[MEMLAT_COUNT_STORES]++;
		counts->count[MEMLAT_COUNT_WEIGHT_STORES] += s->weight;
		return;
	}
	counts->count[MEMLAT_COUNT_LOADS]++;
	counts->count[MEMLAT_COUNT_WEIGHT_LOADS] += s->weight;
	counts->count[MEMLAT_COUNT_LATENCY_SUM] += s->latency;
	if (s->latency > counts->latency_max)
		counts->latency_max = s->latency;
	counts->latency[s->source] += s->latency;
	tally = &counts->bucket[memlat_bucket_of(s->latency)][s->source];
	tally->samples++;
	tally->weight += s->weight;
	counts->raw[s->raw]++;
}

/**
 * memlat_counts_merge - add up
 * @to: the sum
 * @from: counts that no CPU writes
 */
void memlat_counts_merge(struct memlat_counts *to, const struct memlat_counts *from)
{
	unsigned int i, j;

	for (i = 0; i < MEMLAT_COUNT_NR; i++)
		to->count[i] += from->count[i];
	if (from->latency_max > to->latency_max)
		to->latency_max = from->latency_max;
	for (i = 0; i < MEMLAT_SRC_NR; i++)
		to->latency[i] += from->latency[i];
	for (i = 0; i < MEMLAT_BUCKETS; i++) {
		for (j = 0; j < MEMLAT_SRC_NR; j++) {
			to->bucket[i][j].samples += from->bucket[i][j].samples;
			to->bucket[i][j].weight += from->bucket[i][j].weight;
		}
	}
	for (i = 0; i < 256; i++)
		to->raw[i] += from->raw[i];
}
