/* SPDX-License-Identifier: GPL-2.0 */
#ifndef MEMLAT_HW_CPU_H
#define MEMLAT_HW_CPU_H

#include <linux/irq_work.h>
#include <linux/mm_types.h>
#include <linux/percpu.h>
#include <asm/intel_ds.h>

#include "../core/counts.h"
#include "../core/shard.h"
#include "budget.h"
#include "who.h"

#define MEMLAT_BUFFER_PAGES	(PEBS_BUFFER_SIZE / PAGE_SIZE)

struct memlat_core;
struct perf_event;
struct memlat_phase;
struct memlat_plan;

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
 * @looks: checks in a row, during sampled tasks, that found the same sum
 * @moved: there were records since the last check
 * @stands: the counters stand still
 */
struct memlat_still {
	unsigned long due;
	u64 last;
	u64 cycles;
	u8 looks;
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
 * @ack_due: a PMI came during a drain and left LVTPC masked; the drain has to unmask it after the
 *	counters run again
 * @turns: loads and stores take turns here
 * @changed: the turn, a period or the burst changed, perhaps in a PMI; cleared by a check before it
 *	reads registers
 * @burst: period of the burst that records belong to (burst.c); 0: there is no burst
 * @burst_last: period of the last burst
 * @ldlat_left: the shared PEBS_LD_LAT_THRESHOLD is put back when the sibling disarms
 * @core: kind of core; NULL: memlat does not know it
 * @plan: how it is programmed
 * @phase: the present phase of @plan
 * @hold: perf's counter that keeps other events of perf's off this CPU (hold.c); NULL: none
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

#endif /* MEMLAT_HW_CPU_H */
