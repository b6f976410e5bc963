// SPDX-License-Identifier: GPL-2.0
/*
 * Bursts: after each record of the configured period (the gap), the loads that come
 * next, one record each, so that somebody may see how they follow each other.
 *
 * The gap's threshold is one record. Its PMI drains that, and begins a burst: period 1,
 * and a threshold of MEMLAT_BURST records. The burst ends with its own PMI, or with
 * whatever else drains it first, as a task switch does. A burst needs the record of a
 * gap, so there is at most one in a period, and its PMI has little more than
 * MEMLAT_BURST records to take out. Shortest periods are there so that PMIs do not
 * come one after the other; here one comes every MEMLAT_BURST loads at most.
 *
 * The way into an NMI and out of it loads too. So a burst that begins in user mode is
 * of user mode; and where the kernel counts, the way out is passed over.
 */
#include <linux/ptrace.h>

#include "hw.h"

/* More loads than the way out of the NMI makes, and so few that nobody misses them. */
#define WAY_OUT	512

/*
 * Counters paused, buffer empty. No event is lost from the sum of weights: those that
 * were counted since the last record go to the next one, and so do those that are
 * passed over now.
 */
static void change(struct memlat_cpu *c, bool burst, const struct memlat_phase *phase)
{
	const struct memlat_event *e = &c->plan->event[MEMLAT_KIND_LOADS];
	struct memlat_rate *r = &c->rate[MEMLAT_KIND_LOADS];
	const u64 counter = memlat_rdpmc(e->counter);
	const bool due = memlat_record_is_due(c, counter);
	const u64 before = memlat_period(c, MEMLAT_KIND_LOADS);
	const u64 period = burst ? 1 : r->period;
	/* Of a long period the way out is no great part. */
	const u64 skip = period < WAY_OUT && (phase->evtsel[e->slot] & MEMLAT_EVTSEL_OS) ?
			 WAY_OUT : 0;
	const u64 came = due ? before + counter : memlat_counted(c, counter, before);

	r->carry += came + skip;
	r->partial -= came + skip;
	/* One that has overflowed forgets without PEBS that a record is due. */
	if (due)
		native_wrmsrq(MSR_IA32_PEBS_ENABLE, 0);
	if (phase->evtsel[e->slot] != c->phase->evtsel[e->slot])
		native_wrmsrq(MSR_ARCH_PERFMON_EVENTSEL0 + e->counter, phase->evtsel[e->slot]);
	c->phase = phase;
	c->burst = burst;
	c->ds->pebs_interrupt_threshold =
		c->base + (burst ? MEMLAT_BURST : 1) * c->core->caps.layout->size;
	c->ds->pebs_event_reset[e->counter] = memlat_reload(c, period);
	native_wrmsrq(e->msr, memlat_reload(c, period + skip));
	if (due)
		native_wrmsrq(MSR_IA32_PEBS_ENABLE, phase->pebs_enable);
}

/**
 * memlat_burst_change - a PMI has taken records out: from gap to burst, or back
 * @c: this CPU's state; counters paused, buffer empty
 * @regs: of the PMI
 *
 * In NMI, not within a drain.
 */
void memlat_burst_change(struct memlat_cpu *c, struct pt_regs *regs)
{
	if (c->burst)
		change(c, false, &c->plan->phase[0]);
	else
		change(c, true, &c->plan->burst[user_mode(regs)]);
}

/**
 * memlat_burst_end - back to the gap, if it is a burst
 * @c: this CPU's state; counters paused, buffer empty
 *
 * Interrupts off.
 */
void memlat_burst_end(struct memlat_cpu *c)
{
	if (c->burst)
		change(c, false, &c->plan->phase[0]);
}
