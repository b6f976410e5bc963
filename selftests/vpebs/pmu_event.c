// SPDX-License-Identifier: GPL-2.0
/* Which counters count what, and their overflows. */
#include "pmu_internal.h"
#include "random.h"

/* A held PMI waits at most this long until LVTPC is read again. */
#define HELD_POLL	256

/* The counters are updated at least this often. */
#define HEADROOM_MAX	(1ULL << 22)

/* The same if the clock counts, and for a counter whose overflow matters. */
#define HEADROOM_TIMED	(1ULL << 16)
#define OVERFLOW_SHARE	8

/* PERF_METRICS if each slot retired something: 255 of 255. */
#define ALL_RETIRED	0xffULL
#define SLOTS_COUNTER	(VP_PMU_GP_MAX + 3)

enum vp_event vp_pmu_event(const struct vp_core *core, uint64_t evtsel)
{
	unsigned int event = evtsel & 0xffff;
	bool plain = !(evtsel & (VP_EVTSEL_EDGE | VP_EVTSEL_INV | VP_EVTSEL_CMASK));

	/*
	 * "Cycles in which fewer than N retired", with an N that no core can retire: all
	 * cycles. This is how perf makes precise cycles.
	 */
	if (evtsel & VP_EVTSEL_INV && (evtsel & VP_EVTSEL_CMASK) >> 24 >= 8 &&
	    !(evtsel & VP_EVTSEL_EDGE))
		return event == 0x00c0 || event == 0x01c0 || event == 0x01c2 ||
		       event == 0x02c2 ? VP_EV_CYCLES : VP_EV_NONE;
	if (!plain || !event)
		return VP_EV_NONE;
	if (event == core->load_event)
		return VP_EV_LOAD_LATENCY;
	if (event == core->store_event)
		return VP_EV_ALL_STORES;
	if (event == core->aux_event)
		return VP_EV_AUX;
	switch (event) {
	case 0x00c0:
	case 0x01c0:
		return VP_EV_INSTRUCTIONS;
	case 0x003c:
	case 0x01a4:		/* slots, one per cycle here */
		return VP_EV_CYCLES;
	case 0x013c:
	case 0x0300:
		return VP_EV_REF_CYCLES;
	case 0x010b:
		return core->nhm_enable ? VP_EV_ALL_LOADS : VP_EV_NONE;
	case 0x020b:
		return core->nhm_enable ? VP_EV_ALL_STORES : VP_EV_NONE;
	case 0x81d0:
		return core->nhm_enable ? VP_EV_NONE : VP_EV_ALL_LOADS;
	case 0x82d0:
		return core->nhm_enable ? VP_EV_NONE : VP_EV_ALL_STORES;
	}
	return VP_EV_NONE;
}

static void add_cycles(const struct vp_pmu *pmu, struct vp_pmu_cpu *c, unsigned int i,
		       unsigned int user)
{
	if (pmu->timing) {
		c->timed[user] |= 1u << i;
		c->what[i] = VP_CT_CYCLES;
	} else {
		c->time[user] |= 1u << i;
	}
}

/*
 * Without a clock no request is ever outstanding. A clock also sees the reads that prefetchers
 * make.
 */
static void add_listed(const struct vp_pmu *pmu, struct vp_pmu_cpu *c, unsigned int i,
		       unsigned int user)
{
	enum vp_count what = vp_event_counts(c->core->events, c->r.evtsel[i], i);

	if (what == VP_COUNTS)
		return;
	c->what[i] = (uint8_t)what;
	if (vp_count_is_of_accesses(what) && !(pmu->timing && what == VP_CT_READS))
		c->listed[user] |= 1u << i;
	else if (pmu->timing)
		c->timed[user] |= 1u << i;
}

/* The store event counts on any counter here; pmu_rules.c judges whether it may. */
static bool can_count(const struct vp_pmu_cpu *c, unsigned int i)
{
	const struct vp_core *core = c->core;
	uint64_t sel = c->r.evtsel[i];

	return !core->events || (core->store_event && (sel & 0xffff) == core->store_event) ||
	       vp_event_counts(core->events, sel, i) != VP_COUNTS;
}

