// SPDX-License-Identifier: GPL-2.0
/*
 * Who ran. PEBS records carry no process, so the buffer is drained whenever a
 * task leaves a CPU, and what is in it is always the current task's.
 */
#include <linux/errno.h>
#include <linux/irqflags.h>
#include <linux/sched/signal.h>
#include <linux/string.h>
#include <linux/tracepoint.h>

#include "hw/pmu.h"
#include "task.h"

/* Process to sample, by identity rather than number; NULL: all. */
static struct pid *target;
/* Task that works for memlat just now. */
static struct task_struct *hidden;
static struct tracepoint *sched_switch;

/**
 * memlat_task_wanted - is this task to be sampled?
 * @task: current, or the task that the scheduler has chosen
 */
bool memlat_task_wanted(struct task_struct *task)
{
	return task != READ_ONCE(hidden) && (!target || task_tgid(task) == target);
}

static void switch_here(void)
{
	unsigned long flags;

	local_irq_save(flags);
	memlat_pmu_switch(memlat_task_wanted(current));
	local_irq_restore(flags);
}

/**
 * memlat_task_hide - do not sample the current task until further notice
 *
 * For work on the store. Merging a line takes about a hundred loads; were they
 * sampled, each would bring another line to merge, and with a low threshold and
 * a short period the collector would feed itself. One task at a time: the caller
 * holds the store's lock.
 */
void memlat_task_hide(void)
{
	WRITE_ONCE(hidden, current);
	switch_here();
}

/**
 * memlat_task_unhide - sample the current task again
 */
void memlat_task_unhide(void)
{
	WRITE_ONCE(hidden, NULL);
	switch_here();
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
