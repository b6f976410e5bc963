// SPDX-License-Identifier: GPL-2.0
/*
 * Bursts: after each record of the configured period (the gap), every second or third of
 * the loads that come next, so that somebody may see how they follow each other.
 *
 * The gap's threshold is one record. Its PMI drains that, and begins a burst: a short
 * period, and a threshold of MEMLAT_BURST records. The burst ends with its own PMI, or
 * with whatever else drains it first, as a task switch does. A burst needs the record of a
 * gap, so there is at most one in a period, and its PMI has little more than
 * MEMLAT_BURST records to take out. Shortest periods are there so that PMIs do not
 * come one after the other; here one comes every MEMLAT_BURST records at most.
 *
 * No period of 1: Linux never sets one either ("certain CPUs dont like it if just 1
 * hw_event is left", x86_perf_event_set_period()), nor one below a core's least. Bursts
 * take turns with the two shortest, so that a loop of two loads is not seen by half, and
 * what the steps of both divide by is the step of one load.
 *
 * The way into an NMI and out of it loads too. So a burst that begins in user mode is
 * of user mode; and where the kernel counts, the way out is passed over.
 */
#include <linux/ptrace.h>

#include "buffer.h"
#include "burst.h"
#include "hw.h"

/* More loads than the way out of the NMI makes, and so few that nobody misses them. */
#define WAY_OUT	512

/* Events per record of the next burst. */
static u8 next_period(struct memlat_cpu *c)
{
	const u8 least = memlat_burst_period(c->core);

	c->burst_last = c->burst_last == least ? least + 1 : least;
	return c->burst_last;
}

/*
 * Counters paused, buffer empty. @burst: its period, 0: a gap. No event is lost from
 * the sum of weights: those that were counted since the last record go to the next one,
 * and so do those that are passed over now.
 *
 * One that has overflowed is left alone: its record comes with the next event, stands
 * for the old period, and then the new one begins. It would forget that without PEBS,
 * but Intel's own driver does not clear IA32_PEBS_ENABLE to stop PEBS: "CPUs which reboot
 * if a PEBS PMI is encountered when PEBS is disabled" (vtsspp, vtss_pebs_disable()).
 */
static void change(struct memlat_cpu *c, u8 burst, const struct memlat_phase *phase)
{
	const struct memlat_event *e = &c->plan->event[MEMLAT_KIND_LOADS];
	struct memlat_rate *r = &c->rate[MEMLAT_KIND_LOADS];
	const u64 counter = memlat_rdpmc(e->counter);
	const bool due = memlat_record_is_due(c, counter);
	const u64 before = memlat_period(c, MEMLAT_KIND_LOADS);
	const u64 period = burst ? burst : r->period;
	/* Of a long period the way out is no great part. */
	const u64 skip = !due && period < WAY_OUT && (phase->evtsel[e->slot] & MEMLAT_EVTSEL_OS) ?
			 WAY_OUT : 0;
	/* A record that is due will be taken for one of the new period; may be below 0. */
	const u64 came = due ? before - period : memlat_counted(c, counter, before);
	/* That record is not the gap's. */
	const unsigned int records = burst ? MEMLAT_BURST : 1 + due;

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
 * memlat_burst_change - a PMI has taken records out: from gap to burst, or back
 * @c: this CPU's state; counters paused, buffer empty
 * @regs: of the PMI
 *
 * In NMI, not within a drain.
 */
void memlat_burst_change(struct memlat_cpu *c, struct pt_regs *regs)
{
	if (c->burst)
		change(c, 0, &c->plan->phase[0]);
	else
		change(c, next_period(c), &c->plan->burst[user_mode(regs)]);
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
		change(c, 0, &c->plan->phase[0]);
}
