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

/**
 * struct memlat_saved - registers as they were found, to be put back
 */
struct memlat_saved {
	u64 global_ctrl;
	u64 pebs_enable;
	u64 ds_area;
	u64 ld_lat;
	u64 fixed_ctrl;
	u64 cycles;
	u64 evtsel[MEMLAT_KINDS];
	u64 pmc[MEMLAT_KINDS];
	u64 enabled;	/* counters whose event select was enabled, without counting */
	u32 lvtpc;
};

/**
 * struct memlat_cpu - everything that one CPU's sampling needs
 * @armed: this CPU's PMU is memlat's
 * @draining: a drain is under way, so that a PMI inside it leaves the buffer be
 * @wanted: the task that runs here is one to sample
 * @unsettled: disarmed, but a record or a PMI may still come: IA32_DS_AREA and
 *	LVTPC are not yet put back
 * @ds: DS area, at its address in the CPU entry area
 * @base: first record, likewise
 * @max: end of the last whole record
 * @active: the shard that this CPU writes; another is swapped in from an
 *	interrupt on this CPU, so never in the middle of a drain
 * @counts: the exact counts that this CPU writes; beside @active, because both
 *	are swapped by one instruction (module/shards.c)
 * @kick: tells the store that @active has its first samples, or is crowded
 * @rate: of each kind
 * @budget: of this CPU
 * @shard: both shards
 * @counts_pair: both sets of counts
 * @saved: see there
 * @left: whose records came last, while @unsettled
 * @foreign_msr: a register that someone else wrote, 0: none
 * @foreign: what it holds
 * @pages: memory of the record buffer, mapped into the CPU entry area
 * @old_pte: what the entry area's page table held there before
 *
 * The members that a PMI touches come first.
 */
struct memlat_cpu {
	bool armed;
	bool draining;
	bool wanted;
	bool unsettled;
	struct debug_store *ds;
	u64 base;
	u64 max;
	struct memlat_shard *active;
	struct memlat_counts *counts;
	struct irq_work kick;
	struct memlat_rate rate[MEMLAT_KINDS];
	struct memlat_budget budget;
	struct memlat_shard *shard[2];
	struct memlat_counts *counts_pair[2];
	struct memlat_saved saved;
	struct memlat_who left;
	u32 foreign_msr;
	u64 foreign;
	struct page *pages;
	pte_t old_pte[MEMLAT_BUFFER_PAGES];
} ____cacheline_aligned;

DECLARE_PER_CPU(struct memlat_cpu, memlat_cpu);

#endif /* MEMLAT_HW_CPU_H */
