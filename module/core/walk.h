/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A drain: turn the records of a buffer into counts and cells.
 */
#ifndef MEMLAT_CORE_WALK_H
#define MEMLAT_CORE_WALK_H

#include "record.h"
#include "shard.h"

/**
 * struct memlat_flow - one kind of event, loads or stores
 * @period: events that a record stands for
 * @carry: events that the next record stands for in addition; then cleared
 * @samples: incremented by the number of samples
 */
struct memlat_flow {
	u64 period;
	u64 carry;
	u64 samples;
};

/**
 * struct memlat_walk - a drain
 * @layout: layout of the records
 * @sources: how this kind of core writes the source
 * @counters: the counters that make the records
 * @counts: this CPU's counts; all but the number of records is added to them
 * @shard: this CPU's shard
 * @loads: flow of loads
 * @stores: flow of stores
 * @tgid: process that the records belong to
 * @tid: thread that the records belong to
 * @gen: generation of the process
 * @phys: returns the physical line of an address; NULL: not wanted
 * @steps: this CPU's steps, if the records are a burst of loads; else NULL
 * @stack: returns the call chain of a sample, 0: none; NULL: not wanted
 * @context: argument of @stack
 */
struct memlat_walk {
	const struct memlat_record_layout *layout;
	const struct memlat_source_table *sources;
	const struct memlat_record_counters *counters;
	struct memlat_counts *counts;
	struct memlat_shard *shard;
	struct memlat_flow loads;
	struct memlat_flow stores;
	u32 tgid;
	u32 tid;
	u32 gen;
	u64 (*phys)(u64 addr);
	struct memlat_steps *steps;
	u16 (*stack)(void *context, const struct memlat_walk *walk, u64 ip);
	void *context;
};

#endif /* MEMLAT_CORE_WALK_H */
