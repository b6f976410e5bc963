// SPDX-License-Identifier: GPL-2.0
/*
 * PEBS records: their layouts, and how they are written into the buffer of the DS area. pmu_arch.c
 * has both for architectural PEBS.
 */
#include <inttypes.h>
#include <string.h>

#include "pmu_internal.h"

/* Offsets in a fixed record. Formats differ in where the record ends. */
enum {
	FIXED_STATUS	= 0x90,
	FIXED_ADDR	= 0x98,
	FIXED_SOURCE	= 0xa0,
	FIXED_LATENCY	= 0xa8,
	FIXED_IP	= 0xb0,		/* since format 2 */
	FIXED_TSC	= 0xc0,		/* since format 3 */
};

static const unsigned int fixed_size[4] = { 0, 176, 192, 200 };

/* Reset values: four counters up to format 3, eight in format 4, and 32 since. */
unsigned int vp_ds_reset(const struct vp_core *core, unsigned int i)
{
	if (i < VP_PMU_GP_MAX)
		return VP_DS_RESET0 + 8 * i;
	return (vp_core_format(core) < 5 ? 0x80 : 0x140) + 8 * (i - VP_PMU_GP_MAX);
}

unsigned int vp_ds_size(const struct vp_core *core)
{
	if (vp_core_format(core) < 4)
		return 0x60;
	return vp_core_format(core) < 5 ? 0xa0 : VP_DS_MAX;
}

static bool wants_groups(const struct vp_pmu_cpu *c, uint32_t counters)
{
	unsigned int i;

	for (i = 0; i < VP_PMU_COUNTERS; i++) {
		if (!(counters >> i & 1))
			continue;
		if (i < VP_PMU_GP_MAX ? c->r.evtsel[i] & VP_EVTSEL_ADAPTIVE :
		    c->r.fixed_ctrl >> (32 + 4 * (i - VP_PMU_GP_MAX)) & 1)
			return true;
	}
	return false;
}

/* Did the core's event that samples stores overflow? Other events only report a hit in L1. */
static bool store_sampled(const struct vp_pmu_cpu *c, const struct vp_overflow *o)
{
	unsigned int i;

	for (i = 0; i < c->core->gp && o->access && o->access->store; i++)
		if (o->counters >> i & 1 && (c->r.evtsel[i] & 0xffff) == c->core->store_event)
			return true;
	return false;
}

static uint64_t latency_word(const struct vp_core *core, const struct vp_outcome *outcome)
{
	uint64_t use = vp_use_latency(outcome), cache = vp_memory_latency(core, outcome);

	/* Two latencies: the whole instruction's, and memory's part of it. */
	if (!core->cache_latency)
		return use;
	return (use < 0xffff ? use : 0xffff) | (cache < 0xffff ? cache : 0xffff) << 32;
}

static void load_latency(struct vp_pmu *pmu, const struct vp_overflow *o, struct vp_memory *m)
{
	struct vp_pmu_cpu *c = &pmu->cpu[o->cpu];
	const struct vp_encoding *e = c->core->encoding;

	m->told = true;
	m->source = vp_encode_load(e, o->access, o->outcome);
	/* Flags as they are, but nobody knows where the data came from. */
	if (c->no_aux)
		m->source &= ~(e->wide ? 0xffULL : 0xfULL);
	m->latency = latency_word(c->core, o->outcome);
	if (__atomic_load_n(&pmu->sweep, __ATOMIC_ACQUIRE)) {
		unsigned int n = __atomic_fetch_add(&c->swept, 1, __ATOMIC_RELAXED);

		m->source = vp_encoding_word(e, n);
		m->addr = VP_SWEEP_ADDR + VP_LINE_BYTES * m->source;
	}
}

static struct vp_memory memory_of(struct vp_pmu *pmu, const struct vp_overflow *o)
{
	const struct vp_pmu_cpu *c = &pmu->cpu[o->cpu];
	const struct vp_core *core = c->core;
	struct vp_memory m = { 0 };

