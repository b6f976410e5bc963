// SPDX-License-Identifier: GPL-2.0
#include "shard.h"

/* The number of places that a look-up of a step tries. */
#define PROBES		8

#define PAGE_SHIFT_4K	12

static_assert(sizeof(struct memlat_step) == 64);
static_assert((MEMLAT_STEPS & (MEMLAT_STEPS - 1)) == 0);
static_assert((MEMLAT_STEP_IPS & (MEMLAT_STEP_IPS - 1)) == 0);

static bool step_is(const struct memlat_step *step, u64 ip, u64 by,
		    const struct memlat_sample *s)
{
	return step->ip == ip && step->step == by && step->tgid == s->tgid && step->gen == s->gen;
}

static struct memlat_step *step_of(struct memlat_steps *steps, u64 by,
				   const struct memlat_sample *s)
{
	const u64 hash = memlat_hash(memlat_hash(memlat_hash(0, s->ip), by),
				     (u64)s->tgid << 32 | s->gen);
	unsigned int i, place;

	for (i = 0; i < PROBES; i++) {
		struct memlat_step *step;

		place = ((u32)(hash >> 32) + i) % MEMLAT_STEPS;
		step = &steps->step[place];
		if (step->round != steps->emptied + 1) {
			*step = (struct memlat_step) {
				.ip = s->ip,
				.step = by,
				.tgid = s->tgid,
				.gen = s->gen,
				.round = steps->emptied + 1,
			};
			steps->place[steps->used++] = place;
			return step;
		}
		if (step_is(step, s->ip, by, s))
			return step;
	}
	return NULL;
}

/**
 * memlat_steps_load - add the next load of a burst
 * @steps: of this CPU
 * @counts: of this CPU, for PAIRS and PAIRS_LOST
 * @s: the load, of the same thread as all loads since memlat_steps_begin()
 *
 * Runs in NMI: one place to look for the last load of this instruction, and at most PROBES for the
 * step.
 */
void memlat_steps_load(struct memlat_steps *steps, struct memlat_counts *counts,
		       const struct memlat_sample *s)
{
	struct memlat_step_ip *last = &steps->ip[(memlat_hash(0, s->ip) >> 32) % MEMLAT_STEP_IPS];
	const u64 before = last->addr;
	const bool pair = last->burst == steps->burst && last->ip == s->ip;
	const u64 by = pair ? s->addr - before : 0, step_before = pair ? last->step : 0;
	struct memlat_step *step;

	last->ip = s->ip;
	last->addr = s->addr;
	last->burst = steps->burst;
	/* A step of 0 has no direction, so compare the next step with the one before it. */
	last->step = by ? by : step_before;
	if (!pair)
		return;
	counts->count[MEMLAT_COUNT_PAIRS]++;
	step = step_of(steps, by, s);
	if (!step || step->pairs == MEMLAT_STEP_PAIRS) {
		counts->count[MEMLAT_COUNT_PAIRS_LOST]++;
		return;
	}
	step->pairs++;
	if (by && step_before) {
		const bool onward = !((by ^ step_before) >> 63);

		step->onward += onward;
		step->turned += !onward;
	}
	step->stlb_miss += s->stlb_miss;
	step->new_page += s->addr >> PAGE_SHIFT_4K != before >> PAGE_SHIFT_4K;
	step->latency_sum += s->latency;
}

/**
 * memlat_steps_clear - empty the steps
 * @steps: the steps, which no CPU writes
 */
void memlat_steps_clear(struct memlat_steps *steps)
{
	/* Clear before @emptied wraps, or old entries would become valid again. */
	if (++steps->emptied == ~0U) {
		memset(steps->step, 0, sizeof(steps->step));
		steps->emptied = 0;
	}
	steps->used = 0;
}
