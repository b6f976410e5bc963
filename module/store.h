/* SPDX-License-Identifier: GPL-2.0 */
#ifndef MEMLAT_STORE_H
#define MEMLAT_STORE_H

#include <linux/sizes.h>
#include <uapi/linux/memlat.h>

#include "core/shard.h"

#define MEMLAT_MEMORY_MIN	((u64)SZ_1M)
#define MEMLAT_MEMORY_DEFAULT	((u64)SZ_64M)

/**
 * struct memlat_totals - what all shards counted, merged
 * @count: by enum memlat_count
 * @latency_max: largest latency, cycles
 * @latency: sum of latencies by source, cycles
 * @bucket: samples by latency and source
 * @raw: samples by raw source word
 * @merges: shards merged
 * @lines: lines in the table
 * @bytes: memory of the tables
 * @max_memory: its bound
 */
struct memlat_totals {
	u64 count[MEMLAT_COUNT_NR];
	u64 latency_max;
	u64 latency[MEMLAT_SRC_NR];
	u64 bucket[MEMLAT_BUCKETS][MEMLAT_SRC_NR];
	u64 raw[256];
	u64 merges;
	u64 lines;
	u64 bytes;
	u64 max_memory;
};

u64 memlat_store_memory_max(void);
int memlat_store_start(u64 max_memory);
void memlat_store_watch(void);
void memlat_store_unwatch(void);
void memlat_store_free(void);
int memlat_store_cpu_prepare(int cpu);
void memlat_store_cpus_free(void);
void memlat_store_reset(void);
void memlat_store_totals(struct memlat_totals *totals);

void *memlat_store_snapshot(struct memlat_totals *totals, size_t head, size_t tail);

#endif /* MEMLAT_STORE_H */
