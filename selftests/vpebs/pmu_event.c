// SPDX-License-Identifier: GPL-2.0
/* The PMU at work: counting, PEBS records, interrupts. */
#include <inttypes.h>
#include <string.h>

#include "pmu_internal.h"

/* How long a held PMI may wait for somebody to look at LVTPC again. */
#define HELD_POLL	256

/* Longest stretch between two looks at the counters. */
#define HEADROOM_MAX	(1ULL << 22)

enum vp_event vp_pmu_event(uint64_t evtsel)
{
	unsigned int event = evtsel & 0xffff;
	bool plain = !(evtsel & (VP_EVTSEL_EDGE | VP_EVTSEL_INV | VP_EVTSEL_CMASK));

	/*
	 * "Cycles in which fewer than N retired", with N above what a core
	 * can retire: all cycles. perf's precise cycles are made like that.
	 */
	if (evtsel & VP_EVTSEL_INV && (evtsel & VP_EVTSEL_CMASK) >> 24 >= 8 &&
	    !(evtsel & VP_EVTSEL_EDGE))
		return event == 0x00c0 || event == 0x01c0 || event == 0x01c2 ||
		       event == 0x02c2 ? VP_EV_CYCLES : VP_EV_NONE;
	if (!plain)
		return VP_EV_NONE;
	switch (event) {
	case 0x00c0:
	case 0x01c0:
		return VP_EV_INSTRUCTIONS;
	case 0x003c:
		return VP_EV_CYCLES;
	case 0x013c:
	case 0x0300:
		return VP_EV_REF_CYCLES;
	case 0x01cd:
		return VP_EV_LOAD_LATENCY;
	case 0x81d0:
		return VP_EV_ALL_LOADS;
	case 0x82d0:
		return VP_EV_ALL_STORES;
	}
	return VP_EV_NONE;
}

static void add_gp(struct vp_pmu_cpu *c, unsigned int i, unsigned int user)
{
	uint8_t bit = (uint8_t)(1u << i);

	switch (vp_pmu_event(c->r.evtsel[i])) {
	case VP_EV_INSTRUCTIONS:
	case VP_EV_CYCLES:
	case VP_EV_REF_CYCLES:
		c->time[user] |= bit;
		return;
	case VP_EV_LOAD_LATENCY:
		c->latency[user] |= bit;
		return;
	case VP_EV_ALL_LOADS:
		c->loads[user] |= bit;
		return;
	case VP_EV_ALL_STORES:
		c->stores[user] |= bit;
		return;
	case VP_EV_NONE:
		return;
	}
}

/* Bits of vp_pmu_cpu.bad: a state is reported when it begins, not at every write. */
enum {
	BAD_INT		= 1 << 0,
	BAD_FILTER	= 1 << 1,
	BAD_THRESHOLD	= 1 << 2,
	BAD_NO_PEBS	= 1 << 3,
};

