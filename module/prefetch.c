// SPDX-License-Identifier: GPL-2.0
/*
 * Prefetchers that are held off: for whom, on which CPUs, and until when.
 *
 * Each CPU, online or not, has the set of prefetchers that are wanted off (@want). Each online
 * thread of a core has the same copy of what memlat has set in the core's register (@held). Every
 * change works alike: the union of what a core's threads want gives the bits to set and the bits
 * to put back. The E-cores of a module may have one register each or one for all (hw/prefetch.c).
 * So what one of them wants, all of them get, and each puts back the bits that it has set.
 *
 * One mutex protects all of this. It is taken with CPU hotplug locked out, and by the hotplug
 * callbacks. A core's register is read and written on one of its threads, while the one who waits
 * for that holds the mutex.
 */
#include <linux/capability.h>
#include <linux/cpu.h>
#include <linux/cpuhotplug.h>
#include <linux/cpumask.h>
#include <linux/errno.h>
#include <linux/mm.h>
#include <linux/mutex.h>
#include <linux/percpu.h>
#include <linux/printk.h>
#include <linux/slab.h>
#include <linux/smp.h>
#include <linux/topology.h>

#include "hw/pmu.h"
#include "memlat.h"

struct prefetch_cpu {
	u8 want;		/* MEMLAT_PREFETCH_* that are wanted off on this CPU */
	u8 held;		/* MEMLAT_PREFETCH_* that memlat has turned off in its core */
};

static DEFINE_PER_CPU(struct prefetch_cpu, prefetch_cpu);
static DEFINE_MUTEX(prefetch_lock);

/* The open file that holds prefetchers off, or &kept for the module; NULL: none is held. */
static const void *owner;
static const char kept;

static bool asleep;		/* during a suspend: nothing is held off */
static bool going_down;	/* the machine is going down */
static enum cpuhp_state hotplug;
static u32 known_any;		/* prefetchers of any CPU that was online at load time */

struct change {
	int leaving;		/* this CPU is going offline; -1: none is */
	int error;
	u8 lost;		/* held prefetchers that someone else has turned on */
};

/* What the other cores of the CPU's module want that are online and stay online. */
static u8 wanted_beside(int cpu, int leaving)
{
	u8 want = 0;
	int other;

	/* A CPU that goes offline puts back what it has set; the others then set it anew. */
	if (cpu == leaving || !memlat_hw_prefetch_share(cpu, cpu))
		return 0;
	for_each_online_cpu(other)
		if (other != leaving && memlat_hw_prefetch_share(cpu, other))
			want |= per_cpu(prefetch_cpu, other).want;
	return want;
}

/* What to hold off in a core's register, by what all its online threads want. */
static u8 wanted(int cpu, int leaving)
{
	u8 want = 0;
	int thread;

	if (asleep || going_down)
		return 0;
	for_each_cpu(thread, topology_sibling_cpumask(cpu))
		if (thread != leaving)
			want |= per_cpu(prefetch_cpu, thread).want;
	want |= wanted_beside(cpu, leaving);
	return want & memlat_hw_prefetch_known(cpu);
}

/* Runs on the CPU itself; it, or the caller that waits for it, holds the mutex. */
static void memlat_prefetch_change_here(void *data)
{
	struct change *change = data;
	int cpu = smp_processor_id(), thread;
	u8 held = this_cpu_read(prefetch_cpu.held);
	u8 want = wanted(cpu, change->leaving);

	change->lost = 0;
	change->error = 0;
	/* Do not even read a register that no user asked to change. */
	if (!want && !held)
		return;
	change->error = memlat_hw_prefetch_change(want, &held, &change->lost);
	if (change->error)
		return;
	for_each_cpu(thread, topology_sibling_cpumask(cpu))
		per_cpu(prefetch_cpu, thread).held = held;
}

static void memlat_prefetch_warn_lost(int cpu, u8 lost)
{
	pr_warn("CPU %d: someone else turned on prefetchers that memlat had turned off (bits %#x of MSR 0x1a4); memlat leaves them on\n",
		cpu, lost);
}

/*
 * Change another CPU, which is and stays online. Returns whether someone else has turned held
 * prefetchers on there.
 */
