/* SPDX-License-Identifier: GPL-2.0 */
#ifndef MEMLAT_HW_PLAN_H
#define MEMLAT_HW_PLAN_H

#include <linux/types.h>

struct memlat_core;

/**
 * struct memlat_plan_setup - what the PMU is to sample or count
 * @ldlat: threshold in core cycles
 * @period: qualifying loads per record; with @max_overhead, at the start
 * @store_period: stores per record; with @max_overhead, at the start
 * @loads: sample loads; at least one of @loads, @stores and @counts
 * @stores: sample stores; only if memlat_cores_have_stores()
 * @counts: count events, and sample nothing
 * @beside: count events beside sampling
 * @user: sample or count in user mode
 * @kernel: sample or count in kernel mode
 * @call_graph: a PMI for each record, which records the call chain
 * @stride: each record begins a burst of loads; only if nothing but @loads is sampled
 * @phys: look up physical lines
 * @max_overhead: hundredths of a percent of busy cycles; 0: periods are fixed
 * @trouble: called with an enum memlat_end when sampling had to end on a CPU, which is already
 *	disarmed. Called in NMI or with interrupts off, perhaps on several CPUs at once
 */
struct memlat_plan_setup {
	u32 ldlat;
	u64 period;
	u64 store_period;
	bool loads;
	bool stores;
	bool counts;
	bool beside;
	bool user;
	bool kernel;
	bool call_graph;
	bool stride;
	bool phys;
	u32 max_overhead;
	void (*trouble)(u32 end);
};

void memlat_plan_setup(const struct memlat_plan_setup *setup);
bool memlat_plan_takes_turns(void);
u64 memlat_plan_frozen(const struct memlat_core *core);

#endif /* MEMLAT_HW_PLAN_H */
