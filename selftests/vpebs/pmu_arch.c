// SPDX-License-Identifier: GPL-2.0
/*
 * Architectural PEBS (format 0xf): the counters that do it, the buffer, records, and their rules.
 *
 * Intel's text was not available. This follows what the driver of Linux 7.3 does with such a CPU:
 * arch/x86/events/intel/core.c (intel_pmu_enable_event_ext, init_arch_pebs_on_cpu), ds.c
 * (intel_pmu_drain_arch_pebs, setup_arch_pebs_sample_data) and include/asm/perf_event.h (struct
 * arch_pebs_header, _basic, _aux, _gprs). judge_perf.sh runs that driver, which is not memlat's, on
 * this model. Where the driver does not show what a CPU does, the model does this:
 * - A record at or past the threshold raises a PMI, with bit 54 of GLOBAL_STATUS.
 * - A record that does not fit sets the "full" bit, and is lost.
 * - The reload value is sign-extended; 0: none.
 * - A record has all groups that its counters request. With the option "split" it comes in two
 *   fragments: the basic group, and the others.
 * - A write to PEBS_INDEX or PEBS_BASE while a PEBS counter counts is a violation, because
 *   software cannot know where the next record goes.
 */
#include <inttypes.h>
#include <string.h>

#include "pmu_internal.h"

#define HEADER	2	/* words */
#define BASIC	6
#define AUX	8
#define GPRS	20

/* The groups in a fragment's header, with the bits of a CFG_C. */
#define GROUPS	(VP_CFG_C_GPR | VP_CFG_C_AUX)

static bool can_record(const struct vp_core *core, unsigned int i)
{
	return i < VP_PMU_GP_MAX ? core->pebs_gp >> i & 1 :
				   core->pebs_fixed >> (i - VP_PMU_GP_MAX) & 1;
}

uint64_t vp_arch_cfg_c_bits(const struct vp_core *core, unsigned int i)
{
	return can_record(core, i) ? VP_CFG_C_RELOAD | VP_CFG_C_PEBS | core->pebs_caps : 0;
}

uint32_t vp_arch_counters(const struct vp_pmu_cpu *c)
{
	uint32_t counters = 0;
	unsigned int i;

	for (i = 0; i < VP_PMU_COUNTERS; i++)
		if (c->r.cfg_c[i] & VP_CFG_C_PEBS)
			counters |= 1u << i;
	return counters;
}

/* The reload value, sign-extended to the width of a counter. */
static uint64_t reload_of(const struct vp_pmu_cpu *c, unsigned int i)
{
	return (uint64_t)(int64_t)(int32_t)(c->r.cfg_c[i] & VP_CFG_C_RELOAD);
}

static uint64_t base_of(const struct vp_pmu_regs *r)
{
	return r->pebs_base & ~0xfffULL;
}

/* The size of the buffer in bytes. */
static uint64_t room_of(const struct vp_pmu_regs *r)
{
	return 1ULL << (VP_PAGE_SHIFT + (r->pebs_base & VP_PEBS_BASE_PAGES));
}

/* A PEBS counter begins to count. */
void vp_arch_start(struct vp_pmu *pmu, unsigned int cpu, uint64_t ip)
{
	struct vp_pmu_cpu *c = &pmu->cpu[cpu];
	const struct vp_pmu_regs *r = &c->r;
	const uint64_t limit = VP_PEBS_INDEX_LIMIT(r->pebs_index) * VP_PEBS_UNIT;

	if (!base_of(r))
		vp_pmu_violation(pmu, cpu, ip, "pebs-base",
				 "PEBS starts with PEBS_BASE 0x%" PRIx64, r->pebs_base);
	if (!(r->pebs_index & VP_PEBS_INDEX_ENABLE))
		vp_pmu_violation(pmu, cpu, ip, "pebs-disabled",
				 "PEBS starts with PEBS_INDEX 0x%" PRIx64 ", which is not enabled",
				 r->pebs_index);
	/* Allowed, but surely a mistake: no PMI ever, or a PMI before the first record. */
	else if (!limit || limit > room_of(r))
		vp_pmu_violation(pmu, cpu, ip, "pebs-threshold",
				 "PEBS_INDEX 0x%" PRIx64 ": a threshold of %" PRIu64
				 " bytes in a buffer of %" PRIu64, r->pebs_index, limit, room_of(r));
	vp_police_period(pmu, cpu, ip, reload_of(c, 0));
}

