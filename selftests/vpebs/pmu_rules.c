// SPDX-License-Identifier: GPL-2.0
/*
 * What hardware requires of its driver: the counters that an event can use, what has to count
 * together with it, and Nehalem's enable sequence. If these are broken, silicon gives wrong data.
 */
#include <inttypes.h>
#include <string.h>

#include "pmu_internal.h"

/* Bits of vp_pmu_cpu.bad: a state is reported when it begins, not at every write. */
enum {
	BAD_INT		= 1 << 0,
	BAD_FILTER	= 1 << 1,
	BAD_THRESHOLD	= 1 << 2,
	BAD_NO_PEBS	= 1 << 3,
	BAD_COUNTER	= 1 << 4,
	BAD_AUX		= 1 << 5,
	BAD_ALONE	= 1 << 6,
	BAD_SEQUENCE	= 1 << 7,
	BADS		= 8
};

/* The bits of an event select that identify the event. */
#define EVENT_BITS	(~(VP_EVTSEL_EN | VP_EVTSEL_INT))

/*
 * The sequence for Nehalem and Westmere (errata AAK100, AAP53, BD53): PEBS and GLOBAL_CTRL off;
 * these event selects on the four counters, with value zero; GLOBAL_CTRL all on, and off. Events
 * that are added without this sequence may not count.
 */
static const uint64_t sequence[4] = { 0x4300b5, 0x4300d2, 0x4300b1, 0x4300b1 };

void vp_rules_evtsel(struct vp_pmu_cpu *c, unsigned int i)
{
	/* The counter has no event any more, so the next one needs the sequence again. */
	if (!(c->r.evtsel[i] & 0xffff))
		c->added[i] = 0;
}

void vp_rules_ctrl(struct vp_pmu_cpu *c)
{
	const struct vp_pmu_regs *r = &c->r;
	static const uint64_t zero[4];
	unsigned int i;

	if (!c->core->nhm_enable)
		return;
	if (r->global_ctrl == 0xf && !r->pebs_enable &&
	    !memcmp(r->evtsel, sequence, sizeof(sequence)) &&
	    !memcmp(r->pmc, zero, sizeof(zero))) {
		c->sequence = VP_SEQUENCE_BEGUN;
	} else if (!r->global_ctrl) {
		if (c->sequence == VP_SEQUENCE_BEGUN)
			c->sequence = VP_SEQUENCE_DONE;
	} else {
		for (i = 0; i < c->core->gp && c->sequence == VP_SEQUENCE_DONE; i++)
			if (vp_pmu_running(r, i))
				c->added[i] = r->evtsel[i] & EVENT_BITS;
		c->sequence = VP_SEQUENCE_NONE;
	}
}

struct verdict {
	uint32_t bad;
	unsigned int which[BADS];	/* the counter that broke it */
};

static void find(struct verdict *v, uint32_t bad, unsigned int i)
{
	if (!(v->bad & bad))
		v->which[__builtin_ctz(bad)] = i;
	v->bad |= bad;
}

static void judge_event(const struct vp_pmu_cpu *c, unsigned int i, struct verdict *v)
{
	const struct vp_core *core = c->core;
	uint64_t sel = c->r.evtsel[i];
	unsigned int event = sel & 0xffff, unit = sel & 0xff;
	bool load = core->load_event && event == core->load_event;

	if (sel & VP_EVTSEL_INT)
		find(v, BAD_INT, i);
	/* perf uses INV and CMASK on retirement events by design. */
	if ((load || unit == 0xcd || unit == 0xd0) &&
	    sel & (VP_EVTSEL_ANY | VP_EVTSEL_EDGE | VP_EVTSEL_INV | VP_EVTSEL_CMASK))
		find(v, BAD_FILTER, i);
	if (c->facility >> i & 1 && c->r.ld_lat < 3)
		find(v, BAD_THRESHOLD, i);
	if ((load && !(core->load_counters >> i & 1)) ||
	    (core->store_event && event == core->store_event &&
	     !(core->store_counters >> i & 1)))
		find(v, BAD_COUNTER, i);
	if (core->nhm_enable && c->added[i] != (sel & EVENT_BITS))
		find(v, BAD_SEQUENCE, i);
}

static bool aux_runs(const struct vp_pmu_cpu *c)
{
	unsigned int i;

	for (i = 0; i < c->core->gp; i++)
		if (c->core->aux_counters >> i & 1 && vp_pmu_running(&c->r, i) &&
		    vp_pmu_event(c->core, c->r.evtsel[i]) == VP_EV_AUX)
			return true;
	return false;
}

