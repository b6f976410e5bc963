// SPDX-License-Identifier: GPL-2.0
/*
 * Draining: from the records in this CPU's buffer to its counts and its active
 * shard.
 */
#include <linux/irq_work.h>

#include "chain.h"
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

/* Returns how many samples these records were. */
static unsigned int add_records(struct memlat_cpu *c, u64 at, u64 end,
				const struct memlat_who *who, bool here, struct pt_regs *regs)
{
	const struct memlat_cpu_model *model = memlat_hw.model;
	const unsigned int size = model->layout->size;
	struct memlat_sample s = { .tgid = who->tgid, .tid = who->tid, .gen = who->gen };
	unsigned int samples = 0;

	for (; at < end; at += size) {
		switch (memlat_record_decode(model->layout, model->sources, &memlat_hw.counters,
					     (const void *)at, &s)) {
		case MEMLAT_VERDICT_SAMPLE:
			add(c, &s, here, regs);
			samples++;
			break;
		case MEMLAT_VERDICT_COLLISION:
			c->counts->count[MEMLAT_COUNT_COLLISION]++;
			break;
		case MEMLAT_VERDICT_MALFORMED:
			c->counts->count[MEMLAT_COUNT_MALFORMED]++;
			break;
		}
	}
	return samples;
}

/* @here: @who is current, so that addresses mean what they did. */
static unsigned int drain(struct memlat_cpu *c, const struct memlat_who *who, bool here,
			  struct pt_regs *regs)
{
	const unsigned int size = memlat_hw.model->layout->size;
	struct memlat_shard *shard = c->active;
	bool first = !shard->used, crowded = memlat_shard_is_crowded(shard);
	unsigned int records = 0, samples = 0;
	u64 *count = c->counts->count;
	u64 at = c->base, end;

	/* One that was in flight when the counters stopped may arrive meanwhile. */
	while ((end = READ_ONCE(c->ds->pebs_index)) != at) {
		unsigned int n = (u32)(end - at) / size;

		if (unlikely(end < at || end > c->max || (end - at) % size)) {
			/* How many there were can't be known any more. */
			count[MEMLAT_COUNT_RECORDS]++;
			count[MEMLAT_COUNT_MALFORMED]++;
			records++;
			break;
		}
		count[MEMLAT_COUNT_FULL_PMIS] += end == c->max;
		count[MEMLAT_COUNT_RECORDS] += n;
		records += n;
		/* Of several only one was made at the moment of the PMI. */
		if (records != 1)
			regs = NULL;
		if (likely(c->wanted))
			samples += add_records(c, at, end, who, here, regs);
		else
			count[MEMLAT_COUNT_FILTERED] += n;
		at = end;
	}
	/* Whatever else happened, the next record starts at the base. */
	WRITE_ONCE(c->ds->pebs_index, c->base);

	if (samples) {
		memlat_shard_note_thread(shard, who->tgid, who->gen, who->tid, who->comm,
					 who->process);
		/* Once when it begins to fill and once when it must be merged soon. */
		if (first || (!crowded && memlat_shard_is_crowded(shard))) {
			irq_work_queue(&c->kick);
			c->budget.kicks += memlat_hw.budget;
		}
	}
	return records;
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

	if (!memlat_pebs_pending(c))
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
	return memlat_pebs_pending(c) ? drain(c, who, false, NULL) : 0;
}
