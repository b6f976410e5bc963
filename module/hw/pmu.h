/* SPDX-License-Identifier: GPL-2.0 */
#ifndef MEMLAT_HW_PMU_H
#define MEMLAT_HW_PMU_H

#include <linux/types.h>

#include "cpu.h"
#include "cpu_model.h"

/**
 * struct memlat_pmu_setup - what the PMU is to sample
 * @ldlat: threshold, core cycles
 * @period: qualifying loads per record; where it begins, with @max_overhead
 * @store_period: stores per record, likewise
 * @loads: sample loads; at least one of @loads and @stores
 * @stores: sample stores; only when memlat_pmu_has_stores()
 * @user: what user mode does
 * @kernel: what kernel mode does
 * @call_graph: a PMI for each record, which takes the call chain
 * @phys: look up physical lines
 * @no_guests: the caller states that no guest runs: leave CR4.VMXE unwatched
 * @max_overhead: hundredths of a percent of busy cycles; 0: periods are fixed
 * @trouble: told an enum memlat_end when sampling had to end on a CPU; that CPU
 *	is disarmed already. In NMI, or with interrupts off; maybe on several
 *	CPUs at once
 */
struct memlat_pmu_setup {
	u32 ldlat;
	u64 period;
	u64 store_period;
	bool loads;
	bool stores;
	bool user;
	bool kernel;
	bool call_graph;
	bool phys;
	bool no_guests;
	u32 max_overhead;
	void (*trouble)(u32 end);
};

void memlat_pmu_init(const struct memlat_cpu_model *m, const struct memlat_cpu_caps *c);
bool memlat_pmu_has_stores(void);
u64 memlat_pmu_period_floor(void);
u64 memlat_pmu_period_max(void);

void memlat_pmu_setup(const struct memlat_pmu_setup *setup);
int memlat_pmu_listen(void);
void memlat_pmu_unlisten(void);

/* Interrupts off, on the CPU itself. Disarming one that is not armed is fine. */
void memlat_pmu_arm(struct memlat_cpu *c, bool wanted);
void memlat_pmu_disarm(struct memlat_cpu *c);
void memlat_pmu_switch(bool wanted);
void memlat_pmu_flush(void);
void memlat_pmu_check(void);
bool memlat_pmu_foreign(unsigned int *cpu, u32 *msr, u64 *value);

/*
 * After disarming, before anything is freed or given back: may sleep. The first
 * is for a CPU that goes offline, from its hotplug callback on that CPU, right
 * after memlat_pmu_disarm(); the second for all that are online.
 */
void memlat_pmu_settle_cpu(void);
void memlat_pmu_settle(void);

#endif /* MEMLAT_HW_PMU_H */
