/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Owning the PMU by a counter of perf's on each CPU, on cores whose PMU cannot be reserved.
 */
#ifndef MEMLAT_HW_HOLD_H
#define MEMLAT_HW_HOLD_H

#include <linux/perf_event.h>

#include "cpu.h"

int memlat_hold_cpu(unsigned int cpu);
void memlat_hold_release(unsigned int cpu);
int memlat_hold_online(void);
void memlat_hold_release_all(void);

/*
 * From here on perf's own handler of NMIs, which runs after memlat's, leaves the counters off, and
 * all of them are off. Not for NMIs, which may have interrupted perf between the two.
 */
static inline void memlat_hold_pause(const struct memlat_cpu *c)
{
	if (c->hold)
		c->hold->pmu->pmu_disable(c->hold->pmu);
}

/* Undo memlat_hold_pause(). Perf enables all counters of the CPU. */
static inline void memlat_hold_run(const struct memlat_cpu *c)
{
	if (c->hold)
		c->hold->pmu->pmu_enable(c->hold->pmu);
}

#endif /* MEMLAT_HW_HOLD_H */
