/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What this folder offers the files of module/.
 */
#ifndef MEMLAT_HW_PMU_H
#define MEMLAT_HW_PMU_H

#include <linux/atomic.h>
#include <linux/gfp.h>
#include <linux/irq_work.h>
#include <linux/mm_types.h>
#include <linux/percpu.h>
#include <linux/types.h>
#include <asm/intel_ds.h>
#include <uapi/linux/memlat.h>

#include "../core/counts.h"
#include "../core/shard.h"
#include "who.h"

struct memlat_core;
struct memlat_count_cpu;
struct memlat_cpu;
struct memlat_phase;
struct memlat_plan;
struct memlat_plan_setup;
struct memlat_source_table;
struct perf_event;

/*
 * For all allocations whose size depends on the session, on the number of CPUs or on the number of
 * readers. The kernel reclaims what it can, and then the allocation fails: it never calls
 * the OOM killer, and prints nothing. kvmalloc() passes both flags on to vmalloc().
 */
#define MEMLAT_GFP	(GFP_KERNEL | __GFP_RETRY_MAYFAIL | __GFP_NOWARN)

/*
 * The CPU budget: choose periods that keep memlat's own work at a share of each CPU's busy cycles.
 * Without a budget none of this runs, and no counter counts for it.
 */

/* What is sampled; the index of arrays for both. */
enum memlat_kind {
	MEMLAT_KIND_LOADS,
	MEMLAT_KIND_STORES,
	MEMLAT_KINDS
};

/**
 * struct memlat_rate - one kind of event on one CPU
 * @period: present events per record, except during a burst (memlat_period())
 * @carry: events counted towards periods that were abandoned; the next sample also stands for them
 * @low: shortest period since start or reset; U64_MAX: none was used
 * @high: longest period since start or reset; 0: none was used
 * @partial: events counted towards @period at the last evaluation, less the loads of bursts since
 * @records: samples of that period since the last evaluation
 * @events: events in the decaying window of &memlat_budget.rate_busy
 */
struct memlat_rate {
	u64 period;
	u64 carry;
	u64 low;
	u64 high;
	u64 partial;
	u64 records;
	u64 events;
};

/**
 * struct memlat_budget - what memlat spends on one CPU, in its core cycles
 * @due: jiffies of the next evaluation
 * @hooks: task switches since the last evaluation that found nothing to do
 * @kicks: merges that were asked for since the last evaluation
 * @last: the cycle counter when busy cycles were last added up
 * @busy: busy cycles
 * @own: the part of @busy that memlat used
 * @sampled: the part of @busy in which a task ran that is to be sampled
 * @busy_zero: @busy at the last reset
 * @own_zero: @own at the last reset
 * @sampled_zero: @sampled at the last reset
 * @window: busy cycles since the last evaluation
 * @records: records since the last evaluation
 * @spent: cycles that these records cost
 * @other: cycles that memlat used for other work since the last evaluation
 * @rate_busy: busy cycles in a window that decays fast, for the rates of events
 * @share_busy: busy cycles in a window that decays slowly
 * @share_other: memlat's cycles in that window that were not for records
 * @cost: cycles that records cost, in a sum that decays slowly
 * @cost_records: number of records in @cost, in 256ths
 * @each: the estimated cost of a record, from these two, in cycles
 * @debt: cycles spent above the budget, negative if below; bounded
 * @charged: cycles that other CPUs spent on this CPU's records, not yet added
 */
struct memlat_budget {
	unsigned long due;
	u32 hooks;
	u32 kicks;
	u64 last;
	u64 busy;
	u64 own;
	u64 sampled;
	u64 busy_zero;
	u64 own_zero;
	u64 sampled_zero;
	u64 window;
	u64 records;
	u64 spent;
	u64 other;
	u64 rate_busy;
	u64 share_busy;
	u64 share_other;
	u64 cost;
	u64 cost_records;
	u64 each;
	s64 debt;
	atomic64_t charged;
};

