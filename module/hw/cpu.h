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
struct memlat_phase;
struct memlat_plan;

/* Events that are counted beside what is sampled, at most, each by a general counter. */
#define MEMLAT_BESIDE		5

/* General counters that memlat uses at most: for loads, for stores, what loads need, and those. */
#define MEMLAT_SLOTS		(3 + MEMLAT_BESIDE)

/**
 * struct memlat_saved - registers as they were found, to be put back
 */
struct memlat_saved {
	u64 global_ctrl;
	u64 pebs_enable;
	u64 ds_area;
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
	u64 freeze;	/* DEBUGCTL's bit that stops all counters at each PMI */
	u64 enabled;	/* counters whose event select was enabled, without counting */
	u32 lvtpc;
};

/**
 * struct memlat_turn - loads and stores take turns
 * @due: jiffies of the next change
 * @since: the cycle counter when this turn began
 * @sum: cycles that each kind has had
 * @zero: @sum at the last reset
 * @counter: of the kind that waits: its counter's value
 */
struct memlat_turn {
	unsigned long due;
	u64 since;
	u64 sum[MEMLAT_KINDS];
	u64 zero[MEMLAT_KINDS];
	u64 counter[MEMLAT_KINDS];
};

/**
 * struct memlat_still - do the counters move?
 * @due: jiffies of the next look
 * @last: their values at the last
 * @cycles: the cycle counter when they moved last
 * @looks: how many have found them as they were, in a task that is sampled
 * @moved: there were records since
 * @stands: they do not
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
 * struct memlat_cpu - everything that one CPU's sampling needs
 * @armed: this CPU's PMU is memlat's
 * @draining: a drain is under way, so that a PMI inside it leaves the buffer be
 * @wanted: the task that runs here is one to sample
 * @unsettled: disarmed, but a record or a PMI may still come: IA32_DS_AREA (or
 *	IA32_PEBS_BASE) and LVTPC are not yet put back
 * @ack_due: LVTPC is masked by a PMI that came in a drain, which is to unmask it
 *	after the counters run again
 * @turns: the kinds take turns here
 * @turn_hold: change no turn, and begin or end no burst: registers are being verified
 * @burst: records are a burst's: its period (burst.c); 0: they are not
 * @burst_last: period of the last burst
 * @ldlat_left: the shared PEBS_LD_LAT_THRESHOLD is put back when the sibling disarms
 * @core: its kind; NULL: none that memlat knows
 * @plan: what it is programmed to
 * @phase: of @plan, now
 * @index: architectural PEBS: IA32_PEBS_INDEX while the buffer is empty
 * @ds: DS area, at its address in the CPU entry area; not with architectural PEBS
 * @base: first record, likewise; with architectural PEBS its physical address
 * @max: end of the last whole record
 * @records: the same memory as @base, for reading
 * @active: the shard that this CPU writes; another is swapped in from an
 *	interrupt on this CPU, so never in the middle of a drain
 * @counts: the exact counts that this CPU writes; beside @active, because both
 *	are swapped by one instruction (module/shards.c)
 * @kick: tells the store that @active has its first samples, or is to be merged
 * @burst_records: samples of bursts that the budget has not yet heard of
 * @rate: of each kind
 * @budget: of this CPU
 * @turn: see there
 * @still: see there
 * @shard: both shards
 * @counts_pair: both sets of counts
 * @saved: see there
 * @left: whose records came last, while @unsettled
 * @foreign_msr: a register that someone else wrote, 0: none
 * @foreign: what it holds
 * @pages: memory of the record buffer
 * @pte: the entry area's page table entry of its first page, where it is mapped there
 * @old_pte: what the entry area's page table held there before
 *
 * The members that a PMI touches come first.
 */
struct memlat_cpu {
	bool armed;
	bool draining;
	bool wanted;
	bool unsettled;
	bool ack_due;
	bool turns;
	bool turn_hold;
	bool ldlat_left;
	u8 burst;
	u8 burst_last;
	const struct memlat_core *core;
	const struct memlat_plan *plan;
	const struct memlat_phase *phase;
	u64 index;
	struct debug_store *ds;
	u64 base;
	u64 max;
	const u8 *records;
	struct memlat_shard *active __aligned(16);
	struct memlat_counts *counts;
	struct irq_work kick;
	u32 burst_records;
	struct memlat_rate rate[MEMLAT_KINDS];
	struct memlat_budget budget;
	struct memlat_turn turn;
	struct memlat_still still;
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

DECLARE_PER_CPU(struct memlat_cpu, memlat_cpu);

#endif /* MEMLAT_HW_CPU_H */
