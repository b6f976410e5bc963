/* SPDX-License-Identifier: GPL-2.0 */
#ifndef MEMLAT_CORE_THREADS_H
#define MEMLAT_CORE_THREADS_H

#include "origin.h"
#include "table.h"

extern const struct memlat_table_kind memlat_threads_kind;

/**
 * struct memlat_thread_sum - sum of successive cells of one thread
 * @cell: one of the cells; NULL: none yet
 * @samples: loads and stores sampled
 * @weight: loads and stores that these stand for
 * @cost: latency times weight of the loads, core cycles
 * @latency_sum: sum of the loads' latencies, core cycles
 * @stores: the part of @samples that are stores
 * @hitm: the part of @samples that found the line modified in another core's cache
 */
struct memlat_thread_sum {
	const struct memlat_cell *cell;
	u64 samples;
	u64 weight;
	u64 cost;
	u64 latency_sum;
	u64 stores;
	u64 hitm;
};

static inline bool memlat_thread_sum_is(const struct memlat_thread_sum *sum,
					const struct memlat_cell *cell)
{
	return sum->cell && sum->cell->tid == cell->tid && sum->cell->gen == cell->gen &&
	       sum->cell->tgid == cell->tgid;
}

void memlat_thread_sum_add(struct memlat_thread_sum *sum, const struct memlat_cell *cell,
			   u64 cost);
void memlat_threads_add(struct memlat_table *threads, const struct memlat_thread_sum *sum,
			const struct memlat_origin *origin);

#endif /* MEMLAT_CORE_THREADS_H */