static void judge(struct vp_pmu *pmu, unsigned int cpu, uint64_t ip)
{
	struct vp_pmu_cpu *c = &pmu->cpu[cpu];
	const struct vp_pmu_regs *r = &c->r;
	uint8_t bad = 0, fresh;
	unsigned int i, which = 0;
	uint64_t lonely = r->pebs_enable >> 32 & ~r->pebs_enable;

	for (i = 0; i < VP_PMU_GP; i++) {
		uint64_t sel = r->evtsel[i];
		unsigned int unit = sel & 0xff;

		if (!vp_pmu_running(r, i) || !(r->pebs_enable >> i & 1))
			continue;
		if (sel & VP_EVTSEL_INT)
			bad |= BAD_INT;
		/* perf uses INV and CMASK on retirement events by design. */
		if ((unit == 0xcd || unit == 0xd0) &&
		    sel & (VP_EVTSEL_ANY | VP_EVTSEL_EDGE | VP_EVTSEL_INV | VP_EVTSEL_CMASK))
			bad |= BAD_FILTER;
		if (r->pebs_enable >> (32 + i) & 1 && r->ld_lat < 3)
			bad |= BAD_THRESHOLD;
		if (bad & ~c->bad)
			which = i;
	}
	if (lonely & 0xf)
		bad |= BAD_NO_PEBS;
	fresh = bad & (uint8_t)~c->bad;
	c->bad = bad;
	if (fresh & BAD_INT)
		vp_pmu_violation(pmu, cpu, ip, "pebs-int",
				 "PEBS counter %u runs with INT set in its event select", which);
	if (fresh & BAD_FILTER)
		vp_pmu_violation(pmu, cpu, ip, "pebs-filter",
				 "PEBS counter %u runs with AnyThread, Edge, Inv or Cmask: 0x%" PRIx64,
				 which, r->evtsel[which]);
	if (fresh & BAD_THRESHOLD)
		vp_pmu_violation(pmu, cpu, ip, "ldlat-threshold",
				 "load latency armed with threshold %" PRIu64 ", below 3",
				 r->ld_lat);
	if (fresh & BAD_NO_PEBS)
		vp_pmu_violation(pmu, cpu, ip, "ldlat-no-pebs",
				 "PEBS_ENABLE 0x%" PRIx64 ": load latency without PEBS",
				 r->pebs_enable);
}

static void police(struct vp_pmu *pmu, unsigned int cpu, uint64_t ip)
{
	struct vp_pmu_cpu *c = &pmu->cpu[cpu];
	bool counting = false;
	unsigned int i;

	for (i = 0; i < VP_PMU_GP; i++)
		counting |= c->r.pebs_enable >> i & 1 && vp_pmu_running(&c->r, i);
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
		for (i = 0; i < VP_PMU_GP; i++)
			if (vp_pmu_running(r, i) && r->evtsel[i] & need)
				add_gp(c, i, user);
		for (i = 0; i < VP_PMU_FIXED; i++)
			if (vp_pmu_running(r, VP_PMU_GP + i) &&
			    r->fixed_ctrl >> 4 * i & (user ? 2 : 1))
				c->time[user] |= (uint8_t)(1u << (VP_PMU_GP + i));
	}
	judge(pmu, cpu, ip);
	police(pmu, cpu, ip);
}

enum vp_pmu_watch vp_pmu_watch(struct vp_pmu *pmu, unsigned int cpu)
{
	const struct vp_pmu_cpu *c = &pmu->cpu[cpu];

	if (c->latency[0] | c->latency[1] | c->loads[0] | c->loads[1] |
	    c->stores[0] | c->stores[1])
		return VP_WATCH_MEMORY;
	return c->time[0] | c->time[1] || c->hold.state == VP_DELAY_RUNNING ||
	       c->late.state == VP_DELAY_RUNNING ? VP_WATCH_TIME : VP_WATCH_NOTHING;
}

static void pmi(struct vp_pmu *pmu, unsigned int cpu, uint64_t ip, uint64_t bits)
{
	struct vp_pmu_cpu *c = &pmu->cpu[cpu];
	uint32_t lvt;

	if (vp_delay_catch(&c->hold)) {
		c->hold_bits |= bits;
		return;
	}
	lvt = pmu->ops->lvtpc_read(pmu->ctx, cpu);
	vp_pmu_saw_lvtpc(pmu, cpu, lvt);
	if (lvt & VP_LVT_MASKED) {
		c->pmi_bits |= bits;
		if (!c->pmi_held)
			pmu->ops->pmi(pmu->ctx, cpu, false);
		c->pmi_held = true;
		return;
	}
	if ((lvt & VP_LVT_MODE) != VP_LVT_NMI) {
		if (!c->pmi_odd_lvt)
			vp_pmu_violation(pmu, cpu, ip, "lvtpc-mode",
					 "PMI with LVTPC 0x%" PRIx32 ", not an NMI", lvt);
		c->pmi_odd_lvt = true;
		return;
	}
	c->pmi_odd_lvt = false;
	c->pmi_held = false;
	c->pmi_bits = 0;
	pmu->ops->lvtpc_write(pmu->ctx, cpu, lvt | VP_LVT_MASKED);
	vp_pmu_saw_lvtpc(pmu, cpu, lvt | VP_LVT_MASKED);
	pmu->ops->pmi(pmu->ctx, cpu, true);
	pmu->ops->nmi(pmu->ctx, cpu);
}