static bool memlat_prefetch_change_at(int cpu, struct change *change)
{
	smp_call_function_single(cpu, memlat_prefetch_change_here, change, 1);
	if (change->lost)
		memlat_prefetch_warn_lost(cpu, change->lost);
	return change->lost;
}

/*
 * Apply what is wanted to all online CPUs, with hotplug locked out. Tries all of them and returns
 * the first error.
 */
static int memlat_prefetch_change_all(u32 *changed)
{
	struct change change = { .leaving = -1 };
	int cpu, error = 0;

	for_each_online_cpu(cpu) {
		if (memlat_prefetch_change_at(cpu, &change) && changed)
			(*changed)++;
		error = error ?: change.error;
	}
	return error;
}

/* Change all CPUs for a caller that cannot return an error. */
static void memlat_prefetch_change_quietly(void)
{
	if (memlat_prefetch_change_all(NULL))
		pr_err("cannot write MSR 0x1a4: prefetchers may not be as they were before memlat; a reboot restores them\n");
}

static void memlat_prefetch_release(void)
{
	int cpu;

	for_each_possible_cpu(cpu)
		per_cpu(prefetch_cpu, cpu).want = 0;
	WRITE_ONCE(owner, NULL);
	memlat_prefetch_change_quietly();
}

static int refuse(struct memlat_prefetch *p, u32 why, int error)
{
	p->reason = why;
	return error;
}

static u32 owner_for(const void *file)
{
	if (!owner)
		return MEMLAT_PREFETCH_NOBODY;
	if (owner == &kept)
		return MEMLAT_PREFETCH_KEPT;
	return owner == file ? MEMLAT_PREFETCH_MINE : MEMLAT_PREFETCH_FILE;
}

struct reading {
	u32 off;
	int error;
};

static void memlat_prefetch_read_here(void *data)
{
	struct reading *reading = data;

	reading->error = memlat_hw_prefetch_read(&reading->off);
}

/* What memlat holds off on this CPU, through its own core or another core of its module. */
static u8 held_at(int cpu)
{
	u8 held = per_cpu(prefetch_cpu, cpu).held;
	int other;

	for_each_online_cpu(other)
		if (memlat_hw_prefetch_share(cpu, other))
			held |= per_cpu(prefetch_cpu, other).held;
	return held;
}

static int memlat_prefetch_show(struct memlat_prefetch *p)
{
	struct reading reading = { };

	if (p->kinds || p->flags)
		return refuse(p, MEMLAT_WHY_FLAGS, -EINVAL);
	if (p->cpu >= nr_cpu_ids || !cpu_possible(p->cpu))
		return refuse(p, MEMLAT_WHY_CPUS, -EINVAL);
	p->known = memlat_hw_prefetch_known(p->cpu);
	p->online = cpu_online(p->cpu);
	if (!p->known || !p->online)
		return 0;
	smp_call_function_single(p->cpu, memlat_prefetch_read_here, &reading, 1);
	if (reading.error)
		return refuse(p, MEMLAT_WHY_PREFETCH_MSR, reading.error);
	p->off = reading.off;
	/* A prefetcher that someone else has turned on meanwhile is not held any more. */
	p->held = held_at(p->cpu) & reading.off;
	return 0;
}

/* Apply what is wanted; if a CPU fails, restore what was wanted before. */
static int memlat_prefetch_change_or_undo(struct memlat_prefetch *p, const u8 *was)
{
	int ret = memlat_prefetch_change_all(&p->changed), cpu;

	if (!ret)
		return 0;
	for_each_possible_cpu(cpu)
		per_cpu(prefetch_cpu, cpu).want = was[cpu];
	memlat_prefetch_change_quietly();
	return refuse(p, MEMLAT_WHY_PREFETCH_MSR, ret);
}

static bool memlat_prefetch_any_wanted(void)
{
	int cpu;

	for_each_possible_cpu(cpu)
		if (per_cpu(prefetch_cpu, cpu).want)
			return true;
	return false;
}

