/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A CPU that counts; for count.c, and for guard.c, which looks after it.
 */
#ifndef MEMLAT_HW_COUNT_CPU_H
#define MEMLAT_HW_COUNT_CPU_H

#include <linux/percpu.h>

#include "count_plan.h"
#include "msr.h"

/**
 * struct memlat_count_sums - what was counted, by enum memlat_event_id
 * @value: how many
 * @running: cycles in which a counter was there for it
 */
struct memlat_count_sums {
	u64 value[MEMLAT_EVENT_NR];
	u64 running[MEMLAT_EVENT_NR];
};

/**
 * struct memlat_count_saved - registers as they were found, to be put back
 */
struct memlat_count_saved {
	u64 global_ctrl;
	u64 fixed_ctrl;
	u64 cycles;
	u64 instructions;
	u64 evtsel[MEMLAT_COUNT_SLOTS];
	u64 pmc[MEMLAT_COUNT_SLOTS];
	u64 cfg_c[MEMLAT_COUNT_SLOTS];
	u64 cfg_c_fixed[2];
	u64 enabled;	/* counters whose event select was enabled, without counting */
};

/**
 * struct memlat_count_cpu - one CPU's part
 * @on: its counters are memlat's
 * @wanted: the task that runs here is one to count
 * @moved: something was counted since this turn began
 * @counted: it was on in this session, or in the last one; or counted beside
 * @events: what it counts then, a bit for each enum memlat_event_id
 * @plan: what it counts
 * @group: whose turn it is
 * @due: jiffies of the next change; beside sampling, when to look next
 * @last_cycles: the counter at the last look
 * @last_instructions: likewise
 * @last: likewise, general counters; beside sampling, by slot
 * @sum: since start or reset
 * @shown: the same for a snapshot
 * @saved: see there
 */
struct memlat_count_cpu {
	bool on;
	bool wanted;
	bool moved;
	bool counted;
	u32 events;
	const struct memlat_count_plan *plan;
	unsigned int group;
	unsigned long due;
	u64 last_cycles;
	u64 last_instructions;
	u64 last[MEMLAT_COUNT_SLOTS];
	struct memlat_count_sums sum;
	struct memlat_count_sums shown;
	struct memlat_count_saved saved;
};

DECLARE_PER_CPU(struct memlat_count_cpu, memlat_count_cpu);

/* How far a counter has come since the last look. RDPMC would gain little here. */
static inline u64 memlat_count_gone(u64 *last, u32 msr, u64 mask)
{
	u64 now = native_rdmsrq(msr);
	u64 by = (now - *last) & mask;

	*last = now;
	return by;
}

/* GLOBAL_CTRL while memlat does not work. */
static inline u64 memlat_count_ctrl(const struct memlat_count_cpu *n)
{
	return n->wanted ? n->plan->run : 0;
}

/* IA32_FIXED_CTR_CTRL */
static inline u64 memlat_count_fixed(const struct memlat_count_cpu *n)
{
	return (n->saved.fixed_ctrl & ~MEMLAT_FIXED_BOTH) | n->plan->fixed;
}

#endif /* MEMLAT_HW_COUNT_CPU_H */
