// SPDX-License-Identifier: GPL-2.0
/*
 * Decide which events are counted together: groups that fit the general counters.
 */
#include <linux/bitops.h>
#include <linux/kernel.h>
#include <linux/minmax.h>
#include <linux/string.h>
#include <asm/cpufeature.h>

#include "count.h"
#include "hw.h"

/* Gains are computed from differences of these, so count them at the same time if they fit. */
static const u8 together[] = {
	MEMLAT_EVENT_LOAD_STALLS, MEMLAT_EVENT_L1D_PENDING,
	MEMLAT_EVENT_DEMAND_OUTSTANDING, MEMLAT_EVENT_DEMAND_CYCLES,
};

/* Events of a group, those that are in it and those to add, and the counter of each. */
struct attempt {
	const struct memlat_count_event *event[MEMLAT_COUNT_SLOTS + ARRAY_SIZE(together)];
	unsigned int events;
	u8 counter[MEMLAT_COUNT_SLOTS + ARRAY_SIZE(together)];
};

static struct memlat_count_plan plans[MEMLAT_CORES_MAX][2];

/**
 * memlat_count_plan_event - how a general counter counts an event
 * @core: the kind of core
 * @id: enum memlat_event_id
 *
 * Return: NULL if this kind of core cannot count it.
 */
const struct memlat_count_event *memlat_count_plan_event(const struct memlat_core *core, u8 id)
{
	const struct memlat_count_table *table = core->model->counts;
	unsigned int i;

	for (i = 0; i < table->events; i++)
		if (table->event[i].id == id)
			return &table->event[i];
	return NULL;
}

/* Is it one of the memory events of errata BJ122, BV98 and HSD29? */
static bool is_memory(const struct memlat_count_event *e)
{
	const u8 select = e->event;

	return select >= 0xd0 && select <= 0xd3;
}

/**
 * memlat_count_plan_counters - the general counters that can count an event
 * @core: the kind of core
 * @e: the event
 * @sibling: another thread of the core has the first plan
 *
 * Return: a bit for each counter.
 */
u32 memlat_count_plan_counters(const struct memlat_core *core,
			       const struct memlat_count_event *e, bool sibling)
{
	u32 all = GENMASK(min_t(unsigned int, core->caps.counters, MEMLAT_COUNT_SLOTS) - 1, 0);

	/* There the CPU uses counter 3 itself, unless TSX is disabled. */
	if (boot_cpu_has(X86_FEATURE_TSX_FORCE_ABORT))
		all &= ~BIT(3);
	/* A counter that one thread uses for these events is not used on the other thread. */
	if (core->model->counts->alone)
		all &= is_memory(e) ? BIT(sibling) : ~(BIT(0) | BIT(1));
	return all & e->counters;
}

/*
 * Assign counters, first to events that fewer counters can count. That finds an assignment if there
 * is one, provided that of any two events' sets of counters one contains the other, or they have no
 * counter in common.
 */
static bool assign(struct attempt *a, const struct memlat_core *core, bool sibling)
{
	unsigned int choice, i;
	u32 taken = 0;

	for (choice = 0; choice <= MEMLAT_COUNT_SLOTS; choice++) {
		for (i = 0; i < a->events; i++) {
			u32 counters = memlat_count_plan_counters(core, a->event[i], sibling);

			if (hweight32(counters) != choice)
				continue;
			counters &= ~taken;
			if (!counters)
				return false;
			a->counter[i] = __ffs(counters);
			taken |= BIT(a->counter[i]);
		}
	}
	return true;
}

static bool memlat_count_plan_place(struct memlat_count_group *group,
				    const struct memlat_core *core, bool sibling,
				    const struct memlat_count_event *const *event,
				    unsigned int events)
{
	struct attempt a = { };
	unsigned int i;

	for (i = 0; i < MEMLAT_COUNT_SLOTS; i++)
		if (group->event[i] != MEMLAT_EVENT_NR)
			a.event[a.events++] = memlat_count_plan_event(core, group->event[i]);
	for (i = 0; i < events; i++)
		a.event[a.events++] = event[i];
	if (a.events > MEMLAT_COUNT_SLOTS || !assign(&a, core, sibling))
		return false;
	memset(group->event, MEMLAT_EVENT_NR, sizeof(group->event));
	for (i = 0; i < a.events; i++)
		group->event[a.counter[i]] = a.event[i]->id;
	return true;
}