/**
 * struct memlat_budget_figures - sums and extremes of all CPUs, since start or reset
 * @busy: unhalted core cycles of armed CPUs; 0 without a budget
 * @own: the part of @busy that memlat used
 * @sampled: the part of @busy in which a task ran that is to be sampled
 * @period_low: shortest period of loads that a CPU used
 * @period_high: longest period of loads that a CPU used
 * @store_low: shortest period of stores; 0 if none are sampled
 * @store_high: longest period of stores
 * @guest_entries: VM entries
 * @guest_ns: time that guests ran, of all CPUs together
 * @guest_cpus: CPUs on which guests ran more than half of the time
 */
struct memlat_budget_figures {
	u64 guest_entries;
	u64 guest_ns;
	u32 guest_cpus;
	u64 busy;
	u64 own;
	u64 sampled;
	u64 period_low;
	u64 period_high;
	u64 store_low;
	u64 store_high;
};

/*
 * For work that is not a drain: charge the difference of two memlat_budget_now() on one CPU
 * (without migration) to the CPU that the work was for. Without a budget memlat_budget_now()
 * returns 0, and memlat_budget_charge() does nothing.
 */
bool memlat_budget_is_on(void);
u64 memlat_budget_now(void);
void memlat_budget_charge(int cpu, u64 cycles);

/*
 * The first is called while no CPU is armed, the others on the CPU itself with counters paused and
 * buffer empty.
 */
void memlat_budget_setup(void);
void memlat_budget_arm(struct memlat_cpu *c);
void memlat_budget_disarm(struct memlat_cpu *c);
void memlat_budget_spent(struct memlat_cpu *c, u64 since, u32 unseen, unsigned int records);

void memlat_budget_sum(struct memlat_budget_figures *to, u64 ns);
void memlat_budget_reset(void);

/*
 * The kinds of cores of this machine. memlat_cores_init() finds them; then they are constant.
 */

/* No part has more than three. */
#define MEMLAT_CORES_MAX	8

/**
 * struct memlat_core_info - one kind of core of this machine
 * @name: as in struct memlat_cpu_model
 * @title: as in struct memlat_cpu_model
 * @family: CPUID display family
 * @model: CPUID display model
 * @stepping: CPUID stepping
 * @format: PEBS format
 * @record_size: bytes of a record
 * @traits: MEMLAT_TRAIT_*
 * @sources: data source encoding
 */
struct memlat_core_info {
	const char *name;
	const char *title;
	u8 family;
	u8 model;
	u8 stepping;
	u8 format;
	u16 record_size;
	u32 traits;
	const struct memlat_source_table *sources;
};

int memlat_cores_init(void);
void memlat_cores_exit(void);
unsigned int memlat_cores_nr(void);
const struct memlat_core_info *memlat_cores_info(unsigned int i);
const char *memlat_cores_model(void);
unsigned int memlat_cores_raws(unsigned int i);
unsigned int memlat_cores_of(int cpu);
bool memlat_cores_cpu_is(int cpu, unsigned int i);
bool memlat_cores_cpu_online(void);
u32 memlat_cores_traits(void);

bool memlat_cores_have_stores(void);
bool memlat_cores_have_strides(void);
u64 memlat_core_period_floor(const struct memlat_core *core, unsigned int kind);
u64 memlat_cores_period_floor(unsigned int kind);
u64 memlat_cores_period_max(void);

#define MEMLAT_BUFFER_PAGES	(PEBS_BUFFER_SIZE / PAGE_SIZE)

/* The most events that are counted beside sampling, each by a general counter. */
#define MEMLAT_BESIDE		5

/* The most general counters that memlat uses: for loads, stores, the auxiliary event, and those. */
#define MEMLAT_SLOTS		(3 + MEMLAT_BESIDE)

