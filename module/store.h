/* SPDX-License-Identifier: GPL-2.0 */
#ifndef MEMLAT_STORE_H
#define MEMLAT_STORE_H

#include <linux/sizes.h>
#include <uapi/linux/memlat.h>

#include "core/counts.h"
#include "core/table.h"

struct memlat_copy;

#define MEMLAT_MEMORY_MIN	((u64)SZ_1M)
#define MEMLAT_MEMORY_DEFAULT	((u64)SZ_64M)

/**
 * struct memlat_store_setup - what a session wants of its store
 * @max_memory: most bytes that the store may use
 * @call_graph: samples have call chains
 * @stride: samples have steps; never with @call_graph
 */
struct memlat_store_setup {
	u64 max_memory;
	bool call_graph;
	bool stride;
};

/**
 * struct memlat_totals - what was counted since start or reset
 * @sum: the exact counts of all CPUs, without raw words; STACKS_LOST includes stacks for which
 *	the store's own table had no room
 * @lines: figures of the table of lines; @evicted includes CELLS_LOST
 * @sites: the same for sites
 * @accesses: the same for accesses
 * @threads: the same for threads
 * @stacks: call chains; @evicted are the samples in STACKS_LOST
 * @strides: steps; @evicted are pairs, and includes PAIRS_LOST
 * @bytes: memory of the store
 * @max_memory: its bound
 * @merges: shards merged
 * @merged_ns: CLOCK_MONOTONIC of the last merge, 0: none yet
 *
 * In a snapshot, counts and tables describe one moment and balance exactly. In the result of
 * memlat_store_totals(), the counts are current and the tables are as of the last merge.
 */
struct memlat_totals {
	struct memlat_counts sum;
	struct memlat_figures lines;
	struct memlat_figures sites;
	struct memlat_figures accesses;
	struct memlat_figures threads;
	struct memlat_figures stacks;
	struct memlat_figures strides;
	u64 bytes;
	u64 max_memory;
	u64 merges;
	u64 merged_ns;
};

u64 memlat_store_memory_max(void);
size_t memlat_store_cpu_memory(void);
int memlat_store_start(const struct memlat_store_setup *setup);
void memlat_store_unwatch(void);
int memlat_store_init(void);
void memlat_store_exit(void);
int memlat_store_cpu_prepare(int cpu);
void memlat_store_cpus_free(void);
void memlat_store_reset(void);
void memlat_store_totals(struct memlat_totals *totals);
unsigned int memlat_store_top(struct memlat_rec_line *to, unsigned int max);

struct memlat_copy *memlat_store_snapshot(struct memlat_totals *totals,
					  struct memlat_core_counts *core, u32 wanted, u32 head,
					  u32 tail);

#endif /* MEMLAT_STORE_H */