static void add_gp(const struct vp_pmu *pmu, struct vp_pmu_cpu *c, unsigned int i,
		   unsigned int user)
{
	uint32_t bit = 1u << i;

	switch (vp_pmu_event(c->core, c->r.evtsel[i])) {
	case VP_EV_INSTRUCTIONS:
		c->time[user] |= bit;
		return;
	case VP_EV_CYCLES:
	case VP_EV_REF_CYCLES:
		add_cycles(pmu, c, i, user);
		return;
	case VP_EV_LOAD_LATENCY:
		c->latency[user] |= bit;
		return;
	case VP_EV_ALL_LOADS:
		if (can_count(c, i))
			c->loads[user] |= bit;
		return;
	case VP_EV_ALL_STORES:
		if (can_count(c, i))
			c->stores[user] |= bit;
		return;
	case VP_EV_AUX:		/* never happens here; that it runs is what matters */
		return;
	case VP_EV_NONE:
		add_listed(pmu, c, i, user);
		return;
	}
}

static void add_fixed(const struct vp_pmu *pmu, struct vp_pmu_cpu *c, unsigned int i,
		      unsigned int user)
{
	if (i == 1 && pmu->hold)
		return;
	if (i)
		add_cycles(pmu, c, VP_PMU_GP_MAX + i, user);
	else
		c->time[user] |= 1u << VP_PMU_GP_MAX;
}

/* Find the counters that make records, and those whose records have a latency. */
static void find_pebs(struct vp_pmu_cpu *c)
{
	const struct vp_pmu_regs *r = &c->r;
	unsigned int i;

	c->pebs = vp_core_arch(c->core) ? vp_arch_counters(c) :
					  (uint32_t)(r->pebs_enable & c->gp_bits);
	c->armed &= c->pebs;
	c->facility = 0;
	if (c->core->version < 5) {
		c->facility = c->pebs & (uint32_t)(r->pebs_enable >> 32 & c->gp_bits);
		return;
	}
	c->pebs |= (uint32_t)((r->pebs_enable & c->fixed_bits) >> 32) << VP_PMU_GP_MAX;
	for (i = 0; i < c->core->gp; i++)
		if (c->pebs >> i & 1 &&
		    vp_pmu_event(c->core, r->evtsel[i]) == VP_EV_LOAD_LATENCY)
			c->facility |= 1u << i;
}

static void police(struct vp_pmu *pmu, unsigned int cpu, uint64_t ip)
{
	struct vp_pmu_cpu *c = &pmu->cpu[cpu];
	bool counting = false;
	unsigned int i;

	for (i = 0; i < VP_PMU_COUNTERS; i++)
		counting |= c->pebs >> i & 1 && vp_pmu_running(&c->r, i);
	if (counting && !c->counting)
		vp_police_start(pmu, cpu, ip);
	c->counting = counting;
}

void vp_pmu_update(struct vp_pmu *pmu, unsigned int cpu, uint64_t ip)
{
	struct vp_pmu_cpu *c = &pmu->cpu[cpu];
	const struct vp_pmu_regs *r = &c->r;
	unsigned int i, user;

	for (user = 0; user < 2; user++) {
		uint64_t need = user ? VP_EVTSEL_USR : VP_EVTSEL_OS;

		c->latency[user] = c->loads[user] = c->stores[user] = c->time[user] = 0;
		c->timed[user] = c->listed[user] = 0;
		for (i = 0; i < c->core->gp; i++)
			if (vp_pmu_running(r, i) && r->evtsel[i] & need)
				add_gp(pmu, c, i, user);
		for (i = 0; i < c->core->fixed; i++)
			if (vp_pmu_running(r, VP_PMU_GP_MAX + i) &&
			    r->fixed_ctrl >> 4 * i & (user ? 2 : 1))
				add_fixed(pmu, c, i, user);
	}
	find_pebs(c);
	if (vp_core_arch(c->core) && !vp_pmu_pebs_is_on(c))
		vp_delay_pebs_off(c);
	vp_rules_judge(pmu, cpu, ip);
	police(pmu, cpu, ip);
}

enum vp_pmu_watch vp_pmu_watch(struct vp_pmu *pmu, unsigned int cpu)
{
	const struct vp_pmu_cpu *c = &pmu->cpu[cpu];

	if (c->latency[0] | c->latency[1] | c->loads[0] | c->loads[1] |
	    c->stores[0] | c->stores[1] | c->timed[0] | c->timed[1] | c->listed[0] | c->listed[1])
		return VP_WATCH_MEMORY;
	return c->time[0] | c->time[1] || c->hold.state == VP_DELAY_RUNNING ||
	       c->late.state == VP_DELAY_RUNNING ? VP_WATCH_TIME : VP_WATCH_NOTHING;
}