/**
 * struct memlat_saved - registers as they were found, to be put back
 * @global_ctrl: IA32_PERF_GLOBAL_CTRL
 * @pebs_enable: IA32_PEBS_ENABLE
 * @ds_area: IA32_DS_AREA
 * @ds_max: pebs_absolute_maximum of the DS area
 * @ds_threshold: pebs_interrupt_threshold of the DS area
 * @ld_lat: MSR_PEBS_LD_LAT_THRESHOLD, core cycles
 * @data_cfg: MSR_PEBS_DATA_CFG
 * @pebs_base: IA32_PEBS_BASE, where there is architectural PEBS
 * @pebs_index: IA32_PEBS_INDEX, likewise
 * @cfg_c: IA32_PMC_GPn_CFG_C of memlat's general counters, likewise
 * @cfg_c_fixed: IA32_PMC_FXn_CFG_C of fixed counters 0 and 1, likewise
 * @fixed_ctrl: IA32_FIXED_CTR_CTRL
 * @cycles: fixed counter 1, core cycles
 * @instructions: fixed counter 0, instructions
 * @evtsel: IA32_PERFEVTSELx of memlat's general counters
 * @pmc: these counters
 * @freeze: DEBUGCTL's bit that stops all counters at each PMI
 * @enabled: bits of general counters whose event select was enabled, without counting
 * @lvtpc: the local APIC's entry for performance counters
 */
struct memlat_saved {
	u64 global_ctrl;
	u64 pebs_enable;
	u64 ds_area;
	u64 ds_max;
	u64 ds_threshold;
	u64 ld_lat;
	u64 data_cfg;
	u64 pebs_base;
	u64 pebs_index;
	u64 cfg_c[MEMLAT_SLOTS];
	u64 cfg_c_fixed[2];
	u64 fixed_ctrl;
	u64 cycles;
	u64 instructions;
	u64 evtsel[MEMLAT_SLOTS];
	u64 pmc[MEMLAT_SLOTS];
	u64 freeze;
	u64 enabled;
	u32 lvtpc;
};

/**
 * struct memlat_turn - the turns of loads and stores
 * @due: jiffies of the next change
 * @since: the cycle counter when this turn began
 * @sum: cycles of each kind's turns
 * @zero: @sum at the last reset
 * @counter: value of the counter of the kind that waits for its turn
 */
struct memlat_turn {
	unsigned long due;
	u64 since;
	u64 sum[MEMLAT_KINDS];
	u64 zero[MEMLAT_KINDS];
	u64 counter[MEMLAT_KINDS];
};

/**
 * struct memlat_still - whether the counters stand still
 * @due: jiffies of the next check
 * @last: sum of the counters at the last check
 * @cycles: the cycle counter when they last moved
 * @checks: checks in a row, during sampled tasks, that found the same sum
 * @moved: there were records since the last check
 * @stands: the counters stand still
 */
struct memlat_still {
	unsigned long due;
	u64 last;
	u64 cycles;
	u8 checks;
	bool moved;
	bool stands;
};

/**
 * struct memlat_guest - the guests that ran on this CPU
 * @since: monotonic clock when the CPU paused for the guest that it runs; 0: it runs none
 * @entries: VM entries
 * @ns: time from entries to exits, nanoseconds
 * @entries_zero: @entries at the last reset
 * @ns_zero: @ns at the last reset
 */
struct memlat_guest {
	u64 since;
	u64 entries;
	u64 ns;
	u64 entries_zero;
	u64 ns_zero;
};

