/* SPDX-License-Identifier: GPL-2.0 */
#ifndef MEMLAT_HW_CPU_H
#define MEMLAT_HW_CPU_H

#include <linux/irq_work.h>
#include <linux/mm_types.h>
#include <linux/percpu.h>
#include <asm/intel_ds.h>

#include "../core/shard.h"

#define MEMLAT_BUFFER_PAGES	(PEBS_BUFFER_SIZE / PAGE_SIZE)

/**
 * struct memlat_saved - registers as they were found, to be put back
 */
struct memlat_saved {
	u64 global_ctrl;
	u64 pebs_enable;
	u64 ds_area;
	u64 ld_lat;
	u64 evtsel;
	u64 pmc;
	u32 lvtpc;
};

/**
 * struct memlat_cpu - everything that one CPU's sampling needs
 * @armed: this CPU's PMU is memlat's
 * @draining: a drain is under way, so that a PMI inside it leaves the buffer be
 * @late: a PMI may still come after disarming
 * @wanted: the task that runs here is one to sample
 * @ds: DS area, at its address in the CPU entry area
 * @base: first record, likewise
 * @max: end of the last whole record
 * @active: the shard that this CPU writes; another is swapped in from an
 *	interrupt on this CPU, so never in the middle of a drain
 * @kick: tells the store that @active is crowded
 * @shard: both shards
 * @saved: see there
 * @pages: memory of the record buffer, mapped into the CPU entry area
 * @old_pte: what the entry area's page table held there before
 *
 * The members that a PMI touches come first and share two cache lines.
 */
struct memlat_cpu {
	bool armed;
	bool draining;
	bool late;
	bool wanted;
	struct debug_store *ds;
	u64 base;
	u64 max;
	struct memlat_shard *active;
	struct irq_work kick;
	struct memlat_shard *shard[2];
	struct memlat_saved saved;
	struct page *pages;
	pte_t old_pte[MEMLAT_BUFFER_PAGES];
} ____cacheline_aligned;

DECLARE_PER_CPU(struct memlat_cpu, memlat_cpu);

#endif /* MEMLAT_HW_CPU_H */
