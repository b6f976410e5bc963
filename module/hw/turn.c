// SPDX-License-Identifier: GPL-2.0
/*
 * Loads and stores take turns on cores where no other PEBS event may run together with load latency
 * (SDM vol. 3B, "Load Latency Performance Monitoring Facility"), or where only one counter can do
 * either.
 *
 * A turn lasts until the first task switch, PMI or timer after its time is up. The counter's value
 * is kept for the next turn of the same kind, so that no event is lost from the sum of weights. The
 * cycle counter, which the budget uses too, measures each kind's share of busy cycles.
 */
#include <linux/percpu.h>

#include "buffer.h"
#include "hw.h"

/* Long compared with a change, which takes some dozen register accesses, but short for a run. */
#define TURN	(HZ / 50 ?: 1)

static bool kind_is_on(const struct memlat_cpu *c, unsigned int kind)
{
	return c->phase->kinds & BIT(kind);
}

static unsigned int kind_now(const struct memlat_cpu *c)
{
	return c->phase - c->plan->phase;
}

/**
 * memlat_turn_counter - value of a kind's counter, now or at the end of its last turn
 * @c: this CPU's state
 * @kind: enum memlat_kind
 */
u64 memlat_turn_counter(const struct memlat_cpu *c, unsigned int kind)
{
	return kind_is_on(c, kind) ? memlat_rdpmc(c->plan->event[kind].counter) :
				     c->turn.counter[kind];
}

/**
 * memlat_turn_counter_set - set a kind's period, and begin it
 * @c: this CPU's state
 * @kind: enum memlat_kind
 * @period: events until the next record, and between records after that
 *
 * The period begins at once if the kind has its turn, else with its next turn.
 */
void memlat_turn_counter_set(struct memlat_cpu *c, unsigned int kind, u64 period)
{
	const struct memlat_event *e = &c->plan->event[kind];

	c->turn.counter[kind] = memlat_reload(c, period);
	if (!kind_is_on(c, kind))
		return;
	memlat_buffer_reload(c, e->counter, memlat_reload(c, period));
	native_wrmsrq(e->msr, memlat_reload(c, period));
}

/**
 * memlat_turn_setup - forget all turns
 *
 * Called while no CPU is armed.
 */
void memlat_turn_setup(void)
{
	int cpu;

	for_each_possible_cpu(cpu) {
		struct memlat_turn *t = &per_cpu_ptr(memlat_cpu, cpu)->turn;

		*t = (struct memlat_turn) { };
	}
}

/**
 * memlat_turn_arm - begin the first turn
 * @c: this CPU's state; its cycle counter begins at zero
 */
void memlat_turn_arm(struct memlat_cpu *c)
{
	c->turns = c->plan->phases > 1;
	c->turn.since = 0;
	c->turn.due = jiffies + TURN;
}

static void turn_ends(struct memlat_cpu *c)
{
	u64 now = memlat_cycles();
	u64 *sum = &c->turn.sum[kind_now(c)];

	WRITE_ONCE(*sum, *sum + memlat_cycles_elapsed(now, c->turn.since));
	c->turn.since = now;
}

/**
 * memlat_turn_disarm - end the turn, before this CPU's counters are given back
 * @c: its state; the cycle counter still counts
 */
void memlat_turn_disarm(struct memlat_cpu *c)
{
	if (c->turns)
		turn_ends(c);
}

/* A counter that has overflowed has its record before it has counted so many events more. */
#define LOST	64

static bool is_lost(const struct memlat_cpu *c, u64 counter)
{
	return memlat_record_is_due(c, counter) && counter >= LOST;
}

/**
 * memlat_turn_is_lost - check whether perf has cleared a counter, which then never overflows
 * @c: this CPU's state, armed; perf holds the PMU
 *
 * See memlat_cycles_elapsed().
 */
bool memlat_turn_is_lost(const struct memlat_cpu *c)
{
	unsigned int i;

	for (i = 0; i < MEMLAT_KINDS; i++)
		if (kind_is_on(c, i) && is_lost(c, memlat_rdpmc(c->plan->event[i].counter)))
			return true;
	return false;
}

/**
 * memlat_turn_mend - begin the period of a counter that perf has cleared
 * @c: this CPU's state; counters paused, buffer empty
 *
 * The next sample stands for the events that were counted since.
 */
