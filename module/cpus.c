// SPDX-License-Identifier: GPL-2.0
/*
 * The CPUs of a session: armed together, disarmed together, and one by one when they go online
 * or offline.
 *
 * The caller of a function that arms or disarms CPUs holds the session's lock. The hotplug
 * callbacks run only under the CPU hotplug lock.
 */
#include <linux/cpu.h>
#include <linux/cpuhotplug.h>
#include <linux/cpumask.h>
#include <linux/irqflags.h>
#include <linux/percpu.h>
#include <linux/printk.h>
#include <linux/sched.h>
#include <linux/smp.h>

#include "hw/pmu.h"
#include "memlat.h"

/* CPUs to arm when they are online. Changed only while no callback is set up. */
static struct cpumask listed;
static enum cpuhp_state hotplug;
static bool set_up;	/* the state @hotplug is set up: online CPUs are armed */

/* memlat_cpus_sleep_here() has disarmed the CPU, and it has to be armed again. */
static DEFINE_PER_CPU(bool, asleep);

/* Allocate all that a CPU needs before it is armed. Runs on any CPU, and may sleep. */
static int memlat_cpu_prepare(unsigned int cpu)
{
	int ret;

	if (memlat_count_is_on())
		return 0;
	ret = memlat_store_cpu_prepare(cpu);
	return ret ?: memlat_buffer_map(per_cpu_ptr(memlat_cpu, cpu), cpu);
}

/* Runs on the CPU itself, with interrupts off. */
static void memlat_cpu_arm_here(void *unused)
{
	struct memlat_cpu *c = this_cpu_ptr(memlat_cpu);

	if (memlat_count_is_on())
		memlat_count_arm(c, memlat_task_wanted(current));
	else
		memlat_arm(c, memlat_task_wanted(current));
}

/* Runs on the CPU itself, with interrupts off. */
static void memlat_cpu_disarm_here(void *unused)
{
	this_cpu_write(asleep, false);
	/* Check first: an idle CPU may not have been checked for long. */
	memlat_pmu_check();
	memlat_disarm(this_cpu_ptr(memlat_cpu));
	memlat_count_check();
	memlat_count_disarm();
}

/* Runs on the CPU that goes online; may sleep. */
static int memlat_cpu_online(unsigned int cpu)
{
	unsigned long flags;
	int ret = memlat_hold_cpu(cpu);

	if (!cpumask_test_cpu(cpu, &listed))
		return 0;
	/* That has been logged; leave the CPU alone. */
	if (!memlat_cores_cpu_online())
		return 0;
	ret = ret ?: memlat_cpu_prepare(cpu);
	if (ret) {
		/* An error would keep the CPU offline, which memlat must not do. */
		pr_warn("CPU %u came online but cannot be sampled: error %d. The other CPUs still are\n",
			cpu, ret);
		return 0;
	}
	local_irq_save(flags);
	memlat_cpu_arm_here(NULL);
	local_irq_restore(flags);
	memlat_watch_cpu(cpu);
	return 0;
}

/* Runs on the CPU that goes offline. */
static int memlat_cpu_offline(unsigned int cpu)
{
	unsigned long flags;

	local_irq_save(flags);
	memlat_cpu_disarm_here(NULL);
	local_irq_restore(flags);
	memlat_arm_settle_cpu();
	memlat_watch_leave_cpu(cpu);
	memlat_hold_release(cpu);
	return 0;
}

/* Runs on a CPU that may not have been identified yet. */
static void memlat_cpu_identify_here(void *known)
{
	*(bool *)known = memlat_cores_cpu_online();
}

/*
 * Arm by interrupts, as perf does, and not by the callbacks above. They run in a thread of each
 * CPU, and a real-time task that never leaves its CPU would keep that thread, and the caller that
 * starts or stops the session, waiting for ever.
 */
static int memlat_cpus_arm_online(void)
{
	unsigned int cpu;
	bool known;
	int ret;

	for_each_online_cpu(cpu) {
		/* The CPU may have been offline since memlat_pmu_reserve(), in a suspend. */
		ret = memlat_hold_cpu(cpu);
		if (ret)
			return ret;
		if (!cpumask_test_cpu(cpu, &listed))
			continue;
		smp_call_function_single(cpu, memlat_cpu_identify_here, &known, 1);
		if (!known)
			continue;
		ret = memlat_cpu_prepare(cpu);
		if (ret)
			return ret;
		smp_call_function_single(cpu, memlat_cpu_arm_here, NULL, 1);
		memlat_watch_cpu(cpu);
	}
	return 0;
}