	if (!o->access)
		return m;
	m.addr = o->access->vaddr;
	if (o->latency) {
		load_latency(pmu, o, &m);
	} else if (store_sampled(c, o)) {
		/* Precise store is off, so the store is only counted. */
		if (core->precise_store && !(c->r.pebs_enable & VP_PRECISE_STORE))
			return (struct vp_memory) { 0 };
		m.source = vp_encode_store(core->encoding, o->access, o->outcome);
		m.told = vp_stores_tell(core);
		if (m.told)
			m.latency = latency_word(core, o->outcome);
	} else {
		m.source = o->outcome->l1_hit;
	}
	return m;
}

static void fill_fixed(struct vp_pmu *pmu, const struct vp_overflow *o, const struct vp_memory *m,
		       struct vp_record *rec)
{
	const struct vp_pmu_cpu *c = &pmu->cpu[o->cpu];
	unsigned int format = vp_core_format(c->core);
	uint64_t status = vp_counter_bits(o->counters);

	if (format < 3)
		status |= c->r.status | c->late_counters;
	pmu->ops->regs(pmu->ctx, o->cpu, rec->w);
	rec->w[FIXED_STATUS / 8] = status;
	rec->w[FIXED_ADDR / 8] = m->addr;
	rec->w[FIXED_SOURCE / 8] = m->source;
	rec->w[FIXED_LATENCY / 8] = m->latency;
	if (format >= 2)
		rec->w[FIXED_IP / 8] = o->ip;
	if (format >= 3)
		rec->w[FIXED_TSC / 8] = pmu->ops->tsc(pmu->ctx, o->cpu);
	rec->size = fixed_size[format];
}

const uint8_t vp_record_gprs[VP_RECORD_REGS] = {
	0, 1, 2, 4, 5, 3, 9, 8, 6, 7, 10, 11, 12, 13, 14, 15, 16, 17
};

static unsigned int fill_counters(const struct vp_pmu_cpu *c, uint64_t cfg, uint64_t *w)
{
	uint64_t gp = cfg & VP_GROUP_COUNTERS ? cfg >> 32 & 0xffff : 0;
	uint64_t fixed = cfg & VP_GROUP_COUNTERS ? cfg >> 48 & 0xff : 0;
	unsigned int i, n = 2;

	w[0] = gp | fixed << 32;
	w[1] = cfg & VP_GROUP_METRICS ? 3 : 0;
	for (i = 0; i < c->core->gp; i++)
		if (gp >> i & 1)
			w[n++] = c->r.pmc[i];
	for (i = 0; i < c->core->fixed; i++)
		if (fixed >> i & 1)
			w[n++] = c->r.pmc[VP_PMU_GP_MAX + i];
	if (cfg & VP_GROUP_METRICS) {
		w[n++] = c->r.pmc[VP_PMU_GP_MAX + 3];
		w[n++] = c->r.metrics;
	}
	return n;
}

/* This model knows no other retire latency than the load's own latency. */
uint64_t vp_record_retire_latency(const struct vp_pmu_cpu *c, const struct vp_overflow *o)
{
	if (!(c->core->perf_caps & VP_CAP_TIMING))
		return 0;
	return o->access && vp_use_latency(o->outcome) < 0xffff ? vp_use_latency(o->outcome) : 1;
}

static void fill_adaptive(struct vp_pmu *pmu, const struct vp_overflow *o, const struct vp_memory *m,
			  struct vp_record *rec)
{
	const struct vp_pmu_cpu *c = &pmu->cpu[o->cpu];
	uint64_t cfg = wants_groups(c, o->counters) ? c->r.data_cfg : 0;
	uint64_t regs[VP_RECORD_REGS];
	unsigned int n = 4, i;

