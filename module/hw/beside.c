// SPDX-License-Identifier: GPL-2.0
/*
 * Count events beside sampling, on the counters that sampling leaves free.
 *
 * These counters belong to the same plan. They are armed, checked, stopped while memlat works and
 * put back together with the others, so a PMI has nothing to do for them. They raise no interrupt,
 * and take no turns: an event without a counter is not counted. Instructions have a fixed counter.
 * Cycles have one too, unless the budget or turns use it, which count the cycles of all rings and
 * all tasks; then cycles need a general counter, if one is left.
 */
#include <linux/bitops.h>
#include <linux/kernel.h>
#include <linux/string.h>

#include "count.h"
#include "hw.h"

static const struct memlat_count_event general_cycles = {
	.id = MEMLAT_EVENT_CYCLES,
	.event = MEMLAT_SELECT_CYCLES,
	.counters = 0xffff,
};

/* No L2 answers in fewer cycles. With a higher threshold not all L1 misses can be sampled. */
#define L2_FASTEST	12

/*
 * Free counters are assigned in this order: with two of them, the first two events that the CPU has
 * are counted. The first event is the kind of miss that the threshold lets all be sampled of, so
 * that the number of samples can be compared with its count. The second one says how long loads
 * were waited for, which samples cannot tell.
 */
static const u8 ranked[2][7] = {
	{
		MEMLAT_EVENT_L1_MISSES, MEMLAT_EVENT_LOAD_STALLS, MEMLAT_EVENT_LOADS,
		MEMLAT_EVENT_L2_MISSES, MEMLAT_EVENT_STORES, MEMLAT_EVENT_DTLB_LOAD_WALKS,
		MEMLAT_EVENT_CYCLES,
	}, {
		MEMLAT_EVENT_L2_MISSES, MEMLAT_EVENT_LOAD_STALLS, MEMLAT_EVENT_LOADS,
		MEMLAT_EVENT_L1_MISSES, MEMLAT_EVENT_STORES, MEMLAT_EVENT_DTLB_LOAD_WALKS,
		MEMLAT_EVENT_CYCLES,
	},
};

/**
 * memlat_beside_setup - set what the fixed counters count beside sampling
 * @setup: checked by the caller
 *
 * Called while no CPU is armed, after the use of the cycle counter was decided.
 */
void memlat_beside_setup(const struct memlat_plan_setup *setup)
{
	u64 rings = (setup->user ? MEMLAT_FIXED_USR : 0) | (setup->kernel ? MEMLAT_FIXED_OS : 0);
	u64 mine;

	memlat_hw.beside = setup->beside;
	if (!setup->beside)
		return;
	mine = MEMLAT_FIXED_BOTH & ~memlat_hw.fixed_mask;
	memlat_hw.fixed_mask |= mine;
	memlat_hw.fixed |= rings & mine;
}

static void add(struct memlat_plan *plan, const struct memlat_core *core,
		const struct memlat_count_event *e, u64 rings, bool sibling)
{
	u32 counters = memlat_count_plan_counters(core, e, sibling) & ~(u32)plan->used;
	unsigned int counter, i, slot = plan->slots;

	if (!counters || slot == MEMLAT_SLOTS)
		return;
	/* Take the highest one, because higher counters can count fewer events. */
	counter = __fls(counters);
	plan->slots++;
	plan->slot[slot] = (struct memlat_slot) {
		.counter = counter,
		.msr = (core->caps.full_width ? MSR_IA32_PMC0 : MSR_ARCH_PERFMON_PERFCTR0) +
		       counter,
	};
	plan->used |= BIT_ULL(counter);
	plan->run |= BIT_ULL(counter);
	plan->clear |= BIT_ULL(counter);
	plan->beside |= BIT(e->id);
	plan->beside_event[slot] = e->id;
	for (i = 0; i < plan->phases; i++)
		plan->phase[i].evtsel[slot] = e->event | (u64)e->cmask << MEMLAT_EVTSEL_CMASK |
					      rings | MEMLAT_EVTSEL_EN;
}

/**
 * memlat_beside_plan - find counters for the events to count beside sampling
 * @plan: the plan of sampling, to which the counters are added
 * @core: the kind of core
 * @rings: bits of an event select
 * @sibling: another thread of the core has the first plan
 */
