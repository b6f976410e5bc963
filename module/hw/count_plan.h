/* SPDX-License-Identifier: GPL-2.0 */
#ifndef MEMLAT_HW_COUNT_PLAN_H
#define MEMLAT_HW_COUNT_PLAN_H

#include <linux/types.h>
#include <uapi/linux/memlat.h>

#include "count_table.h"

struct memlat_core;

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

#endif /* MEMLAT_HW_COUNT_PLAN_H */
