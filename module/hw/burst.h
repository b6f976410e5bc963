/* SPDX-License-Identifier: GPL-2.0 */
#ifndef MEMLAT_HW_BURST_H
#define MEMLAT_HW_BURST_H

#include <linux/minmax.h>
#include <linux/types.h>

#include "hw.h"

struct pt_regs;

/* About the number of records of a burst; a few more may be written until its PMI is taken. */
#define MEMLAT_BURST	64

/* The shortest period that memlat programs on any core. */
#define MEMLAT_PERIOD_LEAST	2

/* The shorter one of the two periods of bursts: the shortest that the core allows. */
static inline u32 memlat_burst_period(const struct memlat_core *core)
{
	return max_t(u32, MEMLAT_PERIOD_LEAST, core->model->period_min);
}

/* Called with counters paused and buffer empty. */
void memlat_burst_change(struct memlat_cpu *c, struct pt_regs *regs);
void memlat_burst_end(struct memlat_cpu *c);

#endif /* MEMLAT_HW_BURST_H */
