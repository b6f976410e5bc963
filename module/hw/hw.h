/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the files of this room share: the CPU's row and the values that its
 * registers get. Nobody outside includes it.
 */
#ifndef MEMLAT_HW_HW_H
#define MEMLAT_HW_HW_H

#include <linux/jiffies.h>
#include <asm/apic.h>

#include "cpu.h"
#include "cpu_model.h"
#include "msr.h"

/**
 * struct memlat_event - how one kind of event is counted
 * @on: it is
 * @counter: by this general counter
 * @msr: which is reached there
 * @evtsel: its event select
 * @pebs: its bits in IA32_PEBS_ENABLE
 */
struct memlat_event {
	bool on;
	u8 counter;
	u32 msr;
	u64 evtsel;
	u64 pebs;
};

/**
 * struct memlat_hw - set while no CPU is armed, read by all that are
 * @model: this CPU's row
 * @caps: what it can do
 * @event: of each kind
 * @counters: the same for those who decode
 * @run: GLOBAL_CTRL while a task is sampled
 * @idle: the same while none is, and while memlat works
 * @pebs_enable: IA32_PEBS_ENABLE
 * @ours: bits of GLOBAL_STATUS that can only be memlat's
 * @mask: bits of a general counter
 * @cycles_mask: bits of the cycle counter
 * @ldlat: PEBS_LD_LAT_THRESHOLD
 * @period: events per record; where the budget begins
 * @budget: periods move
 * @call_graph: a PMI for each record
 * @phys: look up physical lines
 * @vmx_watch: end when CR4.VMXE shows
 * @max_overhead: hundredths of a percent of busy cycles
 * @trouble: see struct memlat_pmu_setup
 */
struct memlat_hw {
	const struct memlat_cpu_model *model;
	struct memlat_cpu_caps caps;
	struct memlat_event event[MEMLAT_KINDS];
	struct memlat_record_counters counters;
	u64 run;
	u64 idle;
	u64 pebs_enable;
	u64 ours;
	u64 mask;
	u64 cycles_mask;
	u64 ldlat;
	u64 period[MEMLAT_KINDS];
	bool budget;
	bool call_graph;
	bool phys;
	bool vmx_watch;
	u32 max_overhead;
	void (*trouble)(u32 end);
};

extern struct memlat_hw memlat_hw;

/* The value that makes a counter overflow after so many events. */
static inline u64 memlat_reload(u64 period)
{
	return -period & memlat_hw.mask;
}

/* Core cycles that this CPU was busy; counts while it is armed with a budget. */
static inline u64 memlat_cycles(void)
{
	return memlat_rdpmc(MEMLAT_PMC_CYCLES);
}

static inline void memlat_counters_pause(void)
{
	native_wrmsrq(MSR_CORE_PERF_GLOBAL_CTRL, memlat_hw.idle);
}

static inline void memlat_counters_run(const struct memlat_cpu *c)
{
	native_wrmsrq(MSR_CORE_PERF_GLOBAL_CTRL, c->wanted ? memlat_hw.run : memlat_hw.idle);
}

static inline void memlat_lvtpc_write(u32 v)
{
	/* apic_write() is a static call that modules cannot link on 7.2. */
	apic->write(APIC_LVTPC, v);
}

/* arm.c */
bool memlat_pmu_is_foreign(struct memlat_cpu *c, u32 msr, u64 mask, u64 want);
u32 memlat_pmu_trouble(struct memlat_cpu *c);
void memlat_pmu_give_up(struct memlat_cpu *c, u32 end);

/* budget.c; counters paused, buffer empty */
void memlat_budget_setup(void);
void memlat_budget_arm(struct memlat_cpu *c);
void memlat_budget_disarm(struct memlat_cpu *c);
void memlat_budget_spent(struct memlat_cpu *c, u64 since, u32 unseen, unsigned int records);

/* Is an evaluation due? For those who have nothing else to do. */
static inline bool memlat_budget_due(const struct memlat_cpu *c)
{
	return memlat_hw.budget && time_after_eq(jiffies, c->budget.due);
}

#endif /* MEMLAT_HW_HW_H */
