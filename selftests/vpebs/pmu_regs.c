// SPDX-License-Identifier: GPL-2.0
/* The PMU's registers: which of them a core has, and which values may be written when. */
#include <inttypes.h>

#include "pmu_internal.h"

#define LD_LAT_BITS	0xffffULL
#define DEBUGCTL_BITS	0xffc3ULL
#define FRONTEND_BITS	0xffffffULL

/* DEBUGCTL: LBR and BTS are not emulated. */
#define DEBUGCTL_ABSENT	UINT64_C(0xc1)

/* Physical addresses have 52 bits at most. */
#define PEBS_BASE_BITS	((((1ULL << 52) - 1) & ~0xfffULL) | VP_PEBS_BASE_PAGES)
#define PEBS_INDEX_BITS							\
	(VP_PEBS_INDEX_SET(0x7fffff) | VP_PEBS_INDEX_FULL |		\
	 VP_PEBS_INDEX_ENABLE | VP_PEBS_INDEX_LIMIT_SET(0x7fffff))

/* Bits of GLOBAL_STATUS beside those of counters. */
#define STATUS_DS_BITS	(7ULL << 61)		/* uncore, DS buffer, conditions changed */
#define STATUS_V4_BITS	(1ULL << 55 | 1ULL << 60 |	/* Intel PT, SGX */ \
			 VP_STATUS_LBR_FROZEN | VP_STATUS_FROZEN)
#define STATUS_CONDITIONS (1ULL << 63)		/* can be cleared, not set */

enum what {
	NOT_OURS,
	ABSENT,			/* on this core: #GP */
	COUNTER,		/* whole */
	COUNTER_OLD,		/* the old way in: 32 bits, sign-extended */
	EVTSEL,
	OFFCORE,
	SNOOP,
	DEBUGCTL,
	METRICS,
	PERF_CAPS,
	FIXED_CTRL,
	STATUS,
	GLOBAL_CTRL,
	STATUS_RESET,
	STATUS_SET,
	PEBS_ENABLE,
	DATA_CFG,
	PEBS_BASE,
	PEBS_INDEX,
	CFG_C,
	LD_LAT,
	FRONTEND,
	DS_AREA,
	PREFETCH,
};

struct reg {
	enum what what;
	unsigned int i;		/* counter by index, or which of several */
};

static struct reg one(enum what what, bool present)
{
	return (struct reg) { .what = present ? what : ABSENT };
}

static struct reg several(enum what what, unsigned int i, unsigned int n)
{
	return (struct reg) { .what = i < n ? what : ABSENT, .i = i };
}

static struct reg fixed(const struct vp_core *core, enum what what, unsigned int i)
{
	struct reg reg = several(what, i, core->fixed);

	reg.i += VP_PMU_GP_MAX;
	return reg;
}

/*
 * Version 6 has the same counters at other addresses as well. CFG_B, after the event select, is for
 * counters that reload others; none of these machines has them.
 */
static struct reg alias(const struct vp_core *core, uint32_t msr)
{
	const bool is_fixed = msr >= VP_MSR_V6_FIXED;
	const unsigned int at = msr - (is_fixed ? VP_MSR_V6_FIXED : VP_MSR_V6_GP), i = at / 4;
	static const enum what of[4] = { COUNTER, EVTSEL, ABSENT, CFG_C };
	enum what what = of[at % 4];

	if (core->version < 6 || what == ABSENT || (what == EVTSEL && is_fixed) ||
	    (what == CFG_C && !vp_core_arch(core)))
		return one(ABSENT, false);
	return is_fixed ? fixed(core, what, i) : several(what, i, core->gp);
}

/*
 * LBR, BTS and uncore registers exist on silicon, so an access is no violation here. It is left to
 * QEMU, which does not have them.
 */
static struct reg find(const struct vp_core *core, uint32_t msr)
{
	const bool arch = vp_core_arch(core);