/* One after the other, because threads of a core share a register. */
static void memlat_cpus_disarm_online(void)
{
	unsigned int cpu;

	for_each_online_cpu(cpu) {
		smp_call_function_single(cpu, memlat_cpu_disarm_here, NULL, 1);
		memlat_watch_leave_cpu(cpu);
	}
}

/**
 * memlat_cpus_arm_again - arm the CPUs that memlat_cpus_disarm() disarmed
 *
 * Return: as memlat_cpus_arm().
 */
int memlat_cpus_arm_again(void)
{
	int ret;

	/* No CPU goes online or offline meanwhile. */
	cpus_read_lock();
	ret = cpuhp_setup_state_nocalls_cpuslocked(CPUHP_AP_ONLINE_DYN, "memlat:online",
						   memlat_cpu_online, memlat_cpu_offline);
	if (ret < 0)
		goto out;
	hotplug = ret;
	ret = memlat_cpus_arm_online();
	set_up = !ret;
	if (ret) {
		memlat_cpus_disarm_online();
		__cpuhp_remove_state_cpuslocked(hotplug, false);
		memlat_arm_settle();
	}
out:
	cpus_read_unlock();
	return ret;
}

/**
 * memlat_cpus_arm - arm CPUs that are online, and those that go online later
 * @cpus: the CPUs
 *
 * Return: 0; or, with no CPU armed, -ENOMEM, or -EBUSY if a CPU's DS area is in use.
 */
int memlat_cpus_arm(const struct cpumask *cpus)
{
	cpumask_copy(&listed, cpus);
	return memlat_cpus_arm_again();
}

/**
 * memlat_cpus_disarm - disarm all CPUs, and arm none that goes online
 *
 * On return nothing on any CPU uses the session's buffers any more. Does nothing if no CPU is
 * armed.
 */
void memlat_cpus_disarm(void)
{
	if (!set_up)
		return;
	/* No CPU may go offline before it has settled. */
	cpus_read_lock();
	memlat_cpus_disarm_online();
	__cpuhp_remove_state_cpuslocked(hotplug, false);
	set_up = false;
	/* Settle all CPUs at once. */
	memlat_arm_settle();
	cpus_read_unlock();
}

/* A CPU is either armed for sampling or on for counting, never both. */
static bool is_armed(int cpu)
{
	return READ_ONCE(per_cpu_ptr(memlat_cpu, cpu)->armed) || memlat_count_cpu_is_on(cpu);
}

/**
 * memlat_cpus_armed - number of CPUs that sample or count now
 */
unsigned int memlat_cpus_armed(void)
{
	unsigned int n = 0;
	int cpu;

	for_each_online_cpu(cpu)
		n += is_armed(cpu);
	return n;
}

/**
 * memlat_cpus_list - list the CPUs that sample or count now
 * @armed: set to these CPUs
 */
void memlat_cpus_list(struct cpumask *armed)
{
	int cpu;

	cpumask_clear(armed);
	for_each_online_cpu(cpu)
		if (is_armed(cpu))
			cpumask_set_cpu(cpu, armed);
}

/**
 * memlat_cpus_sleep_here - the last online CPU stops, or jumps into another kernel
 *
 * Called with interrupts off. The other CPUs have gone offline before, and memlat_cpu_offline()
 * disarmed them. In a suspend no CPU is armed here, because memlat_session_suspend() was called
 * before.
 */
void memlat_cpus_sleep_here(void)
{
	if (!is_armed(smp_processor_id()))
		return;
	memlat_cpu_disarm_here(NULL);
	this_cpu_write(asleep, true);
}

/**
 * memlat_cpus_wake_here - if this CPU stopped in memlat_cpus_sleep_here(), arm it again
 *
 * Called with interrupts off: when the CPU is back, or when its timer runs, which shows that it did
 * not leave. If the session has ended meanwhile, or has to end, the CPU stays disarmed.
 */
void memlat_cpus_wake_here(void)
{
	if (!this_cpu_read(asleep))
		return;
	this_cpu_write(asleep, false);
	if (!memlat_watch_found())
		memlat_cpu_arm_here(NULL);
}