static void plain_overflow(struct vp_pmu *pmu, unsigned int cpu, unsigned int i, uint64_t ip)
{
	struct vp_pmu_cpu *c = &pmu->cpu[cpu];
	bool wanted = i < VP_PMU_GP_MAX ? c->r.evtsel[i] & VP_EVTSEL_INT :
		      c->r.fixed_ctrl >> (4 * (i - VP_PMU_GP_MAX) + 3) & 1;

	vp_set_status(c, vp_counter_bit(i));
	if (wanted)
		vp_pmi(pmu, cpu, ip, vp_counter_bit(i));
}

/* The counters of c->listed that count this access. */
static uint32_t listed(const struct vp_pmu_cpu *c, const struct vp_access *access,
		       const struct vp_outcome *outcome)
{
	uint32_t left, mask = 0;

	for (left = c->listed[access->user]; left; left &= left - 1) {
		unsigned int i = (unsigned int)__builtin_ctz(left);

		if (vp_access_counts((enum vp_count)c->what[i], access, outcome))
			mask |= 1u << i;
	}
	return mask;
}

/*
 * One load is tagged at a time: no other is until it retires. Until then as many instructions
 * follow it as its latency has cycles, or as fit into the reorder buffer, and a quarter of them are
 * loads. Random choices among these are skipped. Only chance decides which load is tagged after
 * them; otherwise slow loads in a loop would always be tagged at the same distance.
 */
#define REORDER		224u
#define LOAD_SHARE	4

static bool tagged(const struct vp_pmu *pmu, struct vp_pmu_cpu *c,
		   const struct vp_outcome *outcome)
{
	uint32_t behind, latency = vp_use_latency(outcome);

	if (!c->random)
		return true;
	if (c->untagged) {
		c->untagged--;
		return false;
	}
	behind = (latency < REORDER ? latency : REORDER) / LOAD_SHARE;
	c->untagged = vp_random_below(&c->random, 2 * pmu->tag - 1);
	while (c->untagged < behind)
		c->untagged += 1 + vp_random_below(&c->random, 2 * pmu->tag - 1);
	return true;
}

/* Count an event on counter i, which makes records. Returns whether this event is recorded. */
static bool records(const struct vp_pmu *pmu, struct vp_pmu_cpu *c, unsigned int i)
{
	const uint32_t bit = 1u << i;

	if (c->armed & bit) {
		c->armed &= ~bit;
		return true;
	}
	vp_set_counter(c, i, c->r.pmc[i] + 1);
	if (c->r.pmc[i])
		return false;
	if (!pmu->after || vp_pmu_pdist(c, i))
		return true;
	c->armed |= bit;
	return false;
}

void vp_pmu_access(struct vp_pmu *pmu, const struct vp_access *access,
		   const struct vp_outcome *outcome)
{
	struct vp_pmu_cpu *c = &pmu->cpu[access->cpu];
	struct vp_overflow o = { .cpu = access->cpu, .ip = access->ip,
				 .access = access, .outcome = outcome };
	uint32_t mask, slow = 0;
	unsigned int user = access->user, i;

	if (c->counting)
		vp_police_pass(pmu, access->cpu, 1, access->ip);
	if (access->store) {
		mask = c->stores[user];
	} else {
		mask = c->loads[user];
		/* Whichever mode the load is of: tags come before anything counts. */
		if ((c->latency[0] | c->latency[1]) && tagged(pmu, c, outcome) &&
		    vp_use_latency(outcome) > c->r.ld_lat)
			slow = c->latency[user];
		mask |= slow;
	}
	if (__builtin_expect(c->listed[user], 0))
		mask |= listed(c, access, outcome);
	if (!mask)
		return;
	if ((access->store ? mask : slow) & c->pebs)
		pmu->ops->counted(pmu->ctx, access, outcome);
	for (i = 0; i < c->core->gp; i++) {
		if (!(mask >> i & 1))
			continue;
		if (c->pebs >> i & 1) {
			if (!records(pmu, c, i))
				continue;
			o.counters |= 1u << i;
			o.latency |= slow & c->facility & 1u << i;
			continue;
		}
		vp_set_counter(c, i, c->r.pmc[i] + 1);
		if (!c->r.pmc[i])
			plain_overflow(pmu, access->cpu, i, access->ip);
	}
	if (o.counters)
		vp_record_make(pmu, &o);
}

