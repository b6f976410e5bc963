// SPDX-License-Identifier: GPL-2.0
/*
 * Watch that the PMU is still memlat's, that no guest runs, and that there is something left to
 * sample; end the session otherwise.
 */
#include <linux/atomic.h>
#include <linux/irq_work.h>
#include <linux/irqflags.h>
#include <linux/jiffies.h>
#include <linux/module.h>
#include <linux/notifier.h>
#include <linux/percpu.h>
#include <linux/sched.h>
#include <linux/smp.h>
#include <linux/tick.h>
#include <linux/timer.h>
#include <linux/workqueue.h>

#include "hw/msr.h"
#include "hw/pmu.h"
#include "memlat.h"

#define WATCH_INTERVAL	HZ

/*
 * PMIs and task switches check that already. These timers are for a CPU that has neither, perhaps
 * because its counters are no longer memlat's. They are deferrable and wake no idle CPU, because
 * an idle CPU samples nothing. But on a nohz_full CPU one task can run for days without a tick, and
 * a deferrable timer would wait for a tick.
 */
static DEFINE_PER_CPU(struct timer_list, watch_timer);

/* Timers that change turns: of loads and stores, or of events that are counted in turns. */
#define TURN_INTERVAL	(HZ / 50 ?: 1)
#define COUNT_INTERVAL	(HZ / 250 ?: 1)

static DEFINE_PER_CPU(struct timer_list, turn_timer);

/* The first trouble that was found, enum memlat_end; 0: none. */
static atomic_t found = ATOMIC_INIT(MEMLAT_END_NONE);

static void memlat_still_work(struct work_struct *unused)
{
	memlat_still_warn();
}

static DECLARE_WORK(still_work, memlat_still_work);

static void memlat_watch_timer(struct timer_list *timer)
{
	struct memlat_cpu *c = this_cpu_ptr(memlat_cpu);
	unsigned long flags;
	bool still;

	local_irq_save(flags);
	memlat_cpus_wake_here();
	still = memlat_still_check();
	if (c->armed)
		memlat_pmu_check();
	else
		memlat_count_check();
	local_irq_restore(flags);
	if (memlat_filter_is_gone())
		memlat_watch_trouble(MEMLAT_END_GONE);
	if (still)
		queue_work(system_dfl_wq, &still_work);
	mod_timer(timer, jiffies + WATCH_INTERVAL);
}

static unsigned long memlat_turn_interval(void)
{
	/* Not deferrable there: do not often wake an idle CPU, which samples nothing. */
	if (is_idle_task(current) && tick_nohz_full_cpu(smp_processor_id()))
		return WATCH_INTERVAL;
	return memlat_count_is_on() ? COUNT_INTERVAL : TURN_INTERVAL;
}

static void memlat_turn_timer(struct timer_list *timer)
{
	unsigned long flags;

	local_irq_save(flags);
	memlat_pmu_turn();
	memlat_count_turn();
	local_irq_restore(flags);
	mod_timer(timer, jiffies + memlat_turn_interval());
}

/**
 * memlat_watch_cpu - start the timers of a CPU that was armed
 * @cpu: the CPU
 */
void memlat_watch_cpu(unsigned int cpu)
{
	struct timer_list *timer = per_cpu_ptr(&watch_timer, cpu);

	timer->expires = jiffies + WATCH_INTERVAL;
	add_timer_on(timer, cpu);
	if (!memlat_plan_takes_turns() && !memlat_count_is_on())
		return;
	timer = per_cpu_ptr(&turn_timer, cpu);
	timer->expires = jiffies + memlat_turn_interval();
	add_timer_on(timer, cpu);
}

/**
 * memlat_watch_leave_cpu - stop the timers of a CPU
 * @cpu: the CPU, disarmed; may sleep
 */
void memlat_watch_leave_cpu(unsigned int cpu)
{
	timer_delete_sync(per_cpu_ptr(&watch_timer, cpu));
	timer_delete_sync(per_cpu_ptr(&turn_timer, cpu));
}

static void memlat_end_work(struct work_struct *unused)
{
	memlat_session_end_troubled();
}

static DECLARE_WORK(end_work, memlat_end_work);

static void memlat_end_irq(struct irq_work *unused)
{
	queue_work(system_dfl_wq, &end_work);
}

/* Hard, so that PREEMPT_RT runs it in the interrupt: a real-time task may starve its thread. */
static struct irq_work trouble_work = IRQ_WORK_INIT_HARD(memlat_end_irq);

/**
 * memlat_watch_trouble - report that the session has to end
 * @end: why, enum memlat_end
 *
 * Called by hw/, also in NMI, on a CPU that it has stopped already, and by a timer. Only the first
 * of several reasons is kept.
 */
void memlat_watch_trouble(u32 end)
{
	if (atomic_cmpxchg(&found, MEMLAT_END_NONE, end) == MEMLAT_END_NONE)
		irq_work_queue(&trouble_work);
}

