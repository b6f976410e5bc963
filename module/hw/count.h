/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Counting events instead of sampling (MEMLAT_F_COUNT).
 */
#ifndef MEMLAT_HW_COUNT_H
#define MEMLAT_HW_COUNT_H

#include <linux/percpu.h>
#include <linux/types.h>
#include <uapi/linux/memlat.h>

#include "count_table.h"

struct memlat_core;
struct memlat_cpu;
struct memlat_plan_setup;

/* General counters that are used at most: 0 and up. No event needs a higher one. */
#define MEMLAT_COUNT_SLOTS	8

/**
 * struct memlat_count_group - what the counters count in one turn
 * @event: enum memlat_event_id by counter; MEMLAT_EVENT_NR: the counter rests
 * @evtsel: its event select, 0: it rests
 */
struct memlat_count_group {
	u8 event[MEMLAT_COUNT_SLOTS];
	u32 evtsel[MEMLAT_COUNT_SLOTS];
};

/**
 * struct memlat_count_plan - how a CPU of some kind counts
 * @run: GLOBAL_CTRL while a task is counted
 * @fixed: IA32_FIXED_CTR_CTRL, the bits of counters 0 and 1
 * @used: general counters used in any group, a bit for each
 * @events: what is counted, a bit for each enum memlat_event_id
 * @groups: how many; one has no turns
 * @group: these
 */
struct memlat_count_plan {
	u64 run;
	u64 fixed;
	u32 used;
	u32 events;
	unsigned int groups;
	struct memlat_count_group group[MEMLAT_EVENT_NR];
};

/* count_plan.c; for a CPU that is its core's first, or alone, and for its sibling */
const struct memlat_count_plan *memlat_count_plan_of(const struct memlat_core *core,
						     bool sibling);
void memlat_count_plan_make(const struct memlat_core *core, bool user, bool kernel);
const struct memlat_count_event *memlat_count_event(const struct memlat_core *core, u8 id);
u32 memlat_count_counters(const struct memlat_core *core, const struct memlat_count_event *e,
			  bool sibling);

/* count.c */
bool memlat_count_is_on(void);
bool memlat_count_cpu_is_on(int cpu);
void memlat_count_setup(const struct memlat_plan_setup *setup);
void memlat_count_reset(void);
size_t memlat_count_bytes(void);
size_t memlat_count_put(struct memlat_rec_count *rec);

/* Interrupts off, on the CPU itself. All but the first do nothing on one that does not count. */
void memlat_count_arm(struct memlat_cpu *c, bool wanted);
void memlat_count_disarm(void);
void memlat_count_switch(bool wanted);
void memlat_count_check(void);
void memlat_count_turn(void);

#endif /* MEMLAT_HW_COUNT_H */