static void advance(struct vp_pmu *pmu, unsigned int cpu, unsigned int i, uint64_t n, uint64_t ip)
{
	struct vp_pmu_cpu *c = &pmu->cpu[cpu];
	uint64_t left;

	if (i == SLOTS_COUNTER && c->r.global_ctrl & VP_CTRL_METRICS)
		__atomic_store_n(&c->r.metrics, ALL_RETIRED, __ATOMIC_RELAXED);
	while (n >= (left = VP_COUNTER_MASK + 1 - c->r.pmc[i])) {
		n -= left;
		vp_set_counter(c, i, 0);
		if (c->pebs >> i & 1) {
			struct vp_overflow o = { .cpu = cpu, .ip = ip, .counters = 1u << i };

			vp_record_make(pmu, &o);
		} else {
			plain_overflow(pmu, cpu, i, ip);
		}
		if (!vp_pmu_running(&c->r, i))
			return;		/* the PMI froze it */
	}
	vp_set_counter(c, i, c->r.pmc[i] + n);
}

void vp_pmu_retire(struct vp_pmu *pmu, unsigned int cpu, bool user, uint64_t n, uint64_t ip)
{
	struct vp_pmu_cpu *c = &pmu->cpu[cpu];
	unsigned int i;

	vp_pmi_report(pmu, cpu, ip);
	if (n)
		for (i = 0; i < VP_PMU_COUNTERS; i++)
			if (c->time[user] >> i & 1)
				advance(pmu, cpu, i, n, ip);
	if (c->counting && n)
		vp_police_pass(pmu, cpu, n, ip);
	if (vp_delay_step(&c->hold, n)) {
		uint64_t bits = c->hold_bits;

		c->hold_bits = 0;
		vp_pmi(pmu, cpu, ip, bits);
	}
	if (vp_delay_step(&c->late, n))
		vp_record_arrives(pmu, cpu, ip);
	if (c->pmi_held)
		vp_pmi_poll(pmu, cpu, ip);
}

void vp_pmu_timing(struct vp_pmu *pmu)
{
	pmu->timing = true;
}

void vp_pmu_timed(struct vp_pmu *pmu, unsigned int cpu, bool user, const uint64_t *counts,
		  uint64_t ip)
{
	struct vp_pmu_cpu *c = &pmu->cpu[cpu];
	unsigned int i;

	for (i = 0; i < VP_PMU_COUNTERS; i++)
		if (c->timed[user] >> i & 1 && counts[c->what[i]])
			advance(pmu, cpu, i, counts[c->what[i]], ip);
}

bool vp_pmu_counts_cycles(struct vp_pmu *pmu, unsigned int cpu, bool user)
{
	return pmu->cpu[cpu].timed[user] >> (VP_PMU_GP_MAX + 1) & 1;
}

static bool overflow_matters(const struct vp_pmu_cpu *c, unsigned int i)
{
	return c->pebs >> i & 1 ||
	       (i < VP_PMU_GP_MAX ? c->r.evtsel[i] & VP_EVTSEL_INT :
		c->r.fixed_ctrl >> (4 * (i - VP_PMU_GP_MAX) + 3) & 1);
}

static uint64_t at_least_one(uint64_t left, uint64_t room)
{
	left += !left;
	return left < room ? left : room;
}

uint64_t vp_pmu_headroom(struct vp_pmu *pmu, unsigned int cpu, bool user)
{
	const struct vp_pmu_cpu *c = &pmu->cpu[cpu];
	uint64_t room = c->pmi_held ? HELD_POLL : HEADROOM_MAX;
	unsigned int i;

	if (c->hold.state == VP_DELAY_RUNNING)
		room = at_least_one(c->hold.left, room);
	if (c->late.state == VP_DELAY_RUNNING)
		room = at_least_one(c->late.left, room);

	for (i = 0; i < VP_PMU_COUNTERS; i++) {
		uint64_t left = VP_COUNTER_MASK + 1 - c->r.pmc[i];

		if (c->time[user] >> i & 1 && left < room)
			room = left;
		if (!(c->timed[user] >> i & 1))
			continue;
		room = room < HEADROOM_TIMED ? room : HEADROOM_TIMED;
		/* How many cycles an instruction takes is not known in advance: update often. */
		if (overflow_matters(c, i))
			room = at_least_one(left / OVERFLOW_SHARE, room);
	}
	return room;
}
