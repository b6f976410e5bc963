/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Counting events beside sampling (MEMLAT_F_COUNT with _LOADS or _STORES).
 */
#ifndef MEMLAT_HW_BESIDE_H
#define MEMLAT_HW_BESIDE_H

#include <linux/jiffies.h>
#include <linux/percpu.h>

#include "count_cpu.h"
#include "hw.h"

struct memlat_plan_setup;

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

#endif /* MEMLAT_HW_BESIDE_H */
