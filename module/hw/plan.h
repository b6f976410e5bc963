/* SPDX-License-Identifier: GPL-2.0 */
#ifndef MEMLAT_HW_PLAN_H
#define MEMLAT_HW_PLAN_H

#include <linux/types.h>

struct memlat_core;

/**
 * struct memlat_plan_setup - what the PMU is to sample
 * @ldlat: threshold, core cycles
 * @period: qualifying loads per record; where it begins, with @max_overhead
 * @store_period: stores per record, likewise
 * @loads: sample loads; at least one of @loads, @stores and @counts
 * @stores: sample stores; only when memlat_cores_have_stores()
 * @counts: count events, and sample nothing
 * @beside: count events beside what is sampled
 * @user: what user mode does
 * @kernel: what kernel mode does
 * @call_graph: a PMI for each record, which takes the call chain
 * @stride: each record begins a burst of loads; only with @loads alone
 * @phys: look up physical lines
 * @vmx_watch: end when CR4.VMXE is set: it is not, and nobody stated that no guest runs
 * @max_overhead: hundredths of a percent of busy cycles; 0: periods are fixed
 * @trouble: told an enum memlat_end when sampling had to end on a CPU; that CPU
 *	is disarmed already. In NMI, or with interrupts off; maybe on several
 *	CPUs at once
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
	bool vmx_watch;
	u32 max_overhead;
	void (*trouble)(u32 end);
};

void memlat_plan_setup(const struct memlat_plan_setup *setup);
bool memlat_plan_takes_turns(void);
u64 memlat_plan_frozen(const struct memlat_core *core);

#endif /* MEMLAT_HW_PLAN_H */