void vp_arch_reload(struct vp_pmu *pmu, const struct vp_overflow *o)
{
	struct vp_pmu_cpu *c = &pmu->cpu[o->cpu];
	unsigned int i;

	vp_police_period(pmu, o->cpu, o->ip, reload_of(c, 0));
	for (i = 0; i < VP_PMU_COUNTERS; i++)
		if (o->counters >> i & 1 && c->r.cfg_c[i] & VP_CFG_C_RELOAD)
			vp_set_counter(c, i, reload_of(c, i));
}

static unsigned int fill_aux(const struct vp_memory *m, uint64_t *w)
{
	w[0] = m->addr;
	w[5] = m->source;
	w[6] = m->latency;
	return AUX;
}

/* The shadow stack's pointer is not known here. */
static unsigned int fill_gprs(struct vp_pmu *pmu, unsigned int cpu, uint64_t *w)
{
	uint64_t regs[VP_RECORD_REGS];
	unsigned int i;

	pmu->ops->regs(pmu->ctx, cpu, regs);
	for (i = 0; i < VP_RECORD_REGS; i++)
		w[i] = regs[vp_record_gprs[i]];
	return GPRS;
}

void vp_arch_fill(struct vp_pmu *pmu, const struct vp_overflow *o, const struct vp_memory *m,
		  struct vp_record *rec)
{
	const struct vp_pmu_cpu *c = &pmu->cpu[o->cpu];
	const uint64_t more = pmu->split ? VP_FRAGMENT_GOES_ON : 0;
	unsigned int n = HEADER + BASIC, from = 0, i;
	uint64_t groups = 0, *basic = rec->w + HEADER;

	for (i = 0; i < VP_PMU_COUNTERS; i++)
		if (o->counters >> i & 1)
			groups |= c->r.cfg_c[i] & GROUPS;
	basic[0] = o->ip;
	basic[1] = vp_counter_bits(o->counters);
	basic[2] = pmu->ops->tsc(pmu->ctx, o->cpu);
	basic[3] = vp_record_retire_latency(c, o);
	basic[3] |= basic[3] ? 1u << 16 : 0;
	rec->w[0] = VP_CFG_C_PEBS | VP_FRAGMENT_64;
	if (more && groups) {
		rec->w[0] |= more | n * sizeof(uint64_t);
		from = n;
		rec->w[from] = VP_FRAGMENT_64;
		n += HEADER;
	}
	rec->w[from] |= groups;
	if (groups & VP_CFG_C_AUX)
		n += fill_aux(m, rec->w + n);
	if (groups & VP_CFG_C_GPR)
		n += fill_gprs(pmu, o->cpu, rec->w + n);
	rec->w[from] |= (n - from) * sizeof(uint64_t);
	rec->size = n * sizeof(uint64_t);
}

enum vp_pmu_fate vp_arch_write(struct vp_pmu *pmu, const struct vp_overflow *o,
			       const struct vp_record *rec, bool *full_enough)
{
	struct vp_pmu_regs *r = &pmu->cpu[o->cpu].r;
	uint64_t index = r->pebs_index, at = VP_PEBS_INDEX_AT(index) * VP_PEBS_UNIT;

	if (!base_of(r) || !(index & VP_PEBS_INDEX_ENABLE)) {
		vp_pmu_violation(pmu, o->cpu, o->ip, "pebs-disabled",
				 "a record with PEBS_BASE 0x%" PRIx64 " and PEBS_INDEX 0x%" PRIx64,
				 r->pebs_base, index);
		return VP_PMU_BAD_DS;
	}
	if (at + rec->size > room_of(r)) {
		__atomic_store_n(&r->pebs_index, index | VP_PEBS_INDEX_FULL, __ATOMIC_RELAXED);
		*full_enough = true;
		return VP_PMU_BUFFER_FULL;
	}
	if (!pmu->ops->write_phys(pmu->ctx, o->cpu, base_of(r) + at, rec->w, rec->size)) {
		vp_pmu_violation(pmu, o->cpu, o->ip, "pebs-base",
				 "PEBS buffer 0x%" PRIx64 " is no memory", base_of(r) + at);
		return VP_PMU_BAD_DS;
	}
	at = (at + rec->size) / VP_PEBS_UNIT;
	index = (index & ~VP_PEBS_INDEX_SET(0x7fffff)) | VP_PEBS_INDEX_SET(at);
	__atomic_store_n(&r->pebs_index, index, __ATOMIC_RELAXED);
	vp_police_record(pmu, o->cpu);
	*full_enough = at >= VP_PEBS_INDEX_LIMIT(index);
	return VP_PMU_WRITTEN;
}
