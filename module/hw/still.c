// SPDX-License-Identifier: GPL-2.0
/*
 * A CPU that is armed, and runs what is sampled, but whose counters do not move: they are
 * frozen, or a hypervisor or firmware keeps them from counting. Nothing else would tell, for
 * a session without samples looks like a machine without slow loads.
 *
 * Once a second, where the watch comes by in a task of user space that is sampled. What the
 * task does then says that the CPU works; that it does so at five looks in a row without one
 * event is taken for standing still. It may also be that no load takes as long as was asked
 * for, so it is only told, with what the registers hold.
 */
#include <linux/atomic.h>
#include <linux/cpumask.h>
#include <linux/jiffies.h>
#include <linux/printk.h>
#include <linux/sched.h>

#include "hw.h"
#include "still.h"

#define LOOKS	5

/* Of the CPU that stood still first in this session. */
static struct {
	atomic_t told;
	unsigned int cpu;
	bool cycles;
	u64 debugctl, status, ctrl, select;
} found;

/**
 * memlat_still_setup - a session begins: none stands still
 */
void memlat_still_setup(void)
{
	int cpu;

	for_each_possible_cpu(cpu)
		per_cpu(memlat_cpu, cpu).still = (struct memlat_still) { };
	atomic_set(&found.told, 0);
}

/* The values of what counts what is sampled: all of them, for who rests does not move. */
static u64 sum_of(const struct memlat_cpu *c)
{
	u64 sum = 0;
	unsigned int i;

	for (i = 0; i < MEMLAT_KINDS; i++)
		if (c->plan->event[i].on)
			sum += native_rdmsrq(c->plan->event[i].msr);
	return sum;
}

static void note(const struct memlat_cpu *c)
{
	found.cpu = smp_processor_id();
	found.cycles = memlat_hw.cycles && memlat_cycles() != c->still.cycles;
	found.debugctl = native_rdmsrq(MSR_IA32_DEBUGCTLMSR);
	found.status = native_rdmsrq(MSR_CORE_PERF_GLOBAL_STATUS);
	found.ctrl = native_rdmsrq(MSR_CORE_PERF_GLOBAL_CTRL);
	found.select = native_rdmsrq(MSR_ARCH_PERFMON_EVENTSEL0 + c->plan->slot[0].counter);
}

/**
 * memlat_still_look - do this CPU's counters stand still?
 *
 * Interrupts off, from a timer.
 *
 * Return: whether it is the first of this session: then memlat_still_tell() is due.
 */
bool memlat_still_look(void)
{
	struct memlat_cpu *c = this_cpu_ptr(&memlat_cpu);
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
		s->looks = 0;
		WRITE_ONCE(s->stands, false);
		return false;
	}
	if (!c->wanted || !current->mm || s->stands || ++s->looks < LOOKS)
		return false;
	WRITE_ONCE(s->stands, true);
	if (atomic_xchg(&found.told, 1))
		return false;
	note(c);
	return true;
}

/**
 * memlat_still_tell - tell the log of the first CPU that stood still
 */
void memlat_still_tell(void)
{
	pr_warn("CPU %u: armed and busy, but the sampled events are not counted%s (event select 0x%llx, GLOBAL_CTRL 0x%llx, GLOBAL_STATUS 0x%llx, DEBUGCTL 0x%llx): something keeps the counters from counting, or no load there takes %llu cycles. 'memlat-ctl status' shows how many CPUs are affected\n",
		found.cpu,
		!memlat_hw.cycles ? "" : found.cycles ? "; cycles are" : ", nor are cycles",
		found.select, found.ctrl, found.status, found.debugctl, memlat_hw.ldlat);
}

/**
 * memlat_still_cpus - how many armed CPUs stand still
 */
unsigned int memlat_still_cpus(void)
{
	unsigned int n = 0;
	int cpu;

	for_each_online_cpu(cpu) {
		const struct memlat_cpu *c = per_cpu_ptr(&memlat_cpu, cpu);

		n += READ_ONCE(c->armed) && READ_ONCE(c->still.stands);
	}
	return n;
}