static void poll_held(struct vp_pmu *pmu, unsigned int cpu, uint64_t ip)
{
	struct vp_pmu_cpu *c = &pmu->cpu[cpu];
	uint32_t lvt;

	c->pmi_bits &= c->r.status;
	if (!c->pmi_bits) {
		c->pmi_held = false;
		return;
	}
	lvt = pmu->ops->lvtpc_read(pmu->ctx, cpu);
	vp_pmu_saw_lvtpc(pmu, cpu, lvt);
	if (!(lvt & VP_LVT_MASKED))
		pmi(pmu, cpu, ip, c->pmi_bits);
}

static void set_status(struct vp_pmu_cpu *c, uint64_t bits)
{
	__atomic_store_n(&c->r.status, c->r.status | bits, __ATOMIC_RELAXED);
}

static void set_counter(struct vp_pmu_cpu *c, unsigned int i, uint64_t value)
{
	__atomic_store_n(&c->r.pmc[i], value & VP_COUNTER_MASK, __ATOMIC_RELAXED);
}

struct overflow {
	unsigned int cpu;
	uint64_t ip;
	uint64_t counters;		/* GP ones with PEBS */
	bool latency;			/* one of them counts load latency */
	const struct vp_access *access;
	const struct vp_outcome *outcome;
};

static bool canonical(uint64_t addr)
{
	return (uint64_t)((int64_t)(addr << 16) >> 16) == addr;
}

static bool ds_sane(struct vp_pmu *pmu, const struct overflow *o, uint64_t base,
		    uint64_t index, uint64_t max, uint64_t threshold)
{
	const char *why = NULL;

	if (!base || !canonical(base) || !canonical(index) || !canonical(max))
		why = "no such address";
	else if (max < base + VP_RECORD_SIZE)
		why = "no room for one record";
	else if (index < base || index > max)
		why = "index is outside the buffer";
	else if ((index - base) % VP_RECORD_SIZE)
		why = "index is inside a record";
	else if (threshold < base)
		why = "threshold is below the buffer";
	if (!why) {
		/* No PMI ever: lawful, and never meant. */
		if (threshold > max)
			vp_pmu_violation(pmu, o->cpu, o->ip, "ds-threshold",
					 "threshold 0x%" PRIx64 " is past maximum 0x%" PRIx64,
					 threshold, max);
		return true;
	}
	vp_pmu_violation(pmu, o->cpu, o->ip, "ds-bad",
			 "%s: base 0x%" PRIx64 " index 0x%" PRIx64 " maximum 0x%" PRIx64
			 " threshold 0x%" PRIx64, why, base, index, max, threshold);
	return false;
}

static void fill(struct vp_pmu *pmu, const struct overflow *o, uint64_t *rec)
{
	memset(rec, 0, VP_RECORD_SIZE);
	pmu->ops->regs(pmu->ctx, o->cpu, rec);
	rec[0x90 / 8] = o->counters;
	rec[0xb0 / 8] = o->ip;
	rec[0xc0 / 8] = pmu->ops->tsc(pmu->ctx, o->cpu);
	if (!o->access)
		return;
	rec[0x98 / 8] = o->access->vaddr;
	if (o->latency) {
		rec[0xa0 / 8] = vp_raw_source(o->access, o->outcome);
		rec[0xa8 / 8] = o->outcome->latency;
	} else {
		rec[0xa0 / 8] = o->outcome->l1_hit;
	}
}

static bool read_area(struct vp_pmu *pmu, const struct overflow *o, uint64_t area[VP_DS_END / 8])
{
	uint64_t ds = pmu->cpu[o->cpu].r.ds_area;

	if (pmu->ops->read(pmu->ctx, o->cpu, ds, area, VP_DS_END))
		return true;
	vp_pmu_violation(pmu, o->cpu, o->ip, "ds-unmapped",
			 "DS area 0x%" PRIx64 " cannot be read", ds);
	return false;
}

