// SPDX-License-Identifier: GPL-2.0
/*
 * Who ran. PEBS records carry no process, so the buffer is drained whenever a
 * task leaves a CPU, and what is in it is always the current task's.
 */
#include <linux/errno.h>
#include <linux/sched/signal.h>
#include <linux/string.h>
#include <linux/tracepoint.h>

#include "hw/pmu.h"
#include "task.h"

/* Process to sample, by identity rather than number; NULL: all. */
static struct pid *target;
static struct tracepoint *sched_switch;

/**
 * memlat_task_wanted - is this task to be sampled?
 * @task: current, or the task that the scheduler has chosen
 */
bool memlat_task_wanted(struct task_struct *task)
{
	return !target || task_tgid(task) == target;
}

/* TP_PROTO of sched_switch, with interrupts off and prev still current. */
static void switched(void *data, bool preempt, struct task_struct *prev,
		     struct task_struct *next, unsigned int prev_state)
{
	memlat_pmu_switch(memlat_task_wanted(next));
}

/* The tracepoints are not exported by name, the way to find them is. */
static void find(struct tracepoint *tp, void *unused)
{
	if (!strcmp(tp->name, "sched_switch"))
		sched_switch = tp;
}

/**
 * memlat_task_watch - begin to follow task switches
 * @only: sample this process alone; NULL: all. A reference is taken over, also
 *	when this fails.
 *
 * Return: 0 or a negative errno.
 */
int memlat_task_watch(struct pid *only)
{
	int ret = -ENOENT;

	for_each_kernel_tracepoint(find, NULL);
	target = only;
	if (sched_switch)
		ret = tracepoint_probe_register(sched_switch, (void *)switched, NULL);
	if (ret) {
		target = NULL;
		put_pid(only);
	}
	return ret;
}

/**
 * memlat_task_unwatch - stop following; no CPU is armed
 *
 * Waits until no CPU is in the probe.
 */
void memlat_task_unwatch(void)
{
	tracepoint_probe_unregister(sched_switch, (void *)switched, NULL);
	tracepoint_synchronize_unregister();
	put_pid(target);
	target = NULL;
}