/**
 * struct memlat_cpu - everything that the sampling of one CPU needs
 * @armed: memlat uses this CPU's PMU
 * @draining: a drain is under way, so a PMI must not touch the buffer
 * @wanted: the task that runs here is to be sampled
 * @paused: armed, but nothing counts, because a guest runs here
 * @unsettled: disarmed, but a record or a PMI may still arrive: IA32_DS_AREA (or IA32_PEBS_BASE)
 *	and LVTPC are not put back yet
 * @ack_due: a PMI arrived during a drain and left LVTPC masked; the drain has to unmask it after
 *	the counters run again
 * @turns: loads and stores take turns here
 * @changed: the turn, a period or the burst changed, perhaps in a PMI; cleared by a check before it
 *	reads registers
 * @burst: period of the burst that records belong to (burst.c); 0: there is no burst
 * @burst_last: period of the last burst
 * @ldlat_left: the shared PEBS_LD_LAT_THRESHOLD is put back when the sibling disarms
 * @core: kind of core; NULL: memlat does not know it
 * @plan: how it is programmed
 * @phase: the present phase of @plan
 * @hold: perf's counter that keeps other events of perf's off this CPU (pmu_own.c); NULL: none
 * @index: architectural PEBS: IA32_PEBS_INDEX while the buffer is empty
 * @ds: DS area, at its address in the CPU entry area; not with architectural PEBS
 * @base: address of the first record in the CPU entry area; with architectural PEBS, physical
 * @max: end of the last whole record
 * @records: the same memory as @base, to read and clear
 * @active: the shard that this CPU writes; an interrupt on this CPU swaps it, so never in the
 *	middle of a drain
 * @counts: the exact counts that this CPU writes; next to @active, because one instruction swaps
 *	both (module/shards.c)
 * @kick: tells the store that @active has its first samples, or has to be merged
 * @burst_records: samples of bursts that the budget does not know yet
 * @rate: rate of each kind
 * @budget: this CPU's budget
 * @turn: turns of loads and stores
 * @still: whether the counters stand still
 * @guest: guests that ran here
 * @shard: both shards
 * @counts_pair: both sets of counts
 * @saved: registers as they were found
 * @vfork_parent: of the task that runs here, if that is in its memory
 * @left: the thread that late records belong to, while @unsettled
 * @foreign_msr: a register that someone else wrote; 0: none
 * @foreign: the value of that register
 * @pages: memory of the record buffer
 * @pte: page table entry of its first page in the CPU entry area; NULL: not mapped there
 * @old_pte: page table entries of the CPU entry area before the buffer was mapped
 *
 * The members that a PMI accesses come first.
 */
struct memlat_cpu {
	bool armed;
	bool draining;
	bool wanted;
	bool paused;
	bool unsettled;
	bool ack_due;
	bool turns;
	bool changed;
	bool ldlat_left;
	u8 burst;
	u8 burst_last;
	const struct memlat_core *core;
	const struct memlat_plan *plan;
	const struct memlat_phase *phase;
	struct perf_event *hold;
	u64 index;
	struct debug_store *ds;
	u64 base;
	u64 max;
	u8 *records;
	struct memlat_shard *active __aligned(16);
	struct memlat_counts *counts;
	struct irq_work kick;
	u32 burst_records;
	struct memlat_rate rate[MEMLAT_KINDS];
	struct memlat_budget budget;
	struct memlat_turn turn;
	struct memlat_still still;
	struct memlat_guest guest;
	struct memlat_shard *shard[2];
	struct memlat_counts *counts_pair[2];
	struct memlat_saved saved;
	struct memlat_vfork_parent vfork_parent;
	struct memlat_who left;
	u32 foreign_msr;
	u64 foreign;
	struct page *pages;
	pte_t *pte;
	pte_t old_pte[MEMLAT_BUFFER_PAGES];
} ____cacheline_aligned;

/*
 * Allocated in cores.c, for as long as the module is loaded. All modules of a kernel share a few KB
 * for variables of each CPU, so what is large is not one of these.
 */
extern struct memlat_cpu __percpu *memlat_cpu;

/*
 * Allocate the buffer of a CPU, whose kind must be known, and free the buffers of all CPUs. The
 * first runs on any CPU; both may sleep.
 */
int memlat_buffer_map(struct memlat_cpu *c, int cpu);
void memlat_buffer_unmap_all(void);

/*
 * Counting events instead of sampling (MEMLAT_F_COUNT).
 */

