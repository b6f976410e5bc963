// SPDX-License-Identifier: GPL-2.0
/*
 * Is the PMU still memlat's, and does no guest run? A session that has lost
 * either is ended from here.
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

#include "guests.h"
#include "hw/arm.h"
#include "hw/cores.h"
#include "hw/count.h"
#include "hw/cpu.h"
#include "hw/guard.h"
#include "hw/msr.h"
#include "hw/plan.h"
#include "hw/pmu.h"
#include "hw/still.h"
#include "session.h"
#include "watch.h"

#define WATCH_INTERVAL	HZ

/*
 * PMIs and task switches look already. These timers are for a CPU that has
 * neither, perhaps because its counters are no longer memlat's. Deferrable, so
 * that none wakes an idle CPU: where nothing runs nothing is sampled. Two exceptions:
 *
 * - Where perf may take the memory of records away, an idle CPU can have an interrupt
 *   whose loads are sampled.
 * - On a CPU of nohz_full one task can run for days without a tick, and a deferrable timer
 *   waits for a tick of somebody else's.
 */
static DEFINE_PER_CPU(struct timer_list, watch_timer);

/* The same for loads and stores that take turns, and for events that are counted in turns. */
#define TURN_INTERVAL	(HZ / 50 ?: 1)
#define COUNT_INTERVAL	(HZ / 250 ?: 1)

static DEFINE_PER_CPU(struct timer_list, turn_timer);

/* What was found first: enum memlat_end; 0: nothing. */
static atomic_t found = ATOMIC_INIT(MEMLAT_END_NONE);

/* Where perf does not know that the PMU is taken, it has to be noticed soon. */
static unsigned long interval(void)
{
	return memlat_cores_traits() & MEMLAT_TRAIT_UNRESERVED ? HZ / 50 ?: 1 : WATCH_INTERVAL;
}

static void tell_still(struct work_struct *unused)
{
	memlat_still_tell();
}

static DECLARE_WORK(still_work, tell_still);

static void look(struct timer_list *timer)
{
	struct memlat_cpu *c = this_cpu_ptr(&memlat_cpu);
	unsigned long flags;
	bool still;

	local_irq_save(flags);
	still = memlat_still_look();
	if (c->armed)
		memlat_pmu_check();
	else
		memlat_count_check();
	local_irq_restore(flags);
	if (still)
		queue_work(system_dfl_wq, &still_work);
	mod_timer(timer, jiffies + interval());
}

static unsigned long turn_interval(void)
{
	/* There this timer would wake an idle CPU, which has nothing to take turns for. */
	if (is_idle_task(current) && tick_nohz_full_cpu(smp_processor_id()))
		return WATCH_INTERVAL;
	return memlat_count_is_on() ? COUNT_INTERVAL : TURN_INTERVAL;
}

static void turn(struct timer_list *timer)
{
	unsigned long flags;

	local_irq_save(flags);
	memlat_pmu_turn();
	memlat_count_turn();
	local_irq_restore(flags);
	mod_timer(timer, jiffies + turn_interval());
}

/**
 * memlat_watch_cpu - look after a CPU that was armed
 * @cpu: the CPU
 */
void memlat_watch_cpu(unsigned int cpu)
{
	struct timer_list *timer = per_cpu_ptr(&watch_timer, cpu);

	timer->expires = jiffies + interval();
	add_timer_on(timer, cpu);
	if (!memlat_plan_takes_turns() && !memlat_count_is_on())
		return;
	timer = per_cpu_ptr(&turn_timer, cpu);
	timer->expires = jiffies + turn_interval();
	add_timer_on(timer, cpu);
}

/**
 * memlat_watch_leave_cpu - no longer look after a CPU
 * @cpu: the CPU, disarmed; may sleep
 */
void memlat_watch_leave_cpu(unsigned int cpu)
{
	timer_delete_sync(per_cpu_ptr(&watch_timer, cpu));
	timer_delete_sync(per_cpu_ptr(&turn_timer, cpu));
}

static void disarm_here(void *unused)
{
	/* That session may have been stopped meanwhile, and this may be the next one's CPU. */
	if (!memlat_watch_found())
		return;
	memlat_disarm(this_cpu_ptr(&memlat_cpu));
	memlat_count_disarm();
}

static void end_session(struct work_struct *unused)
{
	/*
	 * All CPUs at once, before each is dealt with in turn: who took the PMU
	 * may give it back, and with it the memory that records went to.
	 */
	if (memlat_cores_traits() & MEMLAT_TRAIT_UNRESERVED)
		on_each_cpu(disarm_here, NULL, 1);
	memlat_session_end_troubled();
}