	rec->w[1] = o->ip;
	rec->w[2] = vp_counter_bits(o->counters);
	rec->w[3] = pmu->ops->tsc(pmu->ctx, o->cpu);
	if (cfg & VP_GROUP_MEMINFO) {
		rec->w[n] = m->addr;
		rec->w[n + 1] = m->source;
		rec->w[n + 2] = m->latency;
		n += 4;
	}
	if (cfg & VP_GROUP_GPRS) {
		pmu->ops->regs(pmu->ctx, o->cpu, regs);
		for (i = 0; i < VP_RECORD_REGS; i++)
			rec->w[n++] = regs[vp_record_gprs[i]];
	}
	/* The model does not know vector registers and branches: write zeros. */
	if (cfg & VP_GROUP_XMM)
		n += 32;
	if (cfg & VP_GROUP_LBR)
		n += 3 * ((unsigned int)(cfg >> 24 & 0xff) + 1);
	if (cfg & (VP_GROUP_COUNTERS | VP_GROUP_METRICS))
		n += fill_counters(c, cfg, rec->w + n);
	rec->size = 8 * n;
	rec->w[0] = (cfg & 0xffffffff) | vp_record_retire_latency(c, o) << 32 |
		    (uint64_t)rec->size << 48;
}

static void fill(struct vp_pmu *pmu, const struct vp_overflow *o, struct vp_record *rec)
{
	struct vp_memory m = memory_of(pmu, o);

	memset(rec, 0, sizeof(*rec));
	if (vp_core_arch(pmu->cpu[o->cpu].core))
		vp_arch_fill(pmu, o, &m, rec);
	else if (vp_core_format(pmu->cpu[o->cpu].core) < 4)
		fill_fixed(pmu, o, &m, rec);
	else
		fill_adaptive(pmu, o, &m, rec);
	rec->word = m.told ? (uint32_t)m.source : VP_NO_WORD;
}