	switch (msr) {
	case VP_MSR_PMC0 ... VP_MSR_PMC0 + VP_PMU_GP_MAX - 1:
		return several(COUNTER_OLD, msr - VP_MSR_PMC0, core->gp);
	case VP_MSR_A_PMC0 ... VP_MSR_A_PMC0 + VP_PMU_GP_MAX - 1:
		return several(COUNTER, msr - VP_MSR_A_PMC0,
			       core->perf_caps & VP_CAP_FULL_WIDTH ? core->gp : 0);
	case VP_MSR_EVTSEL0 ... VP_MSR_EVTSEL0 + VP_PMU_GP_MAX - 1:
		return several(EVTSEL, msr - VP_MSR_EVTSEL0, core->gp);
	case VP_MSR_FIXED_CTR0 ... VP_MSR_FIXED_CTR0 + 7:
		return fixed(core, COUNTER, msr - VP_MSR_FIXED_CTR0);
	case VP_MSR_OFFCORE_RSP0 ... VP_MSR_OFFCORE_RSP1:
		return several(OFFCORE, msr - VP_MSR_OFFCORE_RSP0, core->offcore);
	case VP_MSR_SNOOP_RSP0 ... VP_MSR_SNOOP_RSP0 + 1:
		return several(SNOOP, msr - VP_MSR_SNOOP_RSP0, core->snoop_rsp ? 2 : 0);
	case VP_MSR_DEBUGCTL:
		return one(DEBUGCTL, true);
	case VP_MSR_METRICS:
		return one(METRICS, core->metrics);
	case VP_MSR_PERF_CAPS:
		return one(PERF_CAPS, true);
	case VP_MSR_FIXED_CTR_CTRL:
		return one(FIXED_CTRL, true);
	case VP_MSR_GLOBAL_STATUS:
		return one(STATUS, true);
	case VP_MSR_GLOBAL_CTRL:
		return one(GLOBAL_CTRL, true);
	case VP_MSR_GLOBAL_RESET:
		return one(STATUS_RESET, true);
	case VP_MSR_GLOBAL_SET:
		return one(STATUS_SET, core->version >= 4);
	case VP_MSR_PEBS_ENABLE:
		return one(PEBS_ENABLE, !arch);
	case VP_MSR_PEBS_DATA_CFG:
		return one(DATA_CFG, vp_core_adaptive(core));
	case VP_MSR_PEBS_BASE:
		return one(PEBS_BASE, arch);
	case VP_MSR_PEBS_INDEX:
		return one(PEBS_INDEX, arch);
	case VP_MSR_LD_LAT:
		return one(LD_LAT, core->load_event);
	case VP_MSR_FRONTEND:
		return one(FRONTEND, core->frontend);
	case VP_MSR_DS_AREA:
		return one(DS_AREA, true);
	case VP_MSR_PREFETCH:
		return one(PREFETCH, core->prefetch);
	case 0x1309 ... 0x1309 + 3:			/* RELOAD_FIXEDx: PEBS to Intel PT */
	case 0x14c1 ... 0x14c1 + 7:			/* RELOAD_PMCx */
		return one(ABSENT, false);
	case VP_MSR_V6_GP ... VP_MSR_V6_FIXED + 0x1f:
		return alias(core, msr);
	}
	return (struct reg) { .what = NOT_OURS };
}

bool vp_pmu_owns(struct vp_pmu *pmu, unsigned int cpu, uint32_t msr)
{
	return find(pmu->cpu[cpu].core, msr).what != NOT_OURS;
}

uint64_t vp_pmu_rdmsr(struct vp_pmu *pmu, unsigned int cpu, uint32_t msr, uint64_t ip)
{
	const struct vp_core *core = pmu->cpu[cpu].core;
	const struct vp_pmu_regs *r = &pmu->cpu[cpu].r;
	struct reg reg = find(core, msr);

	switch (reg.what) {
	case COUNTER:
	case COUNTER_OLD:
		return r->pmc[reg.i];
	case EVTSEL:
		return r->evtsel[reg.i];
	case OFFCORE:
		return r->offcore[reg.i];
	case SNOOP:
		return r->snoop[reg.i];
	case DEBUGCTL:
		return r->debugctl;
	case METRICS:
		return r->metrics;
	case PERF_CAPS:
		return core->perf_caps;
	case FIXED_CTRL:
		return r->fixed_ctrl;
	case STATUS:
		return r->status;
	case GLOBAL_CTRL:
		return r->global_ctrl;
	case STATUS_RESET:
	case STATUS_SET:
		return 0;
	case PEBS_ENABLE:
		return r->pebs_enable;
	case DATA_CFG:
		return r->data_cfg;
	case PEBS_BASE:
		return r->pebs_base;
	case PEBS_INDEX:
		return r->pebs_index;
	case CFG_C:
		return r->cfg_c[reg.i];
	case LD_LAT:
		return r->ld_lat;
	case FRONTEND:
		return r->frontend;
	case DS_AREA:
		return r->ds_area;
	case PREFETCH:
		return __atomic_load_n(&r->prefetch, __ATOMIC_RELAXED);
	case ABSENT:
	case NOT_OURS:
		break;
	}
	vp_pmu_violation(pmu, cpu, ip, "unknown-msr", "read of MSR 0x%" PRIx32, msr);
	return 0;
}

