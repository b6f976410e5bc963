// SPDX-License-Identifier: GPL-2.0
/*
 * The CPUs of a session: armed together, disarmed together, and each on its own
 * when it comes online or goes.
 *
 * Callers of what arms and disarms hold the session's lock. The callbacks run
 * under that of CPU hotplug alone.
 */
#include <linux/cpu.h>
#include <linux/cpuhotplug.h>
#include <linux/cpumask.h>
#include <linux/irqflags.h>
#include <linux/printk.h>
#include <linux/sched.h>

#include "cpus.h"
#include "hw/count.h"
#include "hw/pmu.h"
#include "store.h"
#include "task.h"
#include "watch.h"

/* To be armed when they are online. Changed while no callback is set up. */
static struct cpumask listed;
static enum cpuhp_state hotplug;
static bool set_up;	/* @hotplug is: CPUs are armed, or will be */
static bool together;	/* all are armed, where one that can't be fails that; or disarmed */

static int arm(unsigned int cpu)
{
	struct memlat_cpu *c = per_cpu_ptr(&memlat_cpu, cpu);
	unsigned long flags;
	int ret;

	if (memlat_count_is_on()) {
		local_irq_save(flags);
		memlat_count_arm(c, memlat_task_wanted(current));
		local_irq_restore(flags);
		memlat_watch_cpu(cpu);
		return 0;
	}
	ret = memlat_store_cpu_prepare(cpu);
	if (!ret)
		ret = memlat_buffer_map(c, cpu);
	if (ret)
		return ret;
	local_irq_save(flags);
	memlat_pmu_arm(c, memlat_task_wanted(current));
	local_irq_restore(flags);
	memlat_watch_cpu(cpu);
	return 0;
}

/* On the CPU that comes, or on each when a session starts; may sleep. */
static int cpu_comes(unsigned int cpu)
{
	int ret;

	if (!cpumask_test_cpu(cpu, &listed))
		return 0;
	/* The log has it; nothing that could be done here makes it another kind. */
	if (!memlat_pmu_cpu_comes())
		return 0;
	ret = arm(cpu);
	if (!ret || together)
		return ret;
	/* An error would keep the CPU from coming, and that is not memlat's to do. */
	pr_warn("CPU %u came online and can't be sampled: error %d; the others go on\n",
		cpu, ret);
	return 0;
}

/* On the CPU that goes, or on each when a session stops. */
static int cpu_goes(unsigned int cpu)
{
	unsigned long flags;

	local_irq_save(flags);
	/* An idle CPU has not been looked at for long. */
	memlat_pmu_check();
	memlat_pmu_disarm(per_cpu_ptr(&memlat_cpu, cpu));
	memlat_count_check();
	memlat_count_disarm();
	local_irq_restore(flags);
	/* All of them wait for quiet at once: else a stop takes a millisecond for each. */
	if (!together)
		memlat_pmu_settle_cpu();
	memlat_watch_leave_cpu(cpu);
	return 0;
}

/**
 * memlat_cpus_arm_again - arm the CPUs that memlat_cpus_disarm() disarmed
 *
 * Return: as memlat_cpus_arm().
 */
int memlat_cpus_arm_again(void)
{
	int ret;

	/* No CPU comes on its own meanwhile. */
	cpus_read_lock();
	together = true;
	ret = cpuhp_setup_state_cpuslocked(CPUHP_AP_ONLINE_DYN, "memlat:online",
					   cpu_comes, cpu_goes);
	together = false;
	if (ret < 0)
		memlat_pmu_settle();
	cpus_read_unlock();
	if (ret < 0)
		return ret;
	hotplug = ret;
	set_up = true;
	return 0;
}

/**
 * memlat_cpus_arm - arm CPUs that are online, and those that come later
 * @cpus: which
 *
 * Return: 0; -ENOMEM, or -EBUSY when somebody uses a CPU's DS area: then none is
 * armed.
 */
int memlat_cpus_arm(const struct cpumask *cpus)
{
	cpumask_copy(&listed, cpus);
	return memlat_cpus_arm_again();
}

/**
 * memlat_cpus_disarm - disarm all CPUs, and arm none that comes
 *
 * Then all are quiet. Nothing happens when none is armed.
 */
void memlat_cpus_disarm(void)
{
	if (!set_up)
		return;
	/* No CPU goes, and takes with it what has not settled. */
	cpus_read_lock();
	together = true;
	__cpuhp_remove_state_cpuslocked(hotplug, true);
	together = false;
	set_up = false;
	memlat_pmu_settle();
	cpus_read_unlock();
}

/* Only one of the two can be. */
static bool is_armed(int cpu)
{
	return READ_ONCE(per_cpu(memlat_cpu, cpu).armed) || memlat_count_cpu_is_on(cpu);
}

/**
 * memlat_cpus_armed - how many CPUs sample, or count, now
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
 * memlat_cpus_list - which CPUs sample, or count, now
 * @armed: set to those
 */
void memlat_cpus_list(struct cpumask *armed)
{
	int cpu;

	cpumask_clear(armed);
	for_each_online_cpu(cpu)
		if (is_armed(cpu))
			cpumask_set_cpu(cpu, armed);
}
