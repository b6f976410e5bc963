/* SPDX-License-Identifier: GPL-2.0 */
#ifndef MEMLAT_HW_BURST_H
#define MEMLAT_HW_BURST_H

#include <linux/minmax.h>
#include <linux/types.h>

#include "hw.h"

struct pt_regs;

/* Records of a burst, about: a few more may come until its PMI is taken. */
#define MEMLAT_BURST	64

/* The shortest period that any core is given. */
#define MEMLAT_PERIOD_LEAST	2

/* The shorter of the two that bursts have: what comes next, but for what a core forbids. */
static inline u32 memlat_burst_period(const struct memlat_core *core)
{
	return max_t(u32, MEMLAT_PERIOD_LEAST, core->model->period_min);
}

/* Counters paused, buffer empty. */
void memlat_burst_change(struct memlat_cpu *c, struct pt_regs *regs);
void memlat_burst_end(struct memlat_cpu *c);

#endif /* MEMLAT_HW_BURST_H */
