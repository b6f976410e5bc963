// SPDX-License-Identifier: GPL-2.0
/*
 * Draining: from the records in this CPU's buffer to its counts and its active
 * shard.
 */
#include <linux/irq_work.h>
#include <linux/timekeeping.h>

#include "chain.h"
#include "ds.h"
#include "hw.h"
#include "pebs.h"
#include "phys.h"

/* The stack of the moment, when it is the record's. */
static u16 stack_of(struct memlat_cpu *c, const struct memlat_sample *s, struct pt_regs *regs)
{
	struct memlat_chain chain;
	u16 stack = 0;

	if (regs) {
		memlat_chain_walk(&chain, regs, s->ip);
		stack = memlat_shard_stack(c->active, s->tgid, s->gen, chain.frame,
					   chain.frames, chain.kernel_frames);
	}
	c->counts->count[MEMLAT_COUNT_STACKS_LOST] += !stack;
	return stack;
}

static void add(struct memlat_cpu *c, struct memlat_sample *s, bool here, struct pt_regs *regs)
{
	struct memlat_rate *rate = &c->rate[s->store ? MEMLAT_KIND_STORES : MEMLAT_KIND_LOADS];

	s->weight = rate->period;
	if (unlikely(rate->carry)) {
		s->weight += rate->carry;
		rate->carry = 0;
	}
	rate->records++;
	s->phys = memlat_hw.phys && here ? memlat_phys_line(s->addr) : 0;
	s->stack = memlat_hw.call_graph ? stack_of(c, s, regs) : 0;
	memlat_counts_add(c->counts, s);
	memlat_shard_add(c->active, c->counts, s);
}

/*
 * Records one after the other, each as long as it says itself where they can.
 * Returns how many there were.
 */
static unsigned int walk(struct memlat_cpu *c, u64 at, u64 end, const struct memlat_who *who,
			 bool here, struct pt_regs *regs, unsigned int *samples)
{
	const struct memlat_record_layout *layout = c->core->caps.layout;
	const struct memlat_source_table *sources = c->core->model->sources;
	const struct memlat_record_counters *counters = &c->phase->counters;
	struct memlat_sample s = { .tgid = who->tgid, .tid = who->tid, .gen = who->gen };
	const bool wanted = likely(c->wanted);
	unsigned int records = 0, step = layout->size;

	for (; at < end; at += step) {
		const u8 *record = c->records + (at - c->base);

		records++;
		if (layout->adaptive)
			step = memlat_record_step(layout, record, end - at);
		if (unlikely(!step || step > end - at)) {
			/* Nor can it be known how many came after it. */
			c->counts->count[MEMLAT_COUNT_MALFORMED]++;
			break;
		}
		if (unlikely(!wanted)) {
			c->counts->count[MEMLAT_COUNT_FILTERED]++;
			continue;
		}
		switch (memlat_record_decode(layout, sources, counters, record, &s)) {
		case MEMLAT_VERDICT_SAMPLE:
			add(c, &s, here, regs);
			(*samples)++;
			break;
		case MEMLAT_VERDICT_COLLISION:
			c->counts->count[MEMLAT_COUNT_COLLISION]++;
			break;
		case MEMLAT_VERDICT_MALFORMED:
			c->counts->count[MEMLAT_COUNT_MALFORMED]++;
			break;
		}
	}
	return records;
}

/* @here: @who is current, so that addresses mean what they did. */
static unsigned int drain(struct memlat_cpu *c, const struct memlat_who *who, bool here,
			  struct pt_regs *regs)
{
	const unsigned int size = c->core->caps.layout->size;
	struct memlat_shard *shard = c->active;
	bool first = !shard->used, crowded = memlat_shard_is_crowded(shard);
	unsigned int records = 0, samples = 0;
	u64 *count = c->counts->count;
	u64 at = c->base, end;

	/* One that was in flight when the counters stopped may arrive meanwhile. */
	while ((end = READ_ONCE(c->ds->pebs_index)) != at) {
		unsigned int n;

		if (unlikely(end < at || end > c->max)) {
			/* How many there were can't be known any more. */
			count[MEMLAT_COUNT_RECORDS]++;
			count[MEMLAT_COUNT_MALFORMED]++;
			records++;
			break;
		}
		count[MEMLAT_COUNT_FULL_PMIS] += end == c->max;
		/* Of several only one was made at the moment of the PMI. */
		if (records || end - at != size)
			regs = NULL;
		n = walk(c, at, end, who, here, regs, &samples);
		count[MEMLAT_COUNT_RECORDS] += n;
		records += n;
		at = end;
	}
	/* Whatever else happened, the next record starts at the base. */
	WRITE_ONCE(c->ds->pebs_index, c->base);

	if (samples) {
		struct memlat_shard_thread *thread;

		thread = memlat_shard_note_thread(shard, who->tgid, who->gen, who->tid, who->comm,
						  who->process);
		if (thread)
			thread->tls_base = who->tls_base;
		/* One that left may execute another program by now. */
		if (thread && !thread->first_ns && here)
			thread->first_ns = ktime_get_mono_fast_ns();
		/* Once when it begins to fill and once when it must be merged soon. */
		if (first || (!crowded && memlat_shard_is_crowded(shard))) {
			irq_work_queue(&c->kick);
			c->budget.kicks += memlat_hw.budget;
		}
	}
	return records;
}

/*
 * Are there records, and are they ours? They are, where who wants the PMU has to ask
 * for it; elsewhere the page table tells, a cache line that nobody else needs.
 */
static bool to_drain(const struct memlat_cpu *c)
{
	return memlat_pebs_pending(c) && (!c->core->watched || memlat_ds_is_ours(c));
}

/**
 * memlat_pebs_drain - take all records out of this CPU's buffer
 * @c: this CPU's state; its counters are stopped
 * @regs: of the PMI that asks, NULL for anyone else
 *
 * In NMI, or with interrupts off; the buffer holds records of current alone,
 * because it is drained whenever a task leaves.
 *
 * Return: how many there were.
 */
unsigned int memlat_pebs_drain(struct memlat_cpu *c, struct pt_regs *regs)
{
	struct memlat_who who;

	if (!to_drain(c))
		return 0;
	memlat_who_now(&who);
	return drain(c, &who, true, regs);
}

/**
 * memlat_pebs_drain_of - the same, for records that another thread left behind
 * @c: this CPU's state, disarmed
 * @who: that thread
 *
 * Return: how many there were.
 */
unsigned int memlat_pebs_drain_of(struct memlat_cpu *c, const struct memlat_who *who)
{
	return to_drain(c) ? drain(c, who, false, NULL) : 0;
}