uint64_t vp_pmu_rdpmc(struct vp_pmu *pmu, unsigned int cpu, uint32_t index, uint64_t ip)
{
	const struct vp_core *core = pmu->cpu[cpu].core;
	const struct vp_pmu_regs *r = &pmu->cpu[cpu].r;
	uint32_t is_fixed = index & (1u << 30);
	uint32_t i = index & ~(1u << 30);

	if (i < (is_fixed ? core->fixed : core->gp))
		return r->pmc[is_fixed ? VP_PMU_GP_MAX + i : i];
	if (index == 1u << 29 && core->metrics)
		return r->metrics;
	vp_pmu_violation(pmu, cpu, ip, "unknown-msr", "RDPMC of counter 0x%" PRIx32, index);
	return 0;
}

struct write {
	struct vp_pmu *pmu;
	struct vp_pmu_cpu *c;
	unsigned int cpu;
	uint32_t msr;
	uint64_t value;
	uint64_t ip;
};

static bool reserved(const struct write *w, uint64_t allowed)
{
	if (!(w->value & ~allowed))
		return false;
	vp_pmu_violation(w->pmu, w->cpu, w->ip, "reserved-bits",
			 "MSR 0x%" PRIx32 " = 0x%" PRIx64 ", reserved: 0x%" PRIx64,
			 w->msr, w->value, w->value & ~allowed);
	return true;
}

static void store(const struct write *w, uint64_t *reg, uint64_t allowed)
{
	if (!reserved(w, allowed))
		*reg = w->value;
}

static uint64_t evtsel_bits(const struct vp_core *core)
{
	return 0xffffffffULL | (core->tsx ? 3ULL << 32 : 0) |
	       (vp_core_adaptive(core) ? VP_EVTSEL_ADAPTIVE : 0);
}

static uint64_t fixed_ctrl_bits(const struct vp_core *core)
{
	uint64_t bits = (1ULL << 4 * core->fixed) - 1;
	unsigned int i;

	for (i = 0; i < core->fixed && vp_core_adaptive(core); i++)
		bits |= 1ULL << (32 + 4 * i);
	return bits;
}

static uint64_t ctrl_bits(const struct vp_pmu_cpu *c)
{
	return c->gp_bits | c->fixed_bits | (c->core->metrics ? VP_CTRL_METRICS : 0);
}

static uint64_t status_bits(const struct vp_pmu_cpu *c)
{
	return ctrl_bits(c) | STATUS_DS_BITS | (c->core->version >= 4 ? STATUS_V4_BITS : 0) |
	       (vp_core_arch(c->core) ? VP_STATUS_ARCH_PEBS : 0);
}

/* Bits 32 and up are PEBS on fixed counters since version 5, and load latency before. */
static uint64_t pebs_bits(const struct vp_pmu_cpu *c)
{
	if (c->core->version >= 5)
		return c->gp_bits | (vp_core_adaptive(c->core) ? c->fixed_bits : 0);
	return c->gp_bits | (c->core->load_event ? c->gp_bits << 32 : 0) |
	       (c->core->precise_store ? VP_PRECISE_STORE : 0);
}

static uint64_t data_cfg_bits(const struct vp_pmu_cpu *c)
{
	uint64_t bits = VP_GROUP_MEMINFO | VP_GROUP_GPRS | VP_GROUP_XMM | VP_GROUP_LBR |
			(VP_LBR_ENTRIES - 1ULL) << 24;

	if (vp_core_format(c->core) >= 6)
		bits |= VP_GROUP_COUNTERS | c->gp_bits << 32 | c->fixed_bits << 16 |
			(c->core->metrics ? VP_GROUP_METRICS : 0);
	return bits;
}

/* A counter is written while it counts, so what it counts from then on is not known. */
static void while_running(const struct write *w, const char *what, unsigned int i)
{
	vp_pmu_violation(w->pmu, w->cpu, w->ip, "running-counter",
			 "%s of counter %s%u written while it runs (MSR 0x%" PRIx32 ")",
			 what, i < VP_PMU_GP_MAX ? "" : "fixed ",
			 i < VP_PMU_GP_MAX ? i : i - VP_PMU_GP_MAX, w->msr);
}

/* The kernel's own code. Modules are above it. */
static bool by_kernel(const struct write *w)
{
	return w->ip >= 0xffffffff80000000ULL && w->ip < 0xffffffffc0000000ULL;
}

/*
 * When a task that has mapped an event runs, perf clears the counters that its earlier events left
 * behind, without regard to who counts with them now (perf_clear_dirty_counters()). A module can't
 * prevent that, but must find out. So it has a name of its own.
 */
