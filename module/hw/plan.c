// SPDX-License-Identifier: GPL-2.0
/*
 * Turn what a session wants into the values of each kind of core's registers.
 */
#include <linux/string.h>

#include "count.h"
#include "hw.h"

static u8 memlat_plan_slot(struct memlat_plan *plan, const struct memlat_core *core, u8 counter)
{
	unsigned int i;

	for (i = 0; i < plan->slots; i++)
		if (plan->slot[i].counter == counter)
			return i;
	plan->slot[i] = (struct memlat_slot) {
		.counter = counter,
		.msr = (core->caps.full_width ? MSR_IA32_PMC0 : MSR_ARCH_PERFMON_PERFCTR0) +
		       counter,
	};
	plan->slots++;
	plan->used |= BIT_ULL(counter);
	plan->run |= BIT_ULL(counter);
	plan->clear |= BIT_ULL(counter);
	return i;
}

/* Bits of IA32_PEBS_ENABLE for a kind of event. */
static u64 pebs_bits(const struct memlat_core *core, enum memlat_kind kind, u8 counter)
{
	u64 bits = MEMLAT_PEBS_EN(counter);

	/* Since version 5 these bits belong to the fixed counters. */
	if (kind == MEMLAT_KIND_LOADS && core->caps.version < 5)
		bits |= MEMLAT_PEBS_EN_LL(counter);
	if (kind == MEMLAT_KIND_STORES && (core->model->quirks & MEMLAT_QUIRK_PRECISE_STORE))
		bits |= MEMLAT_PEBS_EN_STORE;
	return bits;
}

static void add_event(struct memlat_plan *plan, const struct memlat_core *core,
		      struct memlat_phase *phase, enum memlat_kind kind, u16 event, u8 counter,
		      u64 rings)
{
	u8 slot = memlat_plan_slot(plan, core, counter);

	plan->event[kind] = (struct memlat_event) {
		.on = true,
		.slot = slot,
		.counter = counter,
		.msr = plan->slot[slot].msr,
	};
	/* On Skylake the overflow bit of a PEBS counter is sometimes set. */
	plan->ours |= BIT_ULL(counter);
	phase->kinds |= BIT(kind);
	phase->pebs_enable |= pebs_bits(core, kind, counter);
	/* INT stays clear: PEBS raises its own PMI, at the threshold. */
	phase->evtsel[slot] = event | rings | MEMLAT_EVTSEL_EN |
			      (core->adaptive ? MEMLAT_EVTSEL_ADAPTIVE : 0);
	if (kind == MEMLAT_KIND_LOADS)
		phase->counters.loads = BIT_ULL(counter);
	else
		phase->counters.stores = BIT_ULL(counter);
}

/**
 * memlat_plan_frozen() - Bits of GLOBAL_STATUS that a freeze sets
 * @core: the kind of core
 *
 * Return: the bits; 0 on a core without them, where writing them would raise #GP.
 */
u64 memlat_plan_frozen(const struct memlat_core *core)
{
	return core->caps.version >= 4 ? MEMLAT_STATUS_FROZEN : 0;
}

/* A burst samples only the mode in which it begins. */
static void plan_bursts(struct memlat_plan *plan, const struct memlat_plan_setup *setup)
{
	const u8 slot = plan->event[MEMLAT_KIND_LOADS].slot;

	plan->burst[0] = plan->phase[0];
	plan->burst[1] = plan->phase[0];
	if (!setup->user || !setup->kernel)
		return;
	plan->burst[0].evtsel[slot] &= ~(u64)MEMLAT_EVTSEL_USR;
	plan->burst[1].evtsel[slot] &= ~(u64)MEMLAT_EVTSEL_OS;
}

