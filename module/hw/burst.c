// SPDX-License-Identifier: GPL-2.0
/*
 * Bursts: after each record of the configured period (the gap), sample every second or third of
 * the loads that follow, to see their sequence.
 *
 * During a gap the threshold is one record. Its PMI drains the record and begins a burst, with a
 * short period and a threshold of MEMLAT_BURST records. The burst ends with its own PMI, or when
 * anything else drains it, such as a task switch. A burst needs the record of a gap, so there is at
 * most one burst in a period, and its PMI drains little more than MEMLAT_BURST records. There is a
 * shortest period so that PMIs do not follow each other at once. A burst may have a shorter period,
 * because it raises at most one PMI per MEMLAT_BURST records.
 *
 * The period is never 1. Linux does not set that either ("certain CPUs dont like it if just 1
 * hw_event is left", x86_perf_event_set_period()), nor less than the core's shortest period.
 * Successive bursts use the two shortest periods in turn. So both loads of a loop with two loads
 * are seen, and the common divisor of the steps with both periods is the step of one load.
 *
 * The code that enters and leaves an NMI loads too. So a burst that begins in user mode samples
 * only user mode. A burst that samples the kernel skips the loads of the NMI's exit.
 */
#include <linux/ptrace.h>

#include "buffer.h"
#include "hw.h"

/* More loads than the exit of an NMI makes, but few enough to be skipped without harm. */
#define WAY_OUT	512

/* Events per record of the next burst. */
static u8 next_period(struct memlat_cpu *c)
{
	const u8 least = memlat_burst_period(c->core);

	c->burst_last = c->burst_last == least ? least + 1 : least;
	return c->burst_last;
}

/*
 * Change between gap and burst, with counters paused and buffer empty. @burst: period of the burst;
 * 0: a gap begins. No event is lost from the sum of weights: events that were counted since the
 * last record, and events that are skipped now, are added to the weight of the next record.
 *
 * A counter that has overflowed is left alone: its record is written with the next event and stands
 * for the old period, and then the new period begins. Clearing IA32_PEBS_ENABLE would cancel that
 * record, but Intel's own driver does not do that: "CPUs which reboot if a PEBS PMI is encountered
 * when PEBS is disabled" (vtsspp, vtss_pebs_disable()).
 */
static void memlat_burst_set(struct memlat_cpu *c, u8 burst, const struct memlat_phase *phase)
{
	const struct memlat_event *e = &c->plan->event[MEMLAT_KIND_LOADS];
	struct memlat_rate *r = &c->rate[MEMLAT_KIND_LOADS];
	const u64 counter = memlat_rdpmc(e->counter);
	const bool due = memlat_record_is_due(c, counter);
	const u64 before = memlat_period(c, MEMLAT_KIND_LOADS);
	const u64 period = burst ? burst : r->period;
	/* Skip nothing if the period is long, because the exit then is a small part of it. */
	const u64 skip = !due && period < WAY_OUT && (phase->evtsel[e->slot] & MEMLAT_EVTSEL_OS) ?
			 WAY_OUT : 0;
	/* A record that is due will count with the new period, so correct that; may be negative. */
	const u64 came = due ? before - period : memlat_counted(c, counter, before);
	/* The record that is due is not the one that ends the gap. */
	const unsigned int records = burst ? MEMLAT_BURST : 1 + due;

	c->changed = true;
	r->carry += came + skip;
	r->partial -= came + skip;
	if (phase->evtsel[e->slot] != c->phase->evtsel[e->slot])
		native_wrmsrq(MSR_ARCH_PERFMON_EVENTSEL0 + e->counter, phase->evtsel[e->slot]);
	c->phase = phase;
	c->burst = burst;
	memlat_buffer_limit(c, records);
	memlat_buffer_reload(c, e->counter, memlat_reload(c, period));
	if (!due)
		native_wrmsrq(e->msr, memlat_reload(c, period + skip));
}

/**
 * memlat_burst_change - a PMI has drained records: change from gap to burst, or back
 * @c: this CPU's state; counters paused, buffer empty
 * @regs: of the PMI
 *
 * Called in NMI, not within a drain.
 */
void memlat_burst_change(struct memlat_cpu *c, struct pt_regs *regs)
{
	if (c->burst)
		memlat_burst_set(c, 0, &c->plan->phase[0]);
	else
		memlat_burst_set(c, next_period(c), &c->plan->burst[user_mode(regs)]);
}

/**
 * memlat_burst_end - if there is a burst, end it and begin a gap
 * @c: this CPU's state; counters paused, buffer empty
 *
 * Called with interrupts off.
 */
void memlat_burst_end(struct memlat_cpu *c)
{
	if (c->burst)
		memlat_burst_set(c, 0, &c->plan->phase[0]);
}
