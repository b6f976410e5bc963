// SPDX-License-Identifier: GPL-2.0
/*
 * Follow which task runs. PEBS records do not name their process. So the buffer is drained before
 * a task leaves a CPU and before a task becomes another program; then all records in it always
 * belong to the current task.
 */
#include <linux/errno.h>
#include <linux/irqflags.h>
#include <linux/kernel.h>
#include <linux/sched.h>
#include <linux/string.h>
#include <linux/tracepoint.h>
#include <trace/events/sched.h>
#include <trace/events/task.h>

#include "hw/pmu.h"
#include "memlat.h"

/* The task that works for memlat now, and is not sampled. */
static struct task_struct *hidden;

/**
 * memlat_task_wanted - check whether a task is to be sampled
 * @task: current, or the task that the scheduler has chosen
 *
 * Called with interrupts off.
 */
bool memlat_task_wanted(struct task_struct *task)
{
	return task != READ_ONCE(hidden) &&
	       (!READ_ONCE(memlat_filter_on) || memlat_filter_passes(task));
}

static void memlat_switch_here(void)
{
	unsigned long flags;

	local_irq_save(flags);
	memlat_pmu_switch(memlat_task_wanted(current));
	local_irq_restore(flags);
}

/**
 * memlat_task_hide - do not sample the current task until memlat_task_unhide()
 *
 * For work on the store. Merging a cell takes about a hundred loads. If they were sampled, each
 * could add another cell to merge, and with a low threshold and a short period the collector would
 * feed itself. Only one task can be hidden; the caller holds the store's lock.
 */
void memlat_task_hide(void)
{
	WRITE_ONCE(hidden, current);
	memlat_switch_here();
}

/**
 * memlat_task_unhide - sample the current task again
 */
void memlat_task_unhide(void)
{
	WRITE_ONCE(hidden, NULL);
	memlat_switch_here();
}

/* Probe of sched_switch. Called with interrupts off, while prev still is current. */
static void memlat_switch_probe(void *data, MEMLAT_SWITCH_ARGS)
{
	memlat_pmu_switch(memlat_task_wanted(next));
	memlat_pmu_note_vfork(next);
}

/*
 * Probe of task_rename. execve() renames a task when it cannot fail any more, and gives it its new
 * generation right after that. So the records in the buffer belong to the old program.
 */
static void memlat_rename_probe(void *data, struct task_struct *task, const char *comm)
{
	unsigned long flags;

	if (task != current)
		return;
	local_irq_save(flags);
	memlat_pmu_flush();
	local_irq_restore(flags);
}

/*
 * Probe of sched_process_exit. Drain now, because later the physical addresses of the records
 * cannot be looked up (since 6.16; before, the task has no pages here either), and once the task is
 * released its process must not be accessed (memlat_leader()).
 */
static void memlat_exit_probe(void *data, MEMLAT_EXIT_ARGS)
{
	unsigned long flags;

	local_irq_save(flags);
	memlat_pmu_flush();
	local_irq_restore(flags);
}

/* Probe of sched_process_fork, before the child is woken. */
static void memlat_fork_probe(void *data, struct task_struct *parent, struct task_struct *child)
{
	memlat_filter_fork(parent, child);
}

/* Probe of sched_process_free, after the task's last switch. */
static void memlat_free_probe(void *data, struct task_struct *task)
{
	memlat_filter_free(task);
}

/* The probes, in the order in which they are registered. */
static struct probe {
	const char *name;
	void *function;
	bool forks;		/* only needed if children are followed */
	struct tracepoint *tp;
	bool registered;
} probes[] = {
	{ .name = "sched_process_free", .function = memlat_free_probe, .forks = true },
	{ .name = "sched_process_fork", .function = memlat_fork_probe, .forks = true },
	{ .name = "sched_process_exit", .function = memlat_exit_probe },
	{ .name = "task_rename", .function = memlat_rename_probe },
	{ .name = "sched_switch", .function = memlat_switch_probe },
};

/*
 * Check the prototypes of the probes. A tracepoint that is found by its name accepts any pointer as
 * a probe. A probe with another prototype would mistake its arguments, and panic with KCFI.
 */
static __always_inline void check_types(void)
{
	check_trace_callback_type_sched_process_free(memlat_free_probe);
	check_trace_callback_type_sched_process_fork(memlat_fork_probe);
	check_trace_callback_type_sched_process_exit(memlat_exit_probe);
	check_trace_callback_type_task_rename(memlat_rename_probe);
	check_trace_callback_type_sched_switch(memlat_switch_probe);
}

/* The tracepoints are not exported, but for_each_kernel_tracepoint() is. */
static void memlat_task_match(struct tracepoint *tp, void *unused)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(probes); i++)
		if (!strcmp(tp->name, probes[i].name))
			probes[i].tp = tp;
}

/**
 * memlat_task_watch - begin to follow task switches, renames and exits
 * @forks: follow forks too
 *
 * Called after memlat_filter_set().
 *
 * Return: 0; or, with no probe registered, a negative errno.
 */
int memlat_task_watch(bool forks)
{
	unsigned int i;
	int ret = 0;

	check_types();
	for_each_kernel_tracepoint(memlat_task_match, NULL);
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