static void write_counter(const struct write *w, unsigned int i, uint64_t value)
{
	if (vp_pmu_running(&w->c->r, i)) {
		if (!value && by_kernel(w))
			vp_pmu_violation(w->pmu, w->cpu, w->ip, "dirty-counter",
					 "perf cleared a counter while it runs (MSR 0x%" PRIx32 ")",
					 w->msr);
		else
			while_running(w, "value", i);
	}
	w->c->armed &= ~(1u << i);
	vp_set_counter(w->c, i, value);
}

static void write_evtsel(const struct write *w, unsigned int i)
{
	struct vp_pmu_regs *r = &w->c->r;

	if (reserved(w, evtsel_bits(w->c->core)))
		return;
	/* Clearing EN stops a counter, so other bits may change with it. */
	if (vp_pmu_running(r, i) && w->value & VP_EVTSEL_EN && w->value != r->evtsel[i])
		while_running(w, "event select", i);
	if ((r->evtsel[i] ^ w->value) & 0xffff)
		w->c->armed &= ~(1u << i);
	r->evtsel[i] = w->value;
	vp_rules_evtsel(w->c, i);
}

static void write_ld_lat(const struct write *w)
{
	struct vp_pmu_regs *r = &w->c->r;
	unsigned int i;

	if (reserved(w, LD_LAT_BITS))
		return;
	for (i = 0; i < VP_PMU_GP_MAX; i++)
		if (vp_pmu_running(r, i) && w->c->facility >> i & 1 && r->ld_lat != w->value)
			while_running(w, "latency threshold", i);
	r->ld_lat = w->value;
}

static bool pebs_counts(const struct vp_pmu_cpu *c, unsigned int *which)
{
	unsigned int i;

	for (i = 0; i < VP_PMU_COUNTERS; i++) {
		*which = i;
		if (c->pebs >> i & 1 && vp_pmu_running(&c->r, i))
			return true;
	}
	return false;
}

static void write_ds_area(const struct write *w)
{
	struct vp_pmu_regs *r = &w->c->r;
	unsigned int i;

	if (!vp_canonical(w->value)) {
		vp_pmu_violation(w->pmu, w->cpu, w->ip, "reserved-bits",
				 "DS_AREA = 0x%" PRIx64 " is not canonical", w->value);
		return;
	}
	if (r->ds_area != w->value && pebs_counts(w->c, &i))
		vp_pmu_violation(w->pmu, w->cpu, w->ip, "running-counter",
				 "DS_AREA changed while PEBS counter %u runs", i);
	if (r->ds_area != w->value)
		vp_police_clear_all(w->pmu, w->cpu, w->ip);
	r->ds_area = w->value;
}

/* A change while PEBS counts leaves records of two sizes in a buffer, and no sign of where. */
static void write_data_cfg(const struct write *w)
{
	unsigned int i;

	if (reserved(w, data_cfg_bits(w->c)))
		return;
	if (w->c->r.data_cfg != w->value && pebs_counts(w->c, &i))
		while_running(w, "record's groups", i);
	w->c->r.data_cfg = w->value;
}

static void write_debugctl(const struct write *w)
{
	if (reserved(w, DEBUGCTL_BITS))
		return;
	if (w->value & DEBUGCTL_ABSENT)
		vp_pmu_violation(w->pmu, w->cpu, w->ip, "not-emulated",
				 "DEBUGCTL bits 0x%" PRIx64 " (LBR, BTS)",
				 w->value & DEBUGCTL_ABSENT);
	w->c->r.debugctl = w->value;
}

static void write_global_ctrl(const struct write *w)
{
	uint64_t was = w->c->r.global_ctrl;

	if (reserved(w, ctrl_bits(w->c)))
		return;
	w->c->r.global_ctrl = w->value;
	vp_rules_ctrl(w->c);
	vp_pmi_ctrl_written(w->pmu, w->cpu, was, w->ip);
}

static void write_pebs_base(const struct write *w)
{
	unsigned int i;

	if (reserved(w, PEBS_BASE_BITS))
		return;
	if (w->c->r.pebs_base != w->value && pebs_counts(w->c, &i))
		while_running(w, "record buffer", i);
	w->c->r.pebs_base = w->value;
}

/* Where the CPU will write next, and the threshold. */
static void write_pebs_index(const struct write *w)
{
	unsigned int i;

	if (reserved(w, PEBS_INDEX_BITS))
		return;
	if (pebs_counts(w->c, &i))
		while_running(w, "record index", i);
	__atomic_store_n(&w->c->r.pebs_index, w->value, __ATOMIC_RELAXED);
}