static void plan_make(struct memlat_plan *plan, const struct memlat_core *core,
		      const struct memlat_plan_setup *setup, bool sibling)
{
	const struct memlat_cpu_model *m = core->model;
	bool stores = setup->stores && m->store_event;
	bool turns = setup->loads && stores && (m->quirks & MEMLAT_QUIRK_ALONE);
	u64 rings = (setup->user ? MEMLAT_EVTSEL_USR : 0) |
		    (setup->kernel ? MEMLAT_EVTSEL_OS : 0);
	u8 store_counter = m->store_counter;

	/*
	 * Errata BJ122, BV98, HSD29: this event may corrupt the counter of the same number on the
	 * core's other thread. So the two threads use different counters, and neither of them is
	 * the counter of load latency.
	 */
	if (sibling && (m->quirks & MEMLAT_QUIRK_SIBLING))
		store_counter++;

	memset(plan, 0, sizeof(*plan));
	plan->phases = turns ? 2 : 1;
	plan->run = memlat_hw.idle;
	plan->ours = core->arch ? MEMLAT_STATUS_ARCH : MEMLAT_STATUS_DS;
	plan->thaw = memlat_plan_frozen(core);
	plan->clear = plan->ours | memlat_hw.idle | plan->thaw;
	if (setup->loads) {
		struct memlat_phase *phase = &plan->phase[0];

		add_event(plan, core, phase, MEMLAT_KIND_LOADS, m->load_event, m->load_counter,
			  rings);
		if (m->aux_event)
			phase->evtsel[memlat_plan_slot(plan, core, m->aux_counter)] =
				m->aux_event | rings | MEMLAT_EVTSEL_EN;
	}
	if (setup->stride)
		plan_bursts(plan, setup);
	if (stores)
		add_event(plan, core, &plan->phase[turns], MEMLAT_KIND_STORES, m->store_event,
			  store_counter, rings);
	if (setup->beside)
		memlat_beside_plan(plan, core, rings, sibling);
}

/**
 * memlat_plan_takes_turns - check whether loads and stores take turns on some CPU
 *
 * This is so by the last memlat_plan_setup().
 */
bool memlat_plan_takes_turns(void)
{
	unsigned int i;

	for (i = 0; i < memlat_cores_nr(); i++)
		if (memlat_cores[i].plan[0].phases > 1)
			return true;
	return false;
}

/**
 * memlat_plan_setup - set what CPUs sample or count when they are armed next
 * @setup: checked by the caller
 *
 * Called while no CPU is armed.
 */
void memlat_plan_setup(const struct memlat_plan_setup *setup)
{
	unsigned int i, sibling;

	memlat_hw.kinds = (setup->loads ? BIT(MEMLAT_KIND_LOADS) : 0) |
			  (setup->stores ? BIT(MEMLAT_KIND_STORES) : 0);
	memlat_hw.budget = setup->max_overhead;
	memlat_hw.max_overhead = setup->max_overhead;
	memlat_hw.call_graph = setup->call_graph;
	memlat_hw.stride = setup->stride;
	memlat_hw.phys = setup->phys;
	memlat_hw.trouble = setup->trouble;
	memlat_hw.ldlat = setup->ldlat;
	memlat_hw.period[MEMLAT_KIND_LOADS] = setup->period;
	memlat_hw.period[MEMLAT_KIND_STORES] = setup->store_period;
	/* Turns need the cycle counter too, because their share is one of busy cycles. */
	memlat_hw.cycles = memlat_hw.budget ||
			   (setup->loads && setup->stores &&
			    (memlat_cores_traits() & MEMLAT_TRAIT_TURNS));
	memlat_hw.idle = memlat_hw.cycles ? MEMLAT_CTRL_CYCLES : 0;
	memlat_hw.fixed_mask = memlat_hw.cycles ? MEMLAT_FIXED_CYCLES : 0;
	memlat_hw.fixed = memlat_hw.cycles ? MEMLAT_FIXED_COUNT : 0;
	memlat_beside_setup(setup);

	for (i = 0; i < memlat_cores_nr(); i++)
		for (sibling = 0; sibling < 2; sibling++)
			plan_make(&memlat_cores[i].plan[sibling], &memlat_cores[i], setup, sibling);
	memlat_budget_setup();
	memlat_turn_setup();
	memlat_still_setup();
	memlat_guard_setup();
	memlat_count_setup(setup);
}