static void reload(struct vp_pmu_cpu *c, const struct overflow *o, const uint64_t *area)
{
	unsigned int i;

	for (i = 0; i < VP_PMU_GP; i++)
		if (o->counters >> i & 1)
			set_counter(c, i, area[VP_DS_RESET0 / 8 + i]);
}

/*
 * Into the buffer that the DS area names now. Returns the fate; sets
 * *full_enough when the threshold is reached.
 */
static enum vp_pmu_fate write_record(struct vp_pmu *pmu, const struct overflow *o,
				     const uint64_t *area, const uint64_t *rec,
				     bool *full_enough)
{
	uint64_t ds = pmu->cpu[o->cpu].r.ds_area;
	uint64_t index = area[VP_DS_PEBS_INDEX / 8];
	uint64_t max = area[VP_DS_PEBS_MAX / 8];
	uint64_t threshold = area[VP_DS_PEBS_THRESHOLD / 8];

	if (!ds_sane(pmu, o, area[VP_DS_PEBS_BASE / 8], index, max, threshold))
		return VP_PMU_BAD_DS;
	if (max - index < VP_RECORD_SIZE) {
		*full_enough = index >= threshold;
		return VP_PMU_BUFFER_FULL;
	}
	if (!pmu->ops->write(pmu->ctx, o->cpu, index, rec, VP_RECORD_SIZE)) {
		vp_pmu_violation(pmu, o->cpu, o->ip, "ds-unmapped",
				 "PEBS buffer 0x%" PRIx64 " cannot be written", index);
		return VP_PMU_DS_UNMAPPED;
	}
	index += VP_RECORD_SIZE;
	if (!pmu->ops->write(pmu->ctx, o->cpu, ds + VP_DS_PEBS_INDEX, &index, sizeof(index))) {
		vp_pmu_violation(pmu, o->cpu, o->ip, "ds-unmapped",
				 "DS area 0x%" PRIx64 " cannot be written", ds);
		return VP_PMU_DS_UNMAPPED;
	}
	vp_police_record(pmu, o->cpu);
	*full_enough = index >= threshold;
	return VP_PMU_WRITTEN;
}

/* What became of a record, and the PMI that it may be due. */
static void report(struct vp_pmu *pmu, const struct overflow *o, enum vp_pmu_fate fate,
		   bool full_enough)
{
	pmu->ops->record(pmu->ctx, o->cpu, o->access, fate);
	if (full_enough) {
		set_status(&pmu->cpu[o->cpu], VP_STATUS_DS);
		pmi(pmu, o->cpu, o->ip, VP_STATUS_DS);
	}
}

static void pebs(struct vp_pmu *pmu, const struct overflow *o)
{
	struct vp_pmu_cpu *c = &pmu->cpu[o->cpu];
	uint64_t area[VP_DS_END / 8], rec[VP_RECORD_SIZE / 8];
	enum vp_pmu_fate fate = VP_PMU_DS_UNMAPPED;
	bool full_enough = false;

	if (read_area(pmu, o, area)) {
		reload(c, o, area);
		fill(pmu, o, rec);
		/* Only one can be on its way. */
		if (c->late.state <= VP_DELAY_ASKED && vp_delay_catch(&c->late)) {
			memcpy(c->late_record, rec, sizeof(rec));
			c->late_has_access = o->access;
			if (o->access)
				c->late_access = *o->access;
			return;
		}
		fate = write_record(pmu, o, area, rec, &full_enough);
	}
	report(pmu, o, fate, full_enough);
}

/* The record that was on its way arrives, wherever the DS area is now. */
static void late_record(struct vp_pmu *pmu, unsigned int cpu, uint64_t ip)
{
	struct vp_pmu_cpu *c = &pmu->cpu[cpu];
	const struct overflow o = { .cpu = cpu, .ip = ip,
				    .access = c->late_has_access ? &c->late_access : NULL };
	enum vp_pmu_fate fate = VP_PMU_DS_UNMAPPED;
	uint64_t area[VP_DS_END / 8];
	bool full_enough = false;

	if (read_area(pmu, &o, area))
		fate = write_record(pmu, &o, area, c->late_record, &full_enough);
	report(pmu, &o, fate, full_enough);
}

