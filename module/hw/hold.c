// SPDX-License-Identifier: GPL-2.0
/*
 * Own the PMU by perf's own means.
 *
 * On perfmon version 6 perf and memlat reserve different registers, so a reservation keeps nobody
 * out (pmu_own.c). There each CPU gets a counter of perf's, for as long as a session runs. It is
 * pinned, so perf schedules it before all events that are not, and exclusive, so perf schedules no
 * other event of the CPU's PMU beside it. Others can open events, but these count nothing, and perf
 * says so ("not counted"). And while there is any event, perf's buffers stay mapped: perf maps them
 * with its first event, and unmaps them with its last one.
 *
 * The counter is fixed counter 2 (reference cycles), which memlat does not use. What it counts
 * means nothing, because it runs only while perf's value of GLOBAL_CTRL is in force.
 *
 * Perf still writes these registers (nmi-safety.rst, "Where perf holds the PMU for memlat"):
 *
 * - GLOBAL_CTRL: 0, and then all counters, whenever it looks at its events: at a switch to or from
 *   a task that has some, in its timer that rotates them, and when one is opened, enabled or
 *   closed. So counters that memlat does not use must have no event, and memlat accepts perf's
 *   value.
 * - GLOBAL_CTRL and LVTPC in each NMI, in a handler that runs after memlat's. So memlat's handler
 *   leaves the counters off and LVTPC masked, and perf's one goes on from there. A drain outside of
 *   NMIs must not be interrupted by that: memlat_hold_pause().
 */
#include <linux/cpumask.h>
#include <linux/err.h>
#include <linux/percpu.h>

#include "hold.h"
#include "hw.h"

/**
 * memlat_hold_release - give up a CPU's counter of perf's, if there is one
 * @cpu: the CPU, disarmed; it may be offline
 *
 * May sleep.
 */
void memlat_hold_release(unsigned int cpu)
{
	struct memlat_cpu *c = per_cpu_ptr(memlat_cpu, cpu);
	struct perf_event *event = c->hold;

	c->hold = NULL;
	if (event)
		perf_event_release_kernel(event);
}

/**
 * memlat_hold_cpu - make a CPU's counter of perf's, and check that it counts
 * @cpu: the CPU, online and disarmed
 *
 * Does nothing where the PMU is reserved, nor where perf does not drive it. Keeps a counter that
 * counts. If the CPU was offline meanwhile, its counter does not count any more, and is replaced.
 * May sleep.
 *
 * Return: 0; -EBUSY if another pinned event comes first; an error of perf's.
 */
int memlat_hold_cpu(unsigned int cpu)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_HARDWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_HW_REF_CPU_CYCLES,
		.pinned = 1,
		.exclusive = 1,
	};
	struct memlat_cpu *c = per_cpu_ptr(memlat_cpu, cpu);
	struct perf_event *event = c->hold;

	if (!memlat_cores[0].held)
		return 0;
	if (event && READ_ONCE(event->state) == PERF_EVENT_STATE_ACTIVE)
		return 0;
	memlat_hold_release(cpu);
	event = perf_event_create_kernel_counter(&attr, cpu, NULL, NULL, NULL);
	if (IS_ERR(event))
		return PTR_ERR(event) == -ENOENT ? 0 : PTR_ERR(event);
	c->hold = event;
	if (READ_ONCE(event->state) == PERF_EVENT_STATE_ACTIVE)
		return 0;
	memlat_hold_release(cpu);
	return -EBUSY;
}

/**
 * memlat_hold_online - make a counter of perf's on each CPU that is online
 *
 * The caller keeps CPUs from coming and going. May sleep.
 *
 * Return: as memlat_hold_cpu(). On an error some CPUs may have a counter.
 */
int memlat_hold_online(void)
{
	unsigned int cpu;
	int ret;

	for_each_online_cpu(cpu) {
		ret = memlat_hold_cpu(cpu);
		if (ret)
			return ret;
	}
	return 0;
}

/**
 * memlat_hold_release_all - give up all counters of perf's; no CPU is armed. May sleep.
 */
void memlat_hold_release_all(void)
{
	unsigned int cpu;

	for_each_possible_cpu(cpu)
		memlat_hold_release(cpu);
}