static int memlat_prefetch_set(struct memlat_prefetch *p, const struct cpumask *cpus, u8 *was,
			       const void *next)
{
	const bool off = p->op == MEMLAT_PREFETCH_OFF;
	int cpu, ret;

	for_each_possible_cpu(cpu) {
		struct prefetch_cpu *c = &per_cpu(prefetch_cpu, cpu);

		was[cpu] = c->want;
		if (!cpumask_test_cpu(cpu, cpus))
			continue;
		c->want = off ? c->want | p->kinds : c->want & ~p->kinds;
	}
	ret = memlat_prefetch_change_or_undo(p, was);
	if (!ret)
		WRITE_ONCE(owner, memlat_prefetch_any_wanted() ? next : NULL);
	return ret;
}

static int memlat_prefetch_turn(struct memlat_prefetch *p, const void *file)
{
	const void *next = p->flags & MEMLAT_PREFETCH_F_TIED ? file : &kept;
	static struct cpumask cpus;	/* too large for the stack; protected by prefetch_lock */
	int ret;
	u8 *was;

	if (!capable(CAP_SYS_RAWIO))
		return -EPERM;
	if (p->kinds & ~MEMLAT_PREFETCH_ALL ||
	    p->flags & ~(p->op == MEMLAT_PREFETCH_OFF ? MEMLAT_PREFETCH_F_TIED : 0))
		return refuse(p, MEMLAT_WHY_FLAGS, -EINVAL);
	p->kinds = p->kinds ?: MEMLAT_PREFETCH_ALL;
	p->known = known_any;
	if (!memlat_config_cpus(p->cpus, &cpus))
		return refuse(p, MEMLAT_WHY_CPUS, -EINVAL);
	if (!(known_any & p->kinds))
		return refuse(p, MEMLAT_WHY_PREFETCH, -EOPNOTSUPP);
	if (asleep || going_down)
		return refuse(p, MEMLAT_WHY_SUSPEND, -EBUSY);
	if (p->op == MEMLAT_PREFETCH_ON) {
		if (!owner)
			return -ENODATA;
		if (owner_for(file) == MEMLAT_PREFETCH_FILE)
			return refuse(p, MEMLAT_WHY_PREFETCH_HELD, -EBUSY);
		next = owner;
	} else if (owner && owner != next) {
		return refuse(p, MEMLAT_WHY_PREFETCH_HELD, -EBUSY);
	}
	was = kvcalloc(nr_cpu_ids, sizeof(*was), MEMLAT_GFP);
	if (!was)
		return -ENOMEM;
	ret = memlat_prefetch_set(p, &cpus, was, next);
	kvfree(was);
	return ret;
}

/**
 * memlat_prefetch - show the prefetchers, turn some off, or put them back
 * @p: the request and the answer; @p->reason is set to why when it is refused
 * @file: the open file of the request
 *
 * Return: 0 or a negative errno, as uapi/linux/memlat.h says for MEMLAT_IOC_PREFETCH.
 */
int memlat_prefetch(struct memlat_prefetch *p, const void *file)
{
	int ret;

	if (p->reason || (p->cpu && p->op != MEMLAT_PREFETCH_SHOW))
		return refuse(p, MEMLAT_WHY_RESERVED, -EINVAL);
	if (p->op > MEMLAT_PREFETCH_ON)
		return refuse(p, MEMLAT_WHY_FLAGS, -EINVAL);
	p->known = 0;
	p->off = 0;
	p->held = 0;
	p->online = 0;
	p->changed = 0;
	cpus_read_lock();
	mutex_lock(&prefetch_lock);
	if (p->op == MEMLAT_PREFETCH_SHOW)
		ret = memlat_prefetch_show(p);
	else
		ret = memlat_prefetch_turn(p, file);
	p->owner = owner_for(file);
	mutex_unlock(&prefetch_lock);
	cpus_read_unlock();
	return ret;
}

static void memlat_prefetch_release_locked(void)
{
	cpus_read_lock();
	mutex_lock(&prefetch_lock);
	memlat_prefetch_release();
	mutex_unlock(&prefetch_lock);
	cpus_read_unlock();
}

/**
 * memlat_prefetch_closed - an open file is released: put back what is tied to it
 * @file: the file, as given to memlat_prefetch()
 */
void memlat_prefetch_closed(const void *file)
{
	/* No prefetcher can be held through a file that is being closed any more. */
	if (READ_ONCE(owner) == file)
		memlat_prefetch_release_locked();
}