static DECLARE_WORK(end_work, end_session);

static void hand_on(struct irq_work *unused)
{
	queue_work(system_dfl_wq, &end_work);
}

/* In the interrupt on PREEMPT_RT too: a real-time task may keep its thread from running. */
static struct irq_work trouble_work = IRQ_WORK_INIT_HARD(hand_on);

/**
 * memlat_watch_trouble - the session can't go on
 * @end: why, enum memlat_end
 *
 * From hw/, which has stopped the CPU that it is called on; in NMI too. The
 * first of several reasons counts.
 */
void memlat_watch_trouble(u32 end)
{
	if (atomic_cmpxchg(&found, MEMLAT_END_NONE, end) == MEMLAT_END_NONE)
		irq_work_queue(&trouble_work);
}

/**
 * memlat_watch_found - trouble that the session is to be ended for
 *
 * Return: enum memlat_end, MEMLAT_END_NONE: none.
 */
u32 memlat_watch_found(void)
{
	return atomic_read(&found);
}

/**
 * memlat_watch_settle - forget about trouble; no CPU is armed any more
 *
 * Work that is still queued then finds nothing to do, in this session or in the
 * next.
 *
 * Return: what memlat_watch_found() would have.
 */
u32 memlat_watch_settle(void)
{
	irq_work_sync(&trouble_work);
	return atomic_xchg(&found, MEMLAT_END_NONE);
}

/*
 * Before the module's own code runs, and so before it sets CR4.VMXE: newer
 * kernels do when it is loaded, older ones with the first guest.
 */
static int module_changed(struct notifier_block *nb, unsigned long action, void *data)
{
	const struct module *mod = data;

	if (action == MODULE_STATE_COMING && memlat_guests_are_of(mod->name))
		memlat_session_end_for_guests();
	return NOTIFY_DONE;
}

static struct notifier_block module_notifier = { .notifier_call = module_changed };

/**
 * memlat_watch_init - be ready to watch
 *
 * Return: 0 or a negative errno.
 */
int __init memlat_watch_init(void)
{
	int cpu;

	for_each_possible_cpu(cpu) {
		const u32 waits = tick_nohz_full_cpu(cpu) ? 0 : TIMER_DEFERRABLE;
		const bool unreserved = memlat_cores_traits() & MEMLAT_TRAIT_UNRESERVED;

		timer_setup(per_cpu_ptr(&watch_timer, cpu), look,
			    TIMER_PINNED | (unreserved ? 0 : waits));
		timer_setup(per_cpu_ptr(&turn_timer, cpu), turn, TIMER_PINNED | waits);
	}
	return register_module_notifier(&module_notifier);
}

/**
 * memlat_watch_exit - leave nothing behind; no session runs
 */
void memlat_watch_exit(void)
{
	unregister_module_notifier(&module_notifier);
	irq_work_sync(&trouble_work);
	cancel_work_sync(&end_work);
	cancel_work_sync(&still_work);
}

/**
 * memlat_watch_tell_takeover - tell the log who ended the session, and what to do about it
 */
void memlat_watch_tell_takeover(void)
{
	unsigned int cpu;
	u64 value;
	u32 msr = 0;

	/* Its value is an address of the kernel, which the log does not give away. */
	if (memlat_guard_found(&cpu, &msr, &value) && msr == MSR_IA32_DS_AREA)
		pr_warn_ratelimited("CPU %u: someone else wrote IA32_DS_AREA, or mapped other memory where it points\n",
				    cpu);
	else if (msr == MEMLAT_MSR_PEBS_BASE)
		pr_warn_ratelimited("CPU %u: someone else wrote IA32_PEBS_BASE\n", cpu);
	else if (msr == MSR_CORE_PERF_GLOBAL_CTRL)
		pr_warn_ratelimited("CPU %u: someone else wrote 0x%llx to MSR 0x%x; perf does that for Intel PT (intel_pt//), too\n",
				    cpu, value, msr);
	else if (msr)
		pr_warn_ratelimited("CPU %u: someone else wrote 0x%llx to MSR 0x%x\n",
				    cpu, value, msr);
	else
		pr_warn_ratelimited("someone else wrote LVTPC\n");
	pr_warn_ratelimited("stopped: someone else programmed the PMU while memlat owned it; the results so far are kept. Look for another driver, firmware or a tool that writes MSRs, end it, and run 'memlat-ctl start' again\n");
}
