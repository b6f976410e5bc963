/* SPDX-License-Identifier: GPL-2.0 */
/* Counting events, alone (count.c) or beside sampling (beside.c). */
#ifndef MEMLAT_HW_COUNT_H
#define MEMLAT_HW_COUNT_H

#include <linux/jiffies.h>
#include <linux/percpu.h>
#include <linux/types.h>
#include <uapi/linux/memlat.h>

#include "hw.h"

/* The most general counters that are used, from 0 up. No event needs a higher one. */
#define MEMLAT_COUNT_SLOTS	8

/**
 * struct memlat_count_group - what the counters count in one turn
 * @event: enum memlat_event_id by counter; MEMLAT_EVENT_NR: the counter is not used
 * @evtsel: event select by counter; 0: the counter is not used
 */
struct memlat_count_group {
	u8 event[MEMLAT_COUNT_SLOTS];
	u32 evtsel[MEMLAT_COUNT_SLOTS];
};

/**
 * struct memlat_count_plan - how a CPU of a kind of core counts
 * @run: GLOBAL_CTRL while a task is counted
 * @fixed: the bits of counters 0 and 1 in IA32_FIXED_CTR_CTRL
 * @used: general counters used in any group, a bit for each
 * @events: events that are counted, a bit for each enum memlat_event_id
 * @groups: number of groups; if there is one, there are no turns
 * @group: the groups
 */
struct memlat_count_plan {
	u64 run;
	u64 fixed;
	u32 used;
	u32 events;
	unsigned int groups;
	struct memlat_count_group group[MEMLAT_EVENT_NR];
};

void memlat_count_plan_make(const struct memlat_core *core, bool user, bool kernel);

/* The plan of a core's first or only CPU, or of its sibling. */
const struct memlat_count_plan *memlat_count_plan_of(const struct memlat_core *core,
						     bool sibling);
u32 memlat_count_plan_counters(const struct memlat_core *core,
			       const struct memlat_count_event *e, bool sibling);

const struct memlat_count_event *memlat_count_plan_event(const struct memlat_core *core, u8 id);

/*
 * The state of a CPU that counts, for count.c, and for guard.c, which checks its registers.
 */

/**
 * struct memlat_count_sums - what was counted, by enum memlat_event_id
 * @value: number of events
 * @running: cycles during which the event had a counter
 */
struct memlat_count_sums {
	u64 value[MEMLAT_EVENT_NR];
	u64 running[MEMLAT_EVENT_NR];
};

/**
 * struct memlat_count_saved - registers as they were found, to be put back
 * @global_ctrl: IA32_PERF_GLOBAL_CTRL
 * @fixed_ctrl: IA32_FIXED_CTR_CTRL
 * @cycles: fixed counter 1, core cycles
 * @instructions: fixed counter 0, instructions
 * @evtsel: IA32_PERFEVTSELx of general counters
 * @pmc: these counters
 * @cfg_c: IA32_PMC_GPn_CFG_C of these counters, where there is architectural PEBS
 * @cfg_c_fixed: IA32_PMC_FXn_CFG_C of fixed counters 0 and 1, likewise
 * @enabled: bits of general counters whose event select was enabled, without counting
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
	u64 enabled;
};

/**
 * struct memlat_count_cpu - a CPU's state of counting
 * @on: memlat counts with its counters
 * @wanted: the task that runs here is to be counted
 * @moved: something was counted since this turn began
 * @counted: it counted in this session, or in the last one, alone or beside sampling
 * @events: the events that it counted then, a bit for each enum memlat_event_id
 * @plan: how it counts
 * @group: the group that has its turn
 * @due: jiffies of the next turn; beside sampling, of the next time to add up
 * @last_cycles: the cycle counter when counts were last added up
 * @last_instructions: the instruction counter then
 * @last: the general counters then, by number; beside sampling, by slot
 * @sum: sums since start or reset
 * @shown: the sums that a snapshot shows
 * @saved: registers as they were found
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

/* Allocated in cores.c, like memlat_cpu. */
extern struct memlat_count_cpu __percpu *memlat_count_cpu;

/* Events that a counter has counted since this was last called. RDPMC would gain little here. */
static inline u64 memlat_count_elapsed(u64 *last, u32 msr, u64 mask)
{
	u64 now = native_rdmsrq(msr);
	u64 by = (now - *last) & mask;

	*last = now;
	/* Where perf holds the PMU, it may have cleared it, see memlat_cycles_elapsed(). */
	return by <= mask >> 1 ? by : now;
}

/* The value of GLOBAL_CTRL, except while memlat works. */
static inline u64 memlat_count_ctrl(const struct memlat_count_cpu *n)
{
	return n->wanted ? n->plan->run : 0;
}

/* The value of IA32_FIXED_CTR_CTRL. */
static inline u64 memlat_count_fixed(const struct memlat_count_cpu *n)
{
	return (n->saved.fixed_ctrl & ~MEMLAT_FIXED_BOTH) | n->plan->fixed;
}

/*
 * Counting events beside sampling (MEMLAT_F_COUNT with _LOADS or _STORES).
 */

void memlat_beside_setup(const struct memlat_plan_setup *setup);
void memlat_beside_plan(struct memlat_plan *plan, const struct memlat_core *core, u64 rings,
			bool sibling);

/* Called on the CPU itself with interrupts off and counters paused. */
void memlat_beside_arm(struct memlat_cpu *c);
void memlat_beside_read(struct memlat_cpu *c);
void memlat_beside_disarm(struct memlat_cpu *c, u64 theirs);

/* Is it time to add up the counts? That is done long before a counter can wrap. */
static inline bool memlat_beside_due(void)
{
	return memlat_hw.beside && time_after_eq(jiffies, this_cpu_read(memlat_count_cpu->due));
}

#endif /* MEMLAT_HW_COUNT_H */
