// SPDX-License-Identifier: GPL-2.0
/*
 * Who ran. PEBS records carry no process, so the buffer is drained whenever a
 * task leaves a CPU and before a task becomes another program, and what is in
 * it is always the current task's.
 */
#include <linux/errno.h>
#include <linux/irqflags.h>
#include <linux/kernel.h>
#include <linux/sched.h>
#include <linux/string.h>
#include <linux/tracepoint.h>
#include <trace/events/sched.h>
#include <trace/events/task.h>

#include "filter.h"
#include "hw/pmu.h"
#include "task.h"

/* Task that works for memlat just now. */
static struct task_struct *hidden;

/**
 * memlat_task_wanted - is this task to be sampled?
 * @task: current, or the task that the scheduler has chosen
 *
 * Interrupts off.
 */
bool memlat_task_wanted(struct task_struct *task)
{
	return task != READ_ONCE(hidden) &&
	       (!READ_ONCE(memlat_filter_on) || memlat_filter_passes(task));
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
 * For work on the store. Merging a cell takes about a hundred loads; were they
 * sampled, each would bring another cell to merge, and with a low threshold and
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

/*
 * TP_PROTO of task_rename. execve() gives a task its new name when nothing can
 * fail any more, and right after that its new generation: what the buffer holds
 * now belongs to the old program.
 */
static void renamed(void *data, struct task_struct *task, const char *comm)
{
	unsigned long flags;

	if (task != current)
		return;
	local_irq_save(flags);
	memlat_pmu_flush();
	local_irq_restore(flags);
}

/*
 * TP_PROTO of sched_process_exit. What the buffer holds can still be told by physical
 * address (since 6.16: after this the task has no pages any more), and whose it is: once the
 * task is released its process is not to be looked at (memlat_leader()).
 */
static void exits(void *data, MEMLAT_EXIT_ARGS)
{
	unsigned long flags;

	local_irq_save(flags);
	memlat_pmu_flush();
	local_irq_restore(flags);
}

/* TP_PROTO of sched_process_fork, before the child is woken. */
static void forked(void *data, struct task_struct *parent, struct task_struct *child)
{
	memlat_filter_fork(parent, child);
}

/* TP_PROTO of sched_process_free, after the task's last switch. */
static void freed(void *data, struct task_struct *task)
{
	memlat_filter_free(task);
}

/* In the order in which they are registered. */
static struct probe {
	const char *name;
	void *function;
	bool forks;		/* only when children are followed */
	struct tracepoint *tp;
	bool registered;
} probes[] = {
	{ .name = "sched_process_free", .function = freed, .forks = true },
	{ .name = "sched_process_fork", .function = forked, .forks = true },
	{ .name = "sched_process_exit", .function = exits },
	{ .name = "task_rename", .function = renamed },
	{ .name = "sched_switch", .function = switched },
};

/*
 * A tracepoint that is found by its name takes any pointer for a probe. This compares the types:
 * with another prototype a probe would take one argument for another, and with KCFI panic.
 */
static __always_inline void check_types(void)
{
	check_trace_callback_type_sched_process_free(freed);
	check_trace_callback_type_sched_process_fork(forked);
	check_trace_callback_type_sched_process_exit(exits);
	check_trace_callback_type_task_rename(renamed);
	check_trace_callback_type_sched_switch(switched);
}

/* The tracepoints are not exported by name, the way to find them is. */
static void find(struct tracepoint *tp, void *unused)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(probes); i++)
		if (!strcmp(tp->name, probes[i].name))
			probes[i].tp = tp;
}

/**
 * memlat_task_watch - begin to follow task switches and renames
 * @forks: follow forks too
 *
 * After memlat_filter_set().
 *
 * Return: 0 or a negative errno; then nothing is followed.
 */
int memlat_task_watch(bool forks)
{
	unsigned int i;
	int ret = 0;

	check_types();
	for_each_kernel_tracepoint(find, NULL);
	for (i = 0; i < ARRAY_SIZE(probes) && !ret; i++) {
		struct probe *p = &probes[i];

		if (p->forks && !forks)
			continue;
		ret = p->tp ? tracepoint_probe_register(p->tp, p->function, NULL) : -EOPNOTSUPP;
		p->registered = !ret;
	}
	if (ret)
		memlat_task_unwatch();
	return ret;
}

/**
 * memlat_task_unwatch - stop following; no CPU is armed
 *
 * Waits until no CPU is in a probe.
 */
void memlat_task_unwatch(void)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(probes); i++) {
		if (probes[i].registered)
			tracepoint_probe_unregister(probes[i].tp, probes[i].function, NULL);
		probes[i].registered = false;
	}
	tracepoint_synchronize_unregister();
}
