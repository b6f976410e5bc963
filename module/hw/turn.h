/* SPDX-License-Identifier: GPL-2.0 */
#ifndef MEMLAT_HW_TURN_H
#define MEMLAT_HW_TURN_H

#include <linux/jiffies.h>
#include <linux/types.h>

#include "cpu.h"

/*
 * The first is called while no CPU is armed, the others on the CPU itself with counters paused and
 * buffer empty.
 */
void memlat_turn_setup(void);
void memlat_turn_arm(struct memlat_cpu *c);
void memlat_turn_disarm(struct memlat_cpu *c);
bool memlat_turn_is_lost(const struct memlat_cpu *c);
void memlat_turn_mend(struct memlat_cpu *c);
void memlat_turn_restart_due(struct memlat_cpu *c);
unsigned int memlat_turn_change(struct memlat_cpu *c);
u64 memlat_turn_counter(const struct memlat_cpu *c, unsigned int kind);
void memlat_turn_counter_set(struct memlat_cpu *c, unsigned int kind, u64 period);

/* The turns of loads and stores, summed over all CPUs. */
void memlat_turn_sum(u64 *loads, u64 *stores);
void memlat_turn_reset(void);

/* Does the other kind's turn begin now? */
static inline bool memlat_turn_due(const struct memlat_cpu *c)
{
	return c->turns && time_after_eq(jiffies, c->turn.due);
}

#endif /* MEMLAT_HW_TURN_H */