void memlat_beside_plan(struct memlat_plan *plan, const struct memlat_core *core, u64 rings,
			bool sibling)
{
	const u64 fixed = MEMLAT_CTRL_INSTRUCTIONS | (memlat_hw.cycles ? 0 : MEMLAT_CTRL_CYCLES);
	const u8 *rank = ranked[memlat_hw.ldlat >= L2_FASTEST];
	unsigned int i;

	memset(plan->beside_event, MEMLAT_EVENT_NR, sizeof(plan->beside_event));
	plan->run |= fixed;
	plan->clear |= fixed;
	plan->beside = BIT(MEMLAT_EVENT_INSTRUCTIONS) |
		       (memlat_hw.cycles ? 0 : BIT(MEMLAT_EVENT_CYCLES));
	for (i = 0; i < ARRAY_SIZE(ranked[0]); i++) {
		const struct memlat_count_event *e = rank[i] == MEMLAT_EVENT_CYCLES ?
						     &general_cycles :
						     memlat_count_plan_event(core, rank[i]);

		if (e && !(plan->beside & BIT(rank[i])))
			add(plan, core, e, rings, sibling);
	}
}

/* Add up what has been counted since the last time. @theirs: counters that others have taken. */
static void memlat_beside_add_up(const struct memlat_cpu *c, u64 theirs)
{
	struct memlat_count_cpu *n = this_cpu_ptr(memlat_count_cpu);
	const struct memlat_plan *plan = c->plan;
	const u64 fixed_mask = BIT_ULL(c->core->caps.fixed_width) - 1;
	const u64 mine = plan->run & ~theirs;
	u64 *value = n->sum.value;
	unsigned int i;

	for (i = 0; i < plan->slots; i++) {
		const u8 event = plan->beside_event[i];

		if (event != MEMLAT_EVENT_NR && (mine & BIT_ULL(plan->slot[i].counter)))
			value[event] += memlat_count_elapsed(&n->last[i], plan->slot[i].msr,
							     c->core->mask);
	}
	if (mine & MEMLAT_CTRL_INSTRUCTIONS)
		value[MEMLAT_EVENT_INSTRUCTIONS] +=
			memlat_count_elapsed(&n->last_instructions, MEMLAT_MSR_INSTRUCTIONS,
					     fixed_mask);
	if (!memlat_hw.cycles && (mine & MEMLAT_CTRL_CYCLES))
		value[MEMLAT_EVENT_CYCLES] +=
			memlat_count_elapsed(&n->last_cycles, MEMLAT_MSR_CYCLES, fixed_mask);
	/* There are no turns: all events had a counter for the same time, in any unit. */
	for (i = 0; i < MEMLAT_EVENT_NR; i++)
		n->sum.running[i] = value[n->events & BIT(MEMLAT_EVENT_CYCLES) ?
					  MEMLAT_EVENT_CYCLES : MEMLAT_EVENT_INSTRUCTIONS];
}

/**
 * memlat_beside_arm - begin to count beside sampling on this CPU
 * @c: its state; its counters are programmed and paused
 */
void memlat_beside_arm(struct memlat_cpu *c)
{
	struct memlat_count_cpu *n = this_cpu_ptr(memlat_count_cpu);
	unsigned int i;

	/* They may not be 0, because Nehalem's enable sequence lets them run for a moment. */
	for (i = 0; i < c->plan->slots; i++)
		n->last[i] = native_rdmsrq(c->plan->slot[i].msr);
	native_wrmsrq(MEMLAT_MSR_INSTRUCTIONS, 0);
	n->last_instructions = 0;
	n->last_cycles = 0;
	n->events = c->plan->beside;
	n->due = jiffies + HZ;
	n->counted = true;
}

/**
 * memlat_beside_read - add up what was counted until now
 * @c: this CPU's state, in a drain
 */
void memlat_beside_read(struct memlat_cpu *c)
{
	memlat_beside_add_up(c, 0);
	this_cpu_write(memlat_count_cpu->due, jiffies + HZ);
}

/**
 * memlat_beside_disarm - add up for the last time, before counters are given back
 * @c: this CPU's state
 * @theirs: counters that another driver has written to, as bits of GLOBAL_CTRL
 *
 * Also called in NMI.
 */
void memlat_beside_disarm(struct memlat_cpu *c, u64 theirs)
{
	memlat_beside_add_up(c, theirs);
}