/* Add events to the first group that has room for them, or to a new one. */
static bool memlat_count_plan_add(struct memlat_count_plan *plan, const struct memlat_core *core,
				  bool sibling, const struct memlat_count_event *const *event,
				  unsigned int events)
{
	unsigned int i;

	for (i = 0; i < plan->groups; i++)
		if (memlat_count_plan_place(&plan->group[i], core, sibling, event, events))
			return true;
	memset(plan->group[i].event, MEMLAT_EVENT_NR, sizeof(plan->group[i].event));
	if (!memlat_count_plan_place(&plan->group[i], core, sibling, event, events))
		return false;
	plan->groups++;
	return true;
}

/* Is it a sum over cycles, whose number of cycles is the next event? */
static bool has_cycles(u8 id)
{
	return id >= MEMLAT_EVENT_READS_OUTSTANDING && id <= MEMLAT_EVENT_L1D_PENDING &&
	       !(id & 1);
}

/* Place the events of together[]. Returns a bit for each of them; 0: they do not fit. */
static u32 together_make(struct memlat_count_plan *plan, const struct memlat_core *core,
			 bool sibling)
{
	const struct memlat_count_event *event[ARRAY_SIZE(together)];
	unsigned int i;
	u32 placed = 0;

	for (i = 0; i < ARRAY_SIZE(together); i++) {
		event[i] = memlat_count_plan_event(core, together[i]);
		if (!event[i])
			return 0;
		placed |= BIT(together[i]);
	}
	return memlat_count_plan_add(plan, core, sibling, event, ARRAY_SIZE(together)) ? placed : 0;
}

/* First place events that belong together, and then all others one by one. */
static void groups_make(struct memlat_count_plan *plan, const struct memlat_core *core,
			bool sibling)
{
	const struct memlat_count_table *table = core->model->counts;
	const struct memlat_count_event *pair[2];
	unsigned int i;
	u32 placed = together_make(plan, core, sibling);

	for (i = 0; i < table->events; i++) {
		pair[0] = &table->event[i];
		pair[1] = NULL;
		if (has_cycles(pair[0]->id) && !(placed & BIT(pair[0]->id)))
			pair[1] = memlat_count_plan_event(core, pair[0]->id + 1);
		if (pair[1] && memlat_count_plan_add(plan, core, sibling, pair, 2))
			placed |= BIT(pair[0]->id) | BIT(pair[1]->id);
	}
	for (i = 0; i < table->events; i++) {
		pair[0] = &table->event[i];
		if (!(placed & BIT(pair[0]->id)) &&
		    memlat_count_plan_add(plan, core, sibling, pair, 1))
			placed |= BIT(pair[0]->id);
	}
	plan->events = placed | BIT(MEMLAT_EVENT_CYCLES) | BIT(MEMLAT_EVENT_INSTRUCTIONS);
}

static void plan_make(struct memlat_count_plan *plan, const struct memlat_core *core,
		      bool sibling, bool user, bool kernel)
{
	u32 rings = (user ? MEMLAT_EVTSEL_USR : 0) | (kernel ? MEMLAT_EVTSEL_OS : 0);
	unsigned int i, k;

	memset(plan, 0, sizeof(*plan));
	groups_make(plan, core, sibling);
	for (i = 0; i < plan->groups; i++) {
		struct memlat_count_group *group = &plan->group[i];

		for (k = 0; k < MEMLAT_COUNT_SLOTS; k++) {
			const struct memlat_count_event *e =
				memlat_count_plan_event(core, group->event[k]);

			if (!e)
				continue;
			group->evtsel[k] = e->event | (u32)e->cmask << MEMLAT_EVTSEL_CMASK |
					   rings | MEMLAT_EVTSEL_EN;
			plan->used |= BIT(k);
		}
	}
	plan->fixed = (user ? MEMLAT_FIXED_USR : 0) | (kernel ? MEMLAT_FIXED_OS : 0);
	plan->run = plan->used | MEMLAT_CTRL_CYCLES | MEMLAT_CTRL_INSTRUCTIONS;
}

/**
 * memlat_count_plan_of - how a CPU counts
 * @core: its kind of core
 * @sibling: another thread of its core has the first plan
 */
const struct memlat_count_plan *memlat_count_plan_of(const struct memlat_core *core,
						     bool sibling)
{
	return &plans[core->id][sibling];
}

/**
 * memlat_count_plan_make - plan how a kind of core counts
 * @core: the kind of core
 * @user: count in user mode
 * @kernel: count in kernel mode
 *
 * Called while no CPU is armed.
 */
void memlat_count_plan_make(const struct memlat_core *core, bool user, bool kernel)
{
	unsigned int sibling;

	for (sibling = 0; sibling < 2; sibling++)
		plan_make(&plans[core->id][sibling], core, sibling, user, kernel);
}