/* count.c */
bool memlat_count_is_on(void);
bool memlat_count_cpu_is_on(int cpu);
void memlat_count_setup(const struct memlat_plan_setup *setup);
void memlat_count_reset(void);
size_t memlat_count_bytes(void);
size_t memlat_count_put(struct memlat_rec_count *rec);

/*
 * Called on the CPU itself with interrupts off. All but the first do nothing on a CPU that does not
 * count.
 */
void memlat_count_arm(struct memlat_cpu *c, bool wanted);
void memlat_count_disarm(void);
void memlat_count_switch(bool wanted);
void memlat_count_check(void);
void memlat_count_turn(void);

/* plan.c */

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

/* arm.c */

/* Called on the CPU itself with interrupts off. The CPU need not be armed to be disarmed. */
void memlat_arm(struct memlat_cpu *c, bool wanted);
void memlat_disarm(struct memlat_cpu *c);
void memlat_arm_pause(struct memlat_cpu *c);
void memlat_arm_resume(struct memlat_cpu *c);
void memlat_arm_abort(struct memlat_cpu *c, u32 end);

/*
 * Called after disarming, before anything is freed or given back; may sleep. The first is for a CPU
 * that goes offline: its hotplug callback calls it on that CPU, right after memlat_disarm(). The
 * second is for all CPUs that are online.
 */
void memlat_arm_settle_cpu(void);
void memlat_arm_settle(void);

/* guard.c */

/* Called on the CPU itself with interrupts off; the first and the third also in an NMI. */
bool memlat_guard_differs(struct memlat_cpu *c, u32 msr, u64 mask, u64 want);
bool memlat_guard_count_differs(struct memlat_cpu *c, const struct memlat_count_cpu *n);
u32 memlat_guard_trouble(struct memlat_cpu *c, u64 ctrl);
u32 memlat_guard_trouble_all(struct memlat_cpu *c);

/* What the functions above found, since the last memlat_guard_setup(); can be called anywhere. */
void memlat_guard_setup(void);
bool memlat_guard_found(unsigned int *cpu, u32 *msr, u64 *value);

/* still.c */

/* CPUs that are armed and busy, but whose counters stand still. */
void memlat_still_setup(void);
bool memlat_still_check(void);
void memlat_still_warn(void);
unsigned int memlat_still_cpus(void);

/* turn.c; the others are in hw.h */

/* The turns of loads and stores, summed over all CPUs. */
void memlat_turn_sum(u64 *loads, u64 *stores);
void memlat_turn_reset(void);

/* pmu_own.c; the others are in hw.h */
int memlat_hold_cpu(unsigned int cpu);
void memlat_hold_release(unsigned int cpu);

void memlat_pmu_reserve_init(unsigned int counters);
int memlat_pmu_reserve(const char *guests, bool no_guests, bool *vmx, u32 *why);
void memlat_pmu_release(void);

/* pmu.c */
int memlat_pmu_register_nmi(void);
void memlat_pmu_unregister_nmi(void);

/* Called on the CPU itself with interrupts off. */
void memlat_pmu_switch(bool wanted);
void memlat_pmu_note_vfork(const struct task_struct *task);
void memlat_pmu_flush(void);
void memlat_pmu_check(void);
bool memlat_pmu_guest_entry(void);
void memlat_pmu_guest_exit(void);
void memlat_pmu_crash(void);
void memlat_pmu_watch_vmx(bool on);
void memlat_pmu_count(void);

/* Called by the timer of turns. */
void memlat_pmu_turn(void);

/* prefetch.c */
u32 memlat_hw_prefetch_known(int cpu);
bool memlat_hw_prefetch_share(int a, int b);

/* Called on the CPU itself. */
bool memlat_hw_prefetch_cpu_online(void);
void memlat_hw_prefetch_identify(void *info);
int memlat_hw_prefetch_read(u32 *off);
int memlat_hw_prefetch_change(u8 want, u8 *held, u8 *lost);

#endif /* MEMLAT_HW_PMU_H */