void memlat_turn_mend(struct memlat_cpu *c)
{
	unsigned int i;

	for (i = 0; i < MEMLAT_KINDS; i++) {
		const u64 v = kind_is_on(c, i) ? memlat_rdpmc(c->plan->event[i].counter) : 0;

		if (!is_lost(c, v))
			continue;
		c->changed = true;
		c->rate[i].carry += v;
		memlat_turn_counter_set(c, i, memlat_period(c, i));
	}
}

/*
 * PEBS is disabled now. If a kind's counter has overflowed, the record that its next event would
 * write will not be written: its period begins again, and the next sample stands for it. @v: set to
 * the value that the counter has, or is to have.
 */
static bool memlat_turn_unrecorded(struct memlat_cpu *c, unsigned int kind, u64 *v)
{
	struct memlat_rate *r = &c->rate[kind];

	*v = memlat_rdpmc(c->plan->event[kind].counter);
	if (!memlat_record_is_due(c, *v))
		return false;
	r->carry += r->period + *v;
	r->partial = 0;
	*v = memlat_reload(c, r->period);
	return true;
}

/**
 * memlat_turn_restart_due - begin the period of each counter that has overflowed
 * @c: this CPU's state; counters paused, buffer empty, PEBS off
 */
void memlat_turn_restart_due(struct memlat_cpu *c)
{
	unsigned int i;
	u64 v;

	for (i = 0; i < MEMLAT_KINDS; i++) {
		if (!kind_is_on(c, i) || !memlat_turn_unrecorded(c, i, &v))
			continue;
		c->changed = true;
		memlat_turn_counter_set(c, i, c->rate[i].period);
	}
}

/**
 * memlat_turn_change - begin the other kind's turn
 * @c: this CPU's state; counters paused, buffer empty
 *
 * Return: number of records that were written meanwhile, and drained.
 */
unsigned int memlat_turn_change(struct memlat_cpu *c)
{
	const struct memlat_plan *plan = c->plan;
	unsigned int from = kind_now(c), to = !from, records;
	const struct memlat_event *e = &plan->event[to];
	u64 status;

	c->changed = true;
	turn_ends(c);
	/* Clear the event before PEBS_ENABLE, or it would count without PEBS. */
	native_wrmsrq(MSR_ARCH_PERFMON_EVENTSEL0 + plan->event[from].counter, 0);
	native_wrmsrq(MSR_IA32_PEBS_ENABLE, 0);
	/* A record that was on its way still is one of the old kind. */
	records = memlat_pebs_drain(c, NULL);
	memlat_turn_unrecorded(c, from, &c->turn.counter[from]);
	status = native_rdmsrq(MSR_CORE_PERF_GLOBAL_STATUS) & plan->ours;
	if (status)
		native_wrmsrq(MSR_CORE_PERF_GLOBAL_OVF_CTRL, status);

	c->phase = &plan->phase[to];
	memlat_buffer_reload(c, e->counter, memlat_reload(c, c->rate[to].period));
	native_wrmsrq(e->msr, c->turn.counter[to]);
	native_wrmsrq(MSR_ARCH_PERFMON_EVENTSEL0 + e->counter, c->phase->evtsel[e->slot]);
	native_wrmsrq(MSR_IA32_PEBS_ENABLE, c->phase->pebs_enable);
	c->turn.due = jiffies + TURN;
	return records;
}

/**
 * memlat_turn_sum - sum of the turns on all CPUs since start or reset
 * @loads: set to unhalted core cycles of the loads' turns; 0 without turns
 * @stores: set to unhalted core cycles of the stores' turns; 0 without turns
 */
void memlat_turn_sum(u64 *loads, u64 *stores)
{
	u64 sum[MEMLAT_KINDS] = { };
	unsigned int k;
	int cpu;

	for_each_possible_cpu(cpu) {
		const struct memlat_turn *t = &per_cpu_ptr(memlat_cpu, cpu)->turn;

		for (k = 0; k < MEMLAT_KINDS; k++)
			sum[k] += READ_ONCE(t->sum[k]) - READ_ONCE(t->zero[k]);
	}
	*loads = sum[MEMLAT_KIND_LOADS];
	*stores = sum[MEMLAT_KIND_STORES];
}

/**
 * memlat_turn_reset - count the cycles of turns from zero
 */
void memlat_turn_reset(void)
{
	unsigned int k;
	int cpu;

	for_each_possible_cpu(cpu) {
		struct memlat_turn *t = &per_cpu_ptr(memlat_cpu, cpu)->turn;

		for (k = 0; k < MEMLAT_KINDS; k++)
			WRITE_ONCE(t->zero[k], READ_ONCE(t->sum[k]));
	}
}
