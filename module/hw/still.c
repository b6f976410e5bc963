// SPDX-License-Identifier: GPL-2.0
/*
 * Find CPUs that are armed and run sampled tasks, but whose counters do not move: the counters
 * are frozen, or a hypervisor or firmware keeps them from counting. Without this check, such a
 * session would look like one on a machine without slow loads.
 *
 * The watch timer checks once a second, if it interrupted a sampled task with user memory. If
 * five such checks in a row find no new event, the counters are taken to stand still. It is also
 * possible that no load takes as long as the threshold, so the session continues: the log and the
 * status report it, the log with the values of the registers.
 */
#include <linux/atomic.h>
#include <linux/cpumask.h>
#include <linux/jiffies.h>
#include <linux/printk.h>
#include <linux/sched.h>

#include "hw.h"

#define CHECKS	5

/* The CPU whose counters stood still first in this session. */
static struct {
	atomic_t told;
	unsigned int cpu;
	bool cycles;
	u64 debugctl, status, ctrl, select;
} found;

/**
 * memlat_still_setup - forget the CPUs of the last session
 */
void memlat_still_setup(void)
{
	int cpu;

	for_each_possible_cpu(cpu)
		per_cpu_ptr(memlat_cpu, cpu)->still = (struct memlat_still) { };
	atomic_set(&found.told, 0);
}

/* Sum of all sampling counters; a counter whose turn it is not does not move. */
static u64 sum_of(const struct memlat_cpu *c)
{
	u64 sum = 0;
	unsigned int i;

	for (i = 0; i < MEMLAT_KINDS; i++)
		if (c->plan->event[i].on)
			sum += native_rdmsrq(c->plan->event[i].msr);
	return sum;
}

static void warn_note(const struct memlat_cpu *c)
{
	found.cpu = smp_processor_id();
	found.cycles = memlat_hw.cycles && memlat_cycles() != c->still.cycles;
	found.debugctl = native_rdmsrq(MSR_IA32_DEBUGCTLMSR);
	found.status = native_rdmsrq(MSR_CORE_PERF_GLOBAL_STATUS);
	found.ctrl = native_rdmsrq(MSR_CORE_PERF_GLOBAL_CTRL);
	found.select = native_rdmsrq(MSR_ARCH_PERFMON_EVENTSEL0 + c->plan->slot[0].counter);
}

/**
 * memlat_still_check - check whether this CPU's counters stand still
 *
 * Called from a timer, with interrupts off.
 *
 * Return: true if this CPU is the first of the session; the caller then calls
 * memlat_still_warn().
 */
bool memlat_still_check(void)
{
	struct memlat_cpu *c = this_cpu_ptr(memlat_cpu);
	struct memlat_still *s = &c->still;
	u64 sum;

	if (!c->armed || time_before(jiffies, s->due))
		return false;
	s->due = jiffies + HZ;
	sum = sum_of(c);
	if (s->moved || sum != s->last) {
		s->moved = false;
		s->last = sum;
		s->cycles = memlat_hw.cycles ? memlat_cycles() : 0;
		s->checks = 0;
		WRITE_ONCE(s->stands, false);
		return false;
	}
	if (!c->wanted || !current->mm || s->stands || ++s->checks < CHECKS)
		return false;
	WRITE_ONCE(s->stands, true);
	if (atomic_xchg(&found.told, 1))
		return false;
	warn_note(c);
	return true;
}

/**
 * memlat_still_warn - log the first CPU whose counters stood still
 */
void memlat_still_warn(void)
{
	pr_warn("CPU %u: armed and busy, but the sampled events are not counted%s (event select 0x%llx, GLOBAL_CTRL 0x%llx, GLOBAL_STATUS 0x%llx, DEBUGCTL 0x%llx): something keeps the counters from counting, or no load there takes %llu cycles. 'memlat-ctl status' shows how many CPUs are affected\n",
		found.cpu,
		!memlat_hw.cycles ? "" : found.cycles ? "; cycles are" : ", nor are cycles",
		found.select, found.ctrl, found.status, found.debugctl, memlat_hw.ldlat);
}

/**
 * memlat_still_cpus - number of armed CPUs whose counters stand still
 */
unsigned int memlat_still_cpus(void)
{
	unsigned int n = 0;
	int cpu;

	for_each_online_cpu(cpu) {
		const struct memlat_cpu *c = per_cpu_ptr(memlat_cpu, cpu);

		n += READ_ONCE(c->armed) && READ_ONCE(c->still.stands);
	}
	return n;
}
