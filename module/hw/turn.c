// SPDX-License-Identifier: GPL-2.0
/*
 * Loads and stores take turns where no other PEBS event may run beside load
 * latency (SDM vol. 3B, "Load Latency Performance Monitoring Facility"), or where
 * one counter alone can do either.
 *
 * A turn lasts until the first task switch, PMI or timer after its time is up.
 * The kind that leaves keeps its counter's value, so that no event is lost from
 * the sum of weights. What share of busy cycles each kind had is counted with
 * the cycle counter that the budget uses.
 */
#include <linux/percpu.h>

#include "buffer.h"
#include "hw.h"
#include "pebs.h"
#include "turn.h"

/* Long beside a change, which takes some dozen register accesses; short for people. */
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
 * memlat_turn_counter - the counter of a kind, or what it was when its turn ended
 * @c: this CPU's state
 * @kind: enum memlat_kind
 */
u64 memlat_turn_counter(const struct memlat_cpu *c, unsigned int kind)
{
	return kind_is_on(c, kind) ? memlat_rdpmc(c->plan->event[kind].counter) :
				     c->turn.counter[kind];
}

/**
 * memlat_turn_counter_set - begin a period of this kind
 * @c: this CPU's state
 * @kind: enum memlat_kind
 * @period: events until the next record, and from then on
 *
 * Counts at once when it is this kind's turn, else when that begins.
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
 * memlat_turn_setup - no kind has had a turn
 *
 * While no CPU is armed.
 */
void memlat_turn_setup(void)
{
	int cpu;

	for_each_possible_cpu(cpu) {
		struct memlat_turn *t = &per_cpu(memlat_cpu, cpu).turn;

		*t = (struct memlat_turn) { };
	}
}

/**
 * memlat_turn_arm - the first turn begins
 * @c: this CPU's state; its cycle counter begins at zero
 */
void memlat_turn_arm(struct memlat_cpu *c)
{
	c->turns = c->plan->phases > 1;
	c->turn_hold = false;
	c->turn.since = 0;
	c->turn.due = jiffies + TURN;
}

static void turn_ends(struct memlat_cpu *c)
{
	u64 now = memlat_cycles();
	u64 *sum = &c->turn.sum[kind_now(c)];

	WRITE_ONCE(*sum, *sum + ((now - c->turn.since) & memlat_hw.cycles_mask));
	c->turn.since = now;
}

/**
 * memlat_turn_disarm - this CPU's counters are about to be given back
 * @c: its state; the cycle counter still counts
 */
void memlat_turn_disarm(struct memlat_cpu *c)
{
	if (c->turns)
		turn_ends(c);
}

static void counter_keep(struct memlat_cpu *c, unsigned int kind)
{
	struct memlat_rate *r = &c->rate[kind];
	u64 v = memlat_rdpmc(c->plan->event[kind].counter);

	if (memlat_record_is_due(c, v)) {
		/*
		 * It has overflowed, and the record that would come with the
		 * next event will not. The next sample stands for it.
		 */
		r->carry += r->period + v;
		r->partial = 0;
		v = memlat_reload(c, r->period);
	}
	c->turn.counter[kind] = v;
}

/**
 * memlat_turn_change - it is the other kind's turn
 * @c: this CPU's state; counters paused, buffer empty
 *
 * Return: records that came meanwhile, and were taken out.
 */
unsigned int memlat_turn_change(struct memlat_cpu *c)
{
	const struct memlat_plan *plan = c->plan;
	unsigned int from = kind_now(c), to = !from, records;
	const struct memlat_event *e = &plan->event[to];
	u64 status;

	turn_ends(c);
	/* The event before PEBS_ENABLE, or it counts on without PEBS. */
	native_wrmsrq(MSR_ARCH_PERFMON_EVENTSEL0 + plan->event[from].counter, 0);
	native_wrmsrq(MSR_IA32_PEBS_ENABLE, 0);
	/* A record that was on its way is still the old kind's. */
	records = memlat_pebs_drain(c, NULL);
	counter_keep(c, from);
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
 * memlat_turn_sum - what the kinds have had, on all CPUs since start or reset
 * @loads: set to unhalted core cycles of the loads' turns; 0 without turns
 * @stores: the same of stores
 */
void memlat_turn_sum(u64 *loads, u64 *stores)
{
	u64 sum[MEMLAT_KINDS] = { };
	unsigned int k;
	int cpu;

	for_each_possible_cpu(cpu) {
		const struct memlat_turn *t = &per_cpu(memlat_cpu, cpu).turn;

		for (k = 0; k < MEMLAT_KINDS; k++)
			sum[k] += READ_ONCE(t->sum[k]) - READ_ONCE(t->zero[k]);
	}
	*loads = sum[MEMLAT_KIND_LOADS];
	*stores = sum[MEMLAT_KIND_STORES];
}

/**
 * memlat_turn_reset - count from zero
 */
void memlat_turn_reset(void)
{
	unsigned int k;
	int cpu;

	for_each_possible_cpu(cpu) {
		struct memlat_turn *t = &per_cpu(memlat_cpu, cpu).turn;

		for (k = 0; k < MEMLAT_KINDS; k++)
			WRITE_ONCE(t->zero[k], READ_ONCE(t->sum[k]));
	}
}