static void write_cfg_c(const struct write *w, unsigned int i)
{
	if (reserved(w, vp_arch_cfg_c_bits(w->c->core, i)))
		return;
	if (vp_pmu_running(&w->c->r, i) && w->c->r.cfg_c[i] != w->value)
		while_running(w, "CFG_C", i);
	if ((w->c->r.cfg_c[i] ^ w->value) & VP_CFG_C_PEBS)
		w->c->armed &= ~(1u << i);
	w->c->r.cfg_c[i] = w->value;
}

static void write_one(const struct write *w)
{
	const struct vp_core *core = w->c->core;
	struct vp_pmu_regs *r = &w->c->r;
	struct reg reg = find(core, w->msr);

	switch (reg.what) {
	case COUNTER_OLD:
		/* EDX is ignored. */
		write_counter(w, reg.i, (uint64_t)(int64_t)(int32_t)w->value);
		return;
	case COUNTER:
		if (!reserved(w, VP_COUNTER_MASK))
			write_counter(w, reg.i, w->value);
		return;
	case EVTSEL:
		write_evtsel(w, reg.i);
		return;
	case OFFCORE:
		store(w, &r->offcore[reg.i], core->offcore_bits);
		return;
	case SNOOP:
		r->snoop[reg.i] = w->value;
		return;
	case DEBUGCTL:
		write_debugctl(w);
		return;
	case METRICS:
		r->metrics = w->value;
		return;
	case FIXED_CTRL:
		store(w, &r->fixed_ctrl, fixed_ctrl_bits(core));
		return;
	case GLOBAL_CTRL:
		write_global_ctrl(w);
		return;
	case STATUS_RESET:
		if (!reserved(w, status_bits(w->c)))
			r->status &= ~w->value | (w->pmu->stuck ? vp_status_pebs(core) : 0);
		return;
	case STATUS_SET:
		if (!reserved(w, status_bits(w->c) & ~STATUS_CONDITIONS))
			r->status |= w->value;
		return;
	case PEBS_ENABLE:
		/* Like a hypervisor that ignores unknown registers, which then read as 0. */
		if (w->pmu->swallow)
			return;
		store(w, &r->pebs_enable, pebs_bits(w->c));
		if (!r->pebs_enable)
			vp_delay_pebs_off(w->c);
		return;
	case DATA_CFG:
		write_data_cfg(w);
		return;
	case PEBS_BASE:
		write_pebs_base(w);
		return;
	case PEBS_INDEX:
		write_pebs_index(w);
		return;
	case CFG_C:
		write_cfg_c(w, reg.i);
		return;
	case LD_LAT:
		write_ld_lat(w);
		return;
	case FRONTEND:
		store(w, &r->frontend, FRONTEND_BITS);
		return;
	case DS_AREA:
		write_ds_area(w);
		return;
	case PREFETCH:
		store(w, &r->prefetch, core->prefetch);
		return;
	case PERF_CAPS:
	case STATUS:
		vp_pmu_violation(w->pmu, w->cpu, w->ip, "read-only",
				 "write of 0x%" PRIx64 " to MSR 0x%" PRIx32, w->value, w->msr);
		return;
	case ABSENT:
	case NOT_OURS:
		vp_pmu_violation(w->pmu, w->cpu, w->ip, "unknown-msr",
				 "write of 0x%" PRIx64 " to MSR 0x%" PRIx32, w->value, w->msr);
	}
}

void vp_pmu_wrmsr(struct vp_pmu *pmu, unsigned int cpu, uint32_t msr, uint64_t value,
		  uint64_t ip)
{
	struct vp_pmu_cpu *c = &pmu->cpu[cpu];
	const struct write w = { .pmu = pmu, .c = c, .cpu = cpu, .msr = msr, .value = value,
				 .ip = ip };

	vp_pmi_report(pmu, cpu, ip);
	vp_police_write(pmu, cpu, msr, ip);
	pthread_mutex_lock(&c->lock);
	write_one(&w);
	vp_pmu_update(pmu, cpu, ip);
	pthread_mutex_unlock(&c->lock);
}

void vp_pmu_set_prefetch(struct vp_pmu *pmu, unsigned int cpu, uint64_t value)
{
	struct vp_pmu_cpu *c = &pmu->cpu[cpu];

	pthread_mutex_lock(&c->lock);
	__atomic_store_n(&c->r.prefetch, value, __ATOMIC_RELAXED);
	pthread_mutex_unlock(&c->lock);
}
