/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What one CPU counts exactly, whatever becomes of its tables: small, so that
 * a reader can have it at once without the tables being merged.
 */
#ifndef MEMLAT_CORE_COUNTS_H
#define MEMLAT_CORE_COUNTS_H

#include <uapi/linux/memlat.h>

#include "sample.h"

/**
 * enum memlat_count - the counters that drains and interrupts keep
 *
 * Names and meaning as in struct memlat_status.
 */
enum memlat_count {
	MEMLAT_COUNT_RECORDS,
	MEMLAT_COUNT_SAMPLES,
	MEMLAT_COUNT_LOADS,
	MEMLAT_COUNT_STORES,
	MEMLAT_COUNT_WEIGHT_LOADS,
	MEMLAT_COUNT_WEIGHT_STORES,
	MEMLAT_COUNT_FILTERED,
	MEMLAT_COUNT_MALFORMED,
	MEMLAT_COUNT_COLLISION,
	MEMLAT_COUNT_FULL_PMIS,
	MEMLAT_COUNT_CELLS_LOST,
	MEMLAT_COUNT_STACKS_LOST,
	MEMLAT_COUNT_PMIS,
	MEMLAT_COUNT_LATE_PMIS,
	MEMLAT_COUNT_SWITCH_DRAINS,
	MEMLAT_COUNT_LATENCY_SUM,
	MEMLAT_COUNT_NR
};

/**
 * struct memlat_tally - samples, and what they stand for
 */
struct memlat_tally {
	u64 samples;
	u64 weight;
};

/**
 * struct memlat_counts - the exact counts of one CPU
 * @count: by enum memlat_count
 * @latency_max: largest latency
 * @latency: sum of latencies by source
 * @bucket: loads by latency and source
 * @raw: loads by raw source word
 */
struct memlat_counts {
	u64 count[MEMLAT_COUNT_NR];
	u64 latency_max;
	u64 latency[MEMLAT_SRC_NR];
	struct memlat_tally bucket[MEMLAT_BUCKETS][MEMLAT_SRC_NR];
	u64 raw[256];
};

void memlat_counts_add(struct memlat_counts *counts, const struct memlat_sample *s);
void memlat_counts_merge(struct memlat_counts *to, const struct memlat_counts *from);

#endif /* MEMLAT_CORE_COUNTS_H */