/**
 * memlat_watch_found - the trouble for which the session has to end
 *
 * Return: enum memlat_end; MEMLAT_END_NONE if there is no trouble.
 */
u32 memlat_watch_found(void)
{
	return atomic_read(&found);
}

/**
 * memlat_watch_settle - take the trouble and forget it; no CPU is armed any more
 *
 * Work that is still queued then finds nothing to do, in this session or the next.
 *
 * Return: what memlat_watch_found() would have returned.
 */
u32 memlat_watch_settle(void)
{
	irq_work_sync(&trouble_work);
	return atomic_xchg(&found, MEMLAT_END_NONE);
}

/*
 * A hypervisor is being loaded. This runs before its own code does, and so before it sets
 * CR4.VMXE.
 */
static int memlat_module_notify(struct notifier_block *nb, unsigned long action, void *data)
{
	const struct module *mod = data;

	if (action == MODULE_STATE_COMING && memlat_guests_are_unseen(mod->name))
		memlat_session_end_for_guests();
	return NOTIFY_DONE;
}

static struct notifier_block module_notifier = { .notifier_call = memlat_module_notify };

/**
 * memlat_watch_init - set up the timers and the notifier of modules
 *
 * Return: 0 or a negative errno.
 */
int __init memlat_watch_init(void)
{
	int cpu;

	for_each_possible_cpu(cpu) {
		const u32 waits = tick_nohz_full_cpu(cpu) ? 0 : TIMER_DEFERRABLE;

		timer_setup(per_cpu_ptr(&watch_timer, cpu), memlat_watch_timer,
			    TIMER_PINNED | waits);
		timer_setup(per_cpu_ptr(&turn_timer, cpu), memlat_turn_timer, TIMER_PINNED | waits);
	}
	return register_module_notifier(&module_notifier);
}

/**
 * memlat_watch_exit - undo memlat_watch_init(); no session runs
 */
void memlat_watch_exit(void)
{
	unregister_module_notifier(&module_notifier);
	irq_work_sync(&trouble_work);
	cancel_work_sync(&end_work);
	cancel_work_sync(&still_work);
}

static void memlat_warn_takeover(void)
{
	unsigned int cpu;
	u64 value;
	u32 msr = 0;

	/* The value is a kernel address, which the log must not show. */
	if (memlat_guard_found(&cpu, &msr, &value) && msr == MSR_IA32_DS_AREA)
		pr_warn_ratelimited("CPU %u: someone else wrote IA32_DS_AREA, or mapped other memory where it points\n",
				    cpu);
	else if (msr == MSR_CORE_PERF_GLOBAL_STATUS)
		pr_warn_ratelimited("CPU %u: a bit of IA32_PERF_GLOBAL_STATUS cannot be cleared (0x%llx), so every NMI would look like a PMI: a fault of the CPU, its microcode or a hypervisor\n",
				    cpu, value);
	else if (msr == MEMLAT_MSR_PEBS_BASE)
		pr_warn_ratelimited("CPU %u: someone else wrote IA32_PEBS_BASE\n", cpu);
	else if (msr == MSR_CORE_PERF_GLOBAL_CTRL)
		pr_warn_ratelimited("CPU %u: perf, most likely for Intel PT (intel_pt//), or someone else wrote 0x%llx to MSR 0x%x\n",
				    cpu, value, msr);
	else if (msr)
		pr_warn_ratelimited("CPU %u: someone else wrote 0x%llx to MSR 0x%x\n",
				    cpu, value, msr);
	else
		pr_warn_ratelimited("someone else wrote LVTPC\n");
	pr_warn_ratelimited("stopped: someone else programmed the PMU while memlat owned it; the results so far are kept. Look for Intel PT in perf, another driver, firmware or a tool that writes MSRs, end it, and run 'memlat-ctl start' again\n");
}

/**
 * memlat_watch_log_end - log why a session ended, and what to do about it
 * @end: enum memlat_end
 */
void memlat_watch_log_end(u32 end)
{
	switch (end) {
	case MEMLAT_END_TAKEOVER:
		memlat_warn_takeover();
		break;
	case MEMLAT_END_VMX:
		memlat_guests_warn();
		break;
	case MEMLAT_END_REBOOT:
		pr_info("stopped: the machine is going down\n");
		break;
	case MEMLAT_END_RESUME:
		pr_warn("stopped: sampling could not be resumed after the suspend; the results until then are kept. 'memlat-ctl start' says what is in the way\n");
		break;
	case MEMLAT_END_OOPS:
		pr_warn("stopped: the kernel had an oops; if it panics, PEBS must not write into the memory of the next kernel. The results so far are kept\n");
		break;
	case MEMLAT_END_GONE:
		pr_info_ratelimited("stopped: the process, thread or cgroup that was sampled is gone; the PMU is free again, and the results are kept\n");
		break;
	case MEMLAT_END_CLOSED:
		pr_info_ratelimited("stopped: the process that started it exited; the PMU is free again\n");
		break;
	default:
		pr_info_ratelimited("stopped: the PMU is free again\n");
	}
}