static void plain_overflow(struct vp_pmu *pmu, unsigned int cpu, unsigned int i, uint64_t ip)
{
	struct vp_pmu_cpu *c = &pmu->cpu[cpu];
	unsigned int j = i - VP_PMU_GP;
	uint64_t bit = i < VP_PMU_GP ? 1ULL << i : 1ULL << (32 + j);
	bool wanted = i < VP_PMU_GP ? c->r.evtsel[i] & VP_EVTSEL_INT :
				      c->r.fixed_ctrl >> (4 * j + 3) & 1;

	set_status(c, bit);
	if (wanted)
		pmi(pmu, cpu, ip, bit);
}

void vp_pmu_access(struct vp_pmu *pmu, const struct vp_access *access,
		   const struct vp_outcome *outcome)
{
	struct vp_pmu_cpu *c = &pmu->cpu[access->cpu];
	struct overflow o = { .cpu = access->cpu, .ip = access->ip,
			      .access = access, .outcome = outcome };
	unsigned int mask, slow = 0, i;
	unsigned int user = access->user;

	if (c->counting)
		vp_police_pass(pmu, access->cpu, 1, access->ip);
	if (access->store) {
		mask = c->stores[user];
	} else {
		mask = c->loads[user];
		slow = outcome->latency > c->r.ld_lat ? c->latency[user] : 0;
		mask |= slow;
	}
	if (!mask)
		return;
	if ((access->store ? mask : slow) & c->r.pebs_enable)
		pmu->ops->counted(pmu->ctx, access, outcome);
	for (i = 0; i < VP_PMU_GP; i++) {
		if (!(mask >> i & 1))
			continue;
		set_counter(c, i, c->r.pmc[i] + 1);
		if (c->r.pmc[i])
			continue;
		if (c->r.pebs_enable >> i & 1) {
			o.counters |= 1ULL << i;
			o.latency |= slow >> i & 1;
		} else {
			plain_overflow(pmu, access->cpu, i, access->ip);
		}
	}
	if (o.counters)
		pebs(pmu, &o);
}

static void advance(struct vp_pmu *pmu, unsigned int cpu, unsigned int i, uint64_t n, uint64_t ip)
{
	struct vp_pmu_cpu *c = &pmu->cpu[cpu];
	uint64_t left;

	while (n >= (left = VP_COUNTER_MASK + 1 - c->r.pmc[i])) {
		n -= left;
		set_counter(c, i, 0);
		if (i < VP_PMU_GP && c->r.pebs_enable >> i & 1) {
			struct overflow o = { .cpu = cpu, .ip = ip, .counters = 1ULL << i };

			pebs(pmu, &o);
		} else {
			plain_overflow(pmu, cpu, i, ip);
		}
	}
	set_counter(c, i, c->r.pmc[i] + n);
}

void vp_pmu_retire(struct vp_pmu *pmu, unsigned int cpu, bool user, uint64_t n, uint64_t ip)
{
	struct vp_pmu_cpu *c = &pmu->cpu[cpu];
	unsigned int i;

	if (n)
		for (i = 0; i < VP_PMU_COUNTERS; i++)
			if (c->time[user] >> i & 1)
				advance(pmu, cpu, i, n, ip);
	if (c->counting && n)
		vp_police_pass(pmu, cpu, n, ip);
	if (vp_delay_step(&c->hold, n)) {
		uint64_t bits = c->hold_bits;

		c->hold_bits = 0;
		pmi(pmu, cpu, ip, bits);
	}
	if (vp_delay_step(&c->late, n))
		late_record(pmu, cpu, ip);
	if (c->pmi_held)
		poll_held(pmu, cpu, ip);
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
	}
	return room;
}
