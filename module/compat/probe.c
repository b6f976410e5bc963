// SPDX-License-Identifier: GPL-2.0
/*
 * What the kernel has of that in which kernels differ. probe.sh compiles this file and sees which
 * lines the compiler refuses: probed.h defines the names of the others. So it does not matter which
 * version the headers claim. (RHEL's 5.14 has much of later kernels, and stable series get
 * tracepoints and functions of later ones, too.) It is not part of the module.
 *
 * HAS(NAME, SYMBOL, CODE), on one line: the compiler accepts CODE, and the kernel exports SYMBOL to
 * modules, unless that is 0.
 */
#include <linux/cgroup.h>
#include <linux/irq_work.h>
#include <linux/perf_event.h>
#include <linux/sched.h>
#include <linux/timer.h>
#include <linux/tracepoint.h>
#include <linux/types.h>
#include <linux/workqueue.h>
#include <asm/msr.h>
#include <trace/events/sched.h>

#define HAS(name, symbol, ...)	void name(void); void name(void) { __VA_ARGS__; }

typedef void (*exit_of)(void *data, struct task_struct *task, bool group_dead);
typedef void (*switch_last)(void *data, bool preempt, struct task_struct *prev,
			    struct task_struct *next, unsigned int prev_state);
typedef void (*switch_first)(void *data, bool preempt, unsigned int prev_state,
			     struct task_struct *prev, struct task_struct *next);

/* Every kernel has the first one, and none has the second: does probing work at all? */
HAS(MEMLAT_HAS_TRACEPOINTS, 0, for_each_kernel_tracepoint(NULL, NULL))
HAS(MEMLAT_HAS_WHAT_NONE_HAS, 0, memlat_what_none_has(0))

/* 6.16 renamed the 64-bit MSR accessors from …l to …q. */
HAS(MEMLAT_HAS_MSRQ, 0, u64 was; rdmsrq_safe(0, &was); native_wrmsrq(0, native_rdmsrq(0)))
/* 6.2 renamed it from del_timer_sync(), and stable series followed. */
HAS(MEMLAT_HAS_TIMER_DELETE_SYNC, timer_delete_sync, timer_delete_sync(NULL))
/* 6.17 renamed the workqueue that is bound to no CPU. */
HAS(MEMLAT_HAS_DFL_WQ, system_dfl_wq, queue_work(system_dfl_wq, NULL))
/* Before 6.17 workqueues are bound to a CPU by default. */
HAS(MEMLAT_HAS_WQ_PERCPU, 0, (void)WQ_PERCPU)
/* Since 5.11. */
HAS(MEMLAT_HAS_IRQ_WORK_INIT_HARD, 0, struct irq_work work = IRQ_WORK_INIT_HARD(NULL); (void)work)
/* Older kernels export no such function, or one with another prototype. */
HAS(MEMLAT_HAS_PERF_ALLOW_KERNEL, perf_allow_kernel, perf_allow_kernel())
/* Since 5.14; NULL is its error there, and an error pointer since 6.1. */
HAS(MEMLAT_HAS_CGROUP_GET_FROM_ID, cgroup_get_from_id, (void)cgroup_get_from_id((u64)0))
/* Until 6.15 sched_process_exit has only the task as argument. */
HAS(MEMLAT_HAS_EXIT_GROUP_DEAD, 0, check_trace_callback_type_sched_process_exit((exit_of)NULL))
/* Until 5.17 sched_switch has no prev_state. 5.18 had it before the tasks for a while. */
HAS(MEMLAT_HAS_SWITCH_STATE_LAST, 0, check_trace_callback_type_sched_switch((switch_last)NULL))
HAS(MEMLAT_HAS_SWITCH_STATE_FIRST, 0, check_trace_callback_type_sched_switch((switch_first)NULL))