/* What memlat holds off in this CPU's core already, by the copy of another thread of it. */
static u8 held_by_others(int cpu)
{
	int thread;

	for_each_cpu(thread, topology_sibling_cpumask(cpu))
		if (thread != cpu)
			return per_cpu(prefetch_cpu, thread).held;
	return 0;
}

/* Runs on the CPU that goes online; may sleep. */
static int memlat_prefetch_cpu_online(unsigned int cpu)
{
	struct change change = { .leaving = -1 };

	mutex_lock(&prefetch_lock);
	/* Identify it also if nothing is wanted off now, because that may be asked for later. */
	if (memlat_hw_prefetch_cpu_online() && memlat_prefetch_any_wanted()) {
		this_cpu_write(prefetch_cpu.held, held_by_others(cpu));
		memlat_prefetch_change_here(&change);
		if (change.error)
			pr_warn("CPU %u came online, but its prefetchers cannot be turned off: error %d\n",
				cpu, change.error);
	}
	mutex_unlock(&prefetch_lock);
	/* An error would keep the CPU offline, which memlat must not do. */
	return 0;
}

/* Runs on the CPU that goes offline; what it wants then no longer counts for its core. */
static int memlat_prefetch_cpu_offline(unsigned int cpu)
{
	struct change change = { .leaving = cpu };
	int other;

	mutex_lock(&prefetch_lock);
	memlat_prefetch_change_here(&change);
	if (change.lost)
		memlat_prefetch_warn_lost(cpu, change.lost);
	if (change.error)
		pr_warn("CPU %u goes offline, but its prefetchers cannot be put back: error %d\n",
			cpu, change.error);
	this_cpu_write(prefetch_cpu.held, 0);
	for_each_online_cpu(other)
		if (other != cpu && memlat_hw_prefetch_share(cpu, other))
			memlat_prefetch_change_at(other, &change);
	mutex_unlock(&prefetch_lock);
	return 0;
}

/* What is wanted stays the same; @asleep and @going_down decide whether it is applied. */
static void machine(bool *what, bool is)
{
	cpus_read_lock();
	mutex_lock(&prefetch_lock);
	*what = is;
	memlat_prefetch_change_quietly();
	mutex_unlock(&prefetch_lock);
	cpus_read_unlock();
}

/**
 * memlat_prefetch_suspend - the machine is about to be suspended: put all back
 *
 * CPUs lose the register during a suspend, and firmware may set it to another value. After the
 * resume, memlat takes the value that it finds as the one to put back later.
 */
void memlat_prefetch_suspend(void)
{
	machine(&asleep, true);
}

/**
 * memlat_prefetch_resume - the machine was resumed: turn off again what is wanted off
 */
void memlat_prefetch_resume(void)
{
	machine(&asleep, false);
}

/**
 * memlat_prefetch_shut_down - the machine is going down: put all back, for good
 *
 * Firmware may not reset the register before the next kernel (kexec).
 */
void memlat_prefetch_shut_down(void)
{
	machine(&going_down, true);
}

/**
 * memlat_prefetch_init - follow CPU hotplug, if any CPU here has known prefetchers
 *
 * Called after the CPUs were identified.
 *
 * Return: 0 or a negative errno.
 */
int __init memlat_prefetch_init(void)
{
	int cpu, ret = 0;

	/* No CPU goes online unnoticed between the loop and the callbacks. */
	cpus_read_lock();
	for_each_online_cpu(cpu) {
		known_any |= memlat_hw_prefetch_known(cpu);
		smp_call_function_single(cpu, memlat_hw_prefetch_identify, NULL, 1);
	}
	if (known_any)
		ret = cpuhp_setup_state_nocalls_cpuslocked(CPUHP_AP_ONLINE_DYN, "memlat:prefetch",
							   memlat_prefetch_cpu_online,
							   memlat_prefetch_cpu_offline);
	cpus_read_unlock();
	if (ret < 0)
		return ret;
	hotplug = ret;
	return 0;
}

/**
 * memlat_prefetch_exit - put back what is held off; no file is open
 */
void memlat_prefetch_exit(void)
{
	if (!known_any)
		return;
	memlat_prefetch_release_locked();
	cpuhp_remove_state_nocalls(hotplug);
}
