/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A drain's way through a buffer: from records to counts and cells.
 */
#ifndef MEMLAT_CORE_WALK_H
#define MEMLAT_CORE_WALK_H

#include "record.h"
#include "shard.h"

/**
 * struct memlat_flow - one kind of event: loads, or stores
 * @period: events that a record stands for
 * @carry: further events that the next record stands for; cleared when it comes
 * @samples: how many came; added to
 */
struct memlat_flow {
	u64 period;
	u64 carry;
	u64 samples;
};

/**
 * struct memlat_walk - a drain
 * @layout: of the records
 * @sources: how this kind of core writes the source
 * @counters: which counters make which records
 * @counts: of this CPU; all is added to them but the records themselves
 * @shard: of this CPU
 * @loads: see there
 * @stores: likewise
 * @tgid: process whose records they are
 * @tid: thread
 * @gen: generation of the process
 * @phys: tells the physical line of an address; NULL: not asked for
 * @steps: of this CPU, for a burst of loads; NULL: it is none
 * @stack: tells the call chain of a sample, 0: none; NULL: not asked for
 * @context: for @stack
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