static bool ds_sane(struct vp_pmu *pmu, const struct vp_overflow *o, const uint64_t *area,
		    unsigned int size)
{
	uint64_t base = area[VP_DS_PEBS_BASE / 8], index = area[VP_DS_PEBS_INDEX / 8];
	uint64_t max = area[VP_DS_PEBS_MAX / 8], threshold = area[VP_DS_PEBS_THRESHOLD / 8];
	bool fixed = vp_core_format(pmu->cpu[o->cpu].core) < 4;
	const char *why = NULL;

	if (!base || !vp_canonical(base) || !vp_canonical(index) || !vp_canonical(max))
		why = "no such address";
	else if (max < base + size)
		why = "no room for one record";
	else if (index < base || index > max)
		why = "index is outside the buffer";
	/* The size of adaptive records may change from one to the next. */
	else if ((index - base) % (fixed ? size : 8))
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

static bool read_area(struct vp_pmu *pmu, const struct vp_overflow *o,
		      uint64_t area[VP_DS_MAX / 8])
{
	const struct vp_pmu_cpu *c = &pmu->cpu[o->cpu];
	uint64_t ds = c->r.ds_area;

	if (vp_core_arch(c->core))
		return true;
	if (pmu->ops->read(pmu->ctx, o->cpu, ds, area, vp_ds_size(c->core)))
		return true;
	vp_pmu_violation(pmu, o->cpu, o->ip, "ds-unmapped",
			 "DS area 0x%" PRIx64 " cannot be read", ds);
	return false;
}

/* Reload the counters that overflowed. */
static void reload(struct vp_pmu *pmu, const struct vp_overflow *o, const uint64_t *area)
{
	struct vp_pmu_cpu *c = &pmu->cpu[o->cpu];
	unsigned int i;

	if (vp_core_arch(c->core)) {
		vp_arch_reload(pmu, o);
		return;
	}
	vp_police_period(pmu, o->cpu, o->ip, area[vp_ds_reset(c->core, 0) / 8]);
	for (i = 0; i < VP_PMU_COUNTERS; i++)
		if (o->counters >> i & 1)
			vp_set_counter(c, i, area[vp_ds_reset(c->core, i) / 8]);
}

/*
 * Write a record into the buffer of the current DS area. Returns its fate, and sets *full_enough if
 * the threshold is reached.
 */
static enum vp_pmu_fate write_record(struct vp_pmu *pmu, const struct vp_overflow *o,
				     const uint64_t *area, const struct vp_record *rec,
				     bool *full_enough)
{
	uint64_t ds = pmu->cpu[o->cpu].r.ds_area;
	uint64_t index = area[VP_DS_PEBS_INDEX / 8];
	uint64_t max = area[VP_DS_PEBS_MAX / 8];
	uint64_t threshold = area[VP_DS_PEBS_THRESHOLD / 8];

	if (vp_core_arch(pmu->cpu[o->cpu].core))
		return vp_arch_write(pmu, o, rec, full_enough);
	if (!ds_sane(pmu, o, area, rec->size))
		return VP_PMU_BAD_DS;
	if (max - index < rec->size) {
		*full_enough = index >= threshold;
		return VP_PMU_BUFFER_FULL;
	}
	vp_police_clear(pmu, o->cpu, o->ip, index, index + rec->size);
	if (!pmu->ops->write(pmu->ctx, o->cpu, index, rec->w, rec->size)) {
		vp_pmu_violation(pmu, o->cpu, o->ip, "ds-unmapped",
				 "PEBS buffer 0x%" PRIx64 " cannot be written", index);
		return VP_PMU_DS_UNMAPPED;
	}
	index += rec->size;
	if (!pmu->ops->write(pmu->ctx, o->cpu, ds + VP_DS_PEBS_INDEX, &index, sizeof(index))) {
		vp_pmu_violation(pmu, o->cpu, o->ip, "ds-unmapped",
				 "DS area 0x%" PRIx64 " cannot be written", ds);
		return VP_PMU_DS_UNMAPPED;
	}
	vp_police_record(pmu, o->cpu);
	*full_enough = index >= threshold;
	return VP_PMU_WRITTEN;
}

/* Report a record's fate, and raise a PMI if one is due. */
static void report(struct vp_pmu *pmu, const struct vp_overflow *o, enum vp_pmu_fate fate,
		   uint32_t word, bool full_enough)
{
	struct vp_pmu_cpu *c = &pmu->cpu[o->cpu];
	const uint64_t due = vp_status_pebs(c->core);

	pmu->ops->record(pmu->ctx, o->cpu, o->access, fate, word);
	if (full_enough && !(c->r.status & due)) {
		vp_set_status(c, due);
		vp_pmi(pmu, o->cpu, o->ip, due);
	}
}

void vp_record_make(struct vp_pmu *pmu, const struct vp_overflow *o)
{
	struct vp_pmu_cpu *c = &pmu->cpu[o->cpu];
	enum vp_pmu_fate fate = VP_PMU_DS_UNMAPPED;
	uint64_t area[VP_DS_MAX / 8] = { 0 };
	struct vp_record rec = { .word = VP_NO_WORD };
	bool full_enough = false;

	if (read_area(pmu, o, area)) {
		reload(pmu, o, area);
		fill(pmu, o, &rec);
		/* Only one record can be on its way. */
		if (c->late.state <= VP_DELAY_ASKED && vp_delay_catch(&c->late)) {
			c->late_record = rec;
			c->late_counters = vp_counter_bits(o->counters);
			c->late_has_access = o->access;
			if (o->access)
				c->late_access = *o->access;
			return;
		}
		fate = write_record(pmu, o, area, &rec, &full_enough);
	}
	report(pmu, o, fate, rec.word, full_enough);
}

/* The record that was on its way arrives. It is written to the DS area of now. */
void vp_record_arrives(struct vp_pmu *pmu, unsigned int cpu, uint64_t ip)
{
	struct vp_pmu_cpu *c = &pmu->cpu[cpu];
	const struct vp_overflow o = { .cpu = cpu, .ip = ip,
				       .access = c->late_has_access ? &c->late_access : NULL };
	enum vp_pmu_fate fate = VP_PMU_DS_UNMAPPED;
	uint64_t area[VP_DS_MAX / 8] = { 0 };
	bool full_enough = false;

	c->late_counters = 0;
	if (read_area(pmu, &o, area))
		fate = write_record(pmu, &o, area, &c->late_record, &full_enough);
	report(pmu, &o, fate, c->late_record.word, full_enough);
}

void vp_pmu_sweep(struct vp_pmu *pmu, bool on)
{
	unsigned int i;

	for (i = 0; i < pmu->cpus; i++)
		__atomic_store_n(&pmu->cpu[i].swept, 0, __ATOMIC_RELAXED);
	__atomic_store_n(&pmu->sweep, on, __ATOMIC_RELEASE);
}
