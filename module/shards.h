/* SPDX-License-Identifier: GPL-2.0 */
#ifndef MEMLAT_SHARDS_H
#define MEMLAT_SHARDS_H

#include "core/shard.h"

size_t memlat_shards_cpu_bytes(bool call_graph, bool stride);
int memlat_shards_init(void);
void memlat_shards_exit(void);
int memlat_shards_alloc(int cpu, bool call_graph, bool stride);
void memlat_shards_free_all(void);

bool memlat_shards_due(int cpu);
struct memlat_shard *memlat_shards_take(int cpu);
void memlat_shards_round(void);
void memlat_shards_round_sum(struct memlat_counts *sum, struct memlat_core_counts *core);
void memlat_shards_round_forget(void);

void memlat_shards_count(struct memlat_counts *sum);
void memlat_shards_forget(void);

#endif /* MEMLAT_SHARDS_H */