/* Judge the counters that run and make records, each of them and all together. */
static void judge_all(struct vp_pmu_cpu *c, struct verdict *v)
{
	const struct vp_pmu_regs *r = &c->r;
	unsigned int i, running = 0, latency = VP_PMU_COUNTERS;

	for (i = 0; i < VP_PMU_COUNTERS; i++) {
		if (!(c->pebs >> i & 1) || !vp_pmu_running(r, i))
			continue;
		running++;
		if (i >= VP_PMU_GP_MAX) {
			if (r->fixed_ctrl >> (4 * (i - VP_PMU_GP_MAX) + 3) & 1)
				find(v, BAD_INT, i);
			continue;
		}
		judge_event(c, i, v);
		if (vp_pmu_event(c->core, r->evtsel[i]) == VP_EV_LOAD_LATENCY)
			latency = i;
	}
	c->no_aux = false;
	if (latency == VP_PMU_COUNTERS)
		return;
	if (c->core->alone && running > 1)
		find(v, BAD_ALONE, latency);
	c->no_aux = c->core->aux_event && !aux_runs(c);
	if (c->no_aux)
		find(v, BAD_AUX, latency);
}

static void report(struct vp_pmu *pmu, unsigned int cpu, uint64_t ip, unsigned int bad,
		   unsigned int i)
{
	const struct vp_pmu_cpu *c = &pmu->cpu[cpu];
	const struct vp_pmu_regs *r = &c->r;
	uint64_t sel = i < VP_PMU_GP_MAX ? r->evtsel[i] : 0;

	switch (bad) {
	case BAD_INT:
		vp_pmu_violation(pmu, cpu, ip, "pebs-int",
				 "PEBS counter %u runs with INT set in its event select", i);
		return;
	case BAD_FILTER:
		vp_pmu_violation(pmu, cpu, ip, "pebs-filter",
				 "PEBS counter %u runs with AnyThread, Edge, Inv or Cmask: 0x%" PRIx64,
				 i, sel);
		return;
	case BAD_THRESHOLD:
		vp_pmu_violation(pmu, cpu, ip, "ldlat-threshold",
				 "load latency armed with threshold %" PRIu64 ", below 3",
				 r->ld_lat);
		return;
	case BAD_NO_PEBS:
		vp_pmu_violation(pmu, cpu, ip, "ldlat-no-pebs",
				 "PEBS_ENABLE 0x%" PRIx64 ": load latency without PEBS",
				 r->pebs_enable);
		return;
	case BAD_COUNTER:
		vp_pmu_violation(pmu, cpu, ip, "wrong-counter",
				 "event 0x%04" PRIx64 " with PEBS on counter %u of %s: loads 0x%" PRIx32
				 ", stores 0x%" PRIx32, sel & 0xffff, i, c->core->name,
				 c->core->load_counters, c->core->store_counters);
		return;
	case BAD_AUX:
		vp_pmu_violation(pmu, cpu, ip, "no-aux",
				 "load latency on counter %u of %s, and no event 0x%04x beside it",
				 i, c->core->name, c->core->aux_event);
		return;
	case BAD_ALONE:
		vp_pmu_violation(pmu, cpu, ip, "pebs-not-alone",
				 "PEBS_ENABLE 0x%" PRIx64 ": another PEBS event beside load latency on counter %u",
				 r->pebs_enable, i);
		return;
	case BAD_SEQUENCE:
		vp_pmu_violation(pmu, cpu, ip, "no-enable-sequence",
				 "PEBS event 0x%04" PRIx64 " added on counter %u without the sequence of erratum AAK100",
				 sel & 0xffff, i);
		return;
	}
}

void vp_rules_judge(struct vp_pmu *pmu, unsigned int cpu, uint64_t ip)
{
	struct vp_pmu_cpu *c = &pmu->cpu[cpu];
	struct verdict v = { 0 };
	uint32_t fresh;
	unsigned int i;

	judge_all(c, &v);
	if (c->core->version < 5 &&
	    c->r.pebs_enable >> 32 & ~c->r.pebs_enable & c->gp_bits)
		v.bad |= BAD_NO_PEBS;
	fresh = v.bad & ~c->bad;
	c->bad = v.bad;
	for (i = 0; i < BADS; i++)
		if (fresh >> i & 1)
			report(pmu, cpu, ip, 1u << i, v.which[i]);
}
