// SPDX-License-Identifier: GPL-2.0
/* The PMU's registers: what may be written where, and when. */
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "pmu_internal.h"

#define GP_BITS		((1ULL << VP_PMU_GP) - 1)
#define FIXED_BITS	(((1ULL << VP_PMU_FIXED) - 1) << 32)

/* Bits that SKX defines; the rest raises #GP on silicon. */
#define EVTSEL_BITS	0x00000003ffffffffULL
#define FIXED_CTRL_BITS	0xfffULL
#define CTRL_BITS	(GP_BITS | FIXED_BITS)
#define STATUS_BITS	(GP_BITS | FIXED_BITS | 1ULL << 55 | 0x1fULL << 58)
#define RESET_BITS	(STATUS_BITS | 1ULL << 63)
#define PEBS_BITS	(GP_BITS | GP_BITS << 32)
#define LD_LAT_BITS	0xffffULL
#define DEBUGCTL_BITS	0xffc3ULL
#define OFFCORE_BITS	0x3fffffffffULL
#define FRONTEND_BITS	0xffffffULL

/* DEBUGCTL: LBR, BTS and freezing on a PMI are not emulated. */
#define DEBUGCTL_ABSENT	UINT64_C(0x18c1)

struct vp_pmu *vp_pmu_new(unsigned int cpus, const struct vp_pmu_ops *ops, void *ctx)
{
	struct vp_pmu *pmu;
	unsigned int i;

	if (!cpus || cpus > VP_MAX_CPUS) {
		errno = EINVAL;
		return NULL;
	}
	pmu = calloc(1, sizeof(*pmu));
	if (!pmu)
		return NULL;
	pmu->cpu = aligned_alloc(64, cpus * sizeof(*pmu->cpu));
	if (!pmu->cpu) {
		free(pmu);
		return NULL;
	}
	pmu->ops = ops;
	pmu->ctx = ctx;
	pmu->cpus = cpus;
	for (i = 0; i < cpus; i++) {
		pmu->cpu[i] = (struct vp_pmu_cpu) { .r.lvtpc = VP_LVT_MASKED };
		/* What the SDM says a reset leaves, since version 2. */
		pmu->cpu[i].r.global_ctrl = GP_BITS;
		pthread_mutex_init(&pmu->cpu[i].lock, NULL);
	}
	return pmu;
}

void vp_pmu_free(struct vp_pmu *pmu)
{
	unsigned int i;

	if (!pmu)
		return;
	for (i = 0; i < pmu->cpus; i++)
		pthread_mutex_destroy(&pmu->cpu[i].lock);
	free(pmu->cpu);
	free(pmu);
}

void vp_pmu_violation(struct vp_pmu *pmu, unsigned int cpu, uint64_t ip, const char *kind,
		      const char *fmt, ...)
{
	char detail[160];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(detail, sizeof(detail), fmt, ap);
	va_end(ap);
	pmu->ops->violation(pmu->ctx, cpu, ip, kind, detail);
}

/*
 * PMU registers that this core lacks, though relatives have them. Reads and
 * writes raise #GP on silicon. LBR, BTS and uncore registers do exist there,
 * so they stay with the rest of the machine, which has none to offer.
 */
static bool absent(uint32_t msr)
{
	return (msr >= VP_MSR_PMC0 + VP_PMU_GP && msr < VP_MSR_PMC0 + 8) ||
	       (msr >= VP_MSR_EVTSEL0 + VP_PMU_GP && msr < VP_MSR_EVTSEL0 + 8) ||
	       (msr >= VP_MSR_A_PMC0 + VP_PMU_GP && msr < VP_MSR_A_PMC0 + 8) ||
	       (msr >= VP_MSR_FIXED_CTR0 + VP_PMU_FIXED && msr < VP_MSR_FIXED_CTR0 + 8) ||
	       msr == 0x329 ||				/* PERF_METRICS */
	       msr == 0x3f2 ||				/* PEBS_DATA_CFG */
	       msr == 0x3f4 || msr == 0x3f5 ||		/* PEBS_BASE, PEBS_INDEX */
	       (msr >= 0x1309 && msr < 0x1309 + 4) ||	/* RELOAD_FIXEDx */
	       (msr >= 0x14c1 && msr < 0x14c1 + 8) ||	/* RELOAD_PMCx */
	       (msr >= 0x1900 && msr < 0x19a0);		/* version 6 aliases */
}

bool vp_pmu_owns(uint32_t msr)
{
	switch (msr) {
	case VP_MSR_PMC0 ... VP_MSR_PMC0 + VP_PMU_GP - 1:
	case VP_MSR_EVTSEL0 ... VP_MSR_EVTSEL0 + VP_PMU_GP - 1:
	case VP_MSR_A_PMC0 ... VP_MSR_A_PMC0 + VP_PMU_GP - 1:
	case VP_MSR_FIXED_CTR0 ... VP_MSR_FIXED_CTR0 + VP_PMU_FIXED - 1:
	case VP_MSR_OFFCORE_RSP0:
	case VP_MSR_OFFCORE_RSP1:
	case VP_MSR_DEBUGCTL:
	case VP_MSR_PERF_CAPS:
	case VP_MSR_FIXED_CTR_CTRL:
	case VP_MSR_GLOBAL_STATUS:
	case VP_MSR_GLOBAL_CTRL:
	case VP_MSR_GLOBAL_RESET:
	case VP_MSR_GLOBAL_SET:
	case VP_MSR_PEBS_ENABLE:
	case VP_MSR_LD_LAT:
	case VP_MSR_FRONTEND:
	case VP_MSR_DS_AREA:
		return true;
	}
	return absent(msr);
}

uint64_t vp_pmu_rdmsr(struct vp_pmu *pmu, unsigned int cpu, uint32_t msr, uint64_t ip)
{
	const struct vp_pmu_regs *r = &pmu->cpu[cpu].r;

	switch (msr) {
	case VP_MSR_PMC0 ... VP_MSR_PMC0 + VP_PMU_GP - 1:
		return r->pmc[msr - VP_MSR_PMC0];
	case VP_MSR_A_PMC0 ... VP_MSR_A_PMC0 + VP_PMU_GP - 1:
		return r->pmc[msr - VP_MSR_A_PMC0];
	case VP_MSR_FIXED_CTR0 ... VP_MSR_FIXED_CTR0 + VP_PMU_FIXED - 1:
		return r->pmc[VP_PMU_GP + msr - VP_MSR_FIXED_CTR0];
	case VP_MSR_EVTSEL0 ... VP_MSR_EVTSEL0 + VP_PMU_GP - 1:
		return r->evtsel[msr - VP_MSR_EVTSEL0];
	case VP_MSR_OFFCORE_RSP0:
	case VP_MSR_OFFCORE_RSP1:
		return r->offcore[msr - VP_MSR_OFFCORE_RSP0];
	case VP_MSR_DEBUGCTL:
		return r->debugctl;
	case VP_MSR_PERF_CAPS:
		return VP_PERF_CAPS;
	case VP_MSR_FIXED_CTR_CTRL:
		return r->fixed_ctrl;
	case VP_MSR_GLOBAL_STATUS:
		return r->status;
	case VP_MSR_GLOBAL_CTRL:
		return r->global_ctrl;
	case VP_MSR_GLOBAL_RESET:
	case VP_MSR_GLOBAL_SET:
		return 0;
	case VP_MSR_PEBS_ENABLE:
		return r->pebs_enable;
	case VP_MSR_LD_LAT:
		return r->ld_lat;
	case VP_MSR_FRONTEND:
		return r->frontend;
	case VP_MSR_DS_AREA:
		return r->ds_area;
	}
	vp_pmu_violation(pmu, cpu, ip, "unknown-msr", "read of MSR 0x%" PRIx32, msr);
	return 0;
}

uint64_t vp_pmu_rdpmc(struct vp_pmu *pmu, unsigned int cpu, uint32_t index, uint64_t ip)
{
	const struct vp_pmu_regs *r = &pmu->cpu[cpu].r;
	uint32_t fixed = index & (1u << 30);
	uint32_t i = index & ~(1u << 30);

	if (i < (fixed ? VP_PMU_FIXED : VP_PMU_GP))
		return r->pmc[fixed ? VP_PMU_GP + i : i];
	vp_pmu_violation(pmu, cpu, ip, "unknown-msr", "RDPMC of counter 0x%" PRIx32, index);
	return 0;
}

bool vp_pmu_running(const struct vp_pmu_regs *r, unsigned int i)
{
	if (i < VP_PMU_GP)
		return r->evtsel[i] & VP_EVTSEL_EN && r->global_ctrl >> i & 1;
	i -= VP_PMU_GP;
	return r->fixed_ctrl >> 4 * i & 3 && r->global_ctrl >> (32 + i) & 1;
}

struct write {
	struct vp_pmu *pmu;
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

/* The counter keeps counting with a value or an event that nobody can know. */
static void while_running(const struct write *w, const char *what, unsigned int i)
{
	vp_pmu_violation(w->pmu, w->cpu, w->ip, "running-counter",
			 "%s of counter %u written while it runs (MSR 0x%" PRIx32 ")",
			 what, i, w->msr);
}

static void write_counter(const struct write *w, unsigned int i, uint64_t value)
{
	struct vp_pmu_regs *r = &w->pmu->cpu[w->cpu].r;

	if (vp_pmu_running(r, i))
		while_running(w, "value", i);
	__atomic_store_n(&r->pmc[i], value & VP_COUNTER_MASK, __ATOMIC_RELAXED);
}

static void write_evtsel(const struct write *w, unsigned int i)
{
	struct vp_pmu_regs *r = &w->pmu->cpu[w->cpu].r;

	if (reserved(w, EVTSEL_BITS))
		return;
	/* Taking EN away is how a counter is stopped, whatever else changes. */
	if (vp_pmu_running(r, i) && w->value & VP_EVTSEL_EN && w->value != r->evtsel[i])
		while_running(w, "event select", i);
	r->evtsel[i] = w->value;
}

static void write_ld_lat(const struct write *w)
{
	struct vp_pmu_regs *r = &w->pmu->cpu[w->cpu].r;
	unsigned int i;

	if (reserved(w, LD_LAT_BITS))
		return;
	for (i = 0; i < VP_PMU_GP; i++)
		if (vp_pmu_running(r, i) && r->pebs_enable >> (32 + i) & 1 &&
		    r->ld_lat != w->value)
			while_running(w, "latency threshold", i);
	r->ld_lat = w->value;
}

static bool canonical(uint64_t addr)
{
	return (uint64_t)((int64_t)(addr << 16) >> 16) == addr;
}

static void write_ds_area(const struct write *w)
{
	struct vp_pmu_regs *r = &w->pmu->cpu[w->cpu].r;
	unsigned int i;

	if (!canonical(w->value)) {
		vp_pmu_violation(w->pmu, w->cpu, w->ip, "reserved-bits",
				 "DS_AREA = 0x%" PRIx64 " is not canonical", w->value);
		return;
	}
	for (i = 0; i < VP_PMU_GP; i++)
		if (vp_pmu_running(r, i) && r->pebs_enable >> i & 1 && r->ds_area != w->value)
			vp_pmu_violation(w->pmu, w->cpu, w->ip, "running-counter",
					 "DS_AREA changed while PEBS counter %u runs", i);
	r->ds_area = w->value;
}

static void write_debugctl(const struct write *w)
{
	struct vp_pmu_regs *r = &w->pmu->cpu[w->cpu].r;

	if (reserved(w, DEBUGCTL_BITS))
		return;
	if (w->value & DEBUGCTL_ABSENT)
		vp_pmu_violation(w->pmu, w->cpu, w->ip, "not-emulated",
				 "DEBUGCTL bits 0x%" PRIx64 " (LBR, BTS, freeze on PMI)",
				 w->value & DEBUGCTL_ABSENT);
	r->debugctl = w->value;
}

static void write_one(const struct write *w)
{
	struct vp_pmu_regs *r = &w->pmu->cpu[w->cpu].r;

	switch (w->msr) {
	case VP_MSR_PMC0 ... VP_MSR_PMC0 + VP_PMU_GP - 1:
		/* The old way in: 32 bits, sign-extended; EDX is not looked at. */
		write_counter(w, w->msr - VP_MSR_PMC0, (uint64_t)(int64_t)(int32_t)w->value);
		return;
	case VP_MSR_A_PMC0 ... VP_MSR_A_PMC0 + VP_PMU_GP - 1:
		if (!reserved(w, VP_COUNTER_MASK))
			write_counter(w, w->msr - VP_MSR_A_PMC0, w->value);
		return;
	case VP_MSR_FIXED_CTR0 ... VP_MSR_FIXED_CTR0 + VP_PMU_FIXED - 1:
		if (!reserved(w, VP_COUNTER_MASK))
			write_counter(w, VP_PMU_GP + w->msr - VP_MSR_FIXED_CTR0, w->value);
		return;
	case VP_MSR_EVTSEL0 ... VP_MSR_EVTSEL0 + VP_PMU_GP - 1:
		write_evtsel(w, w->msr - VP_MSR_EVTSEL0);
		return;
	case VP_MSR_OFFCORE_RSP0:
	case VP_MSR_OFFCORE_RSP1:
		store(w, &r->offcore[w->msr - VP_MSR_OFFCORE_RSP0], OFFCORE_BITS);
		return;
	case VP_MSR_DEBUGCTL:
		write_debugctl(w);
		return;
	case VP_MSR_FIXED_CTR_CTRL:
		store(w, &r->fixed_ctrl, FIXED_CTRL_BITS);
		return;
	case VP_MSR_GLOBAL_CTRL:
		store(w, &r->global_ctrl, CTRL_BITS);
		return;
	case VP_MSR_GLOBAL_RESET:
		if (!reserved(w, RESET_BITS))
			r->status &= ~w->value;
		return;
	case VP_MSR_GLOBAL_SET:
		if (!reserved(w, STATUS_BITS))
			r->status |= w->value;
		return;
	case VP_MSR_PEBS_ENABLE:
		store(w, &r->pebs_enable, PEBS_BITS);
		if (!r->pebs_enable)
			vp_delay_pebs_off(&w->pmu->cpu[w->cpu]);
		return;
	case VP_MSR_LD_LAT:
		write_ld_lat(w);
		return;
	case VP_MSR_FRONTEND:
		store(w, &r->frontend, FRONTEND_BITS);
		return;
	case VP_MSR_DS_AREA:
		write_ds_area(w);
		return;
	case VP_MSR_PERF_CAPS:
	case VP_MSR_GLOBAL_STATUS:
		vp_pmu_violation(w->pmu, w->cpu, w->ip, "read-only",
				 "write of 0x%" PRIx64 " to MSR 0x%" PRIx32, w->value, w->msr);
		return;
	}
	vp_pmu_violation(w->pmu, w->cpu, w->ip, "unknown-msr",
			 "write of 0x%" PRIx64 " to MSR 0x%" PRIx32, w->value, w->msr);
}

void vp_pmu_wrmsr(struct vp_pmu *pmu, unsigned int cpu, uint32_t msr, uint64_t value,
		  uint64_t ip)
{
	struct vp_pmu_cpu *c = &pmu->cpu[cpu];
	struct write w = { .pmu = pmu, .cpu = cpu, .msr = msr, .value = value, .ip = ip };

	pthread_mutex_lock(&c->lock);
	write_one(&w);
	vp_pmu_update(pmu, cpu, ip);
	pthread_mutex_unlock(&c->lock);
}

void vp_pmu_saw_lvtpc(struct vp_pmu *pmu, unsigned int cpu, uint32_t value)
{
	__atomic_store_n(&pmu->cpu[cpu].r.lvtpc, value, __ATOMIC_RELAXED);
}

const char *const vp_pmu_reg_names[VP_PMU_REGS] = {
	"EVTSEL0", "EVTSEL1", "EVTSEL2", "EVTSEL3",
	"PMC0", "PMC1", "PMC2", "PMC3", "FIXED_CTR0", "FIXED_CTR1", "FIXED_CTR2",
	"FIXED_CTR_CTRL", "GLOBAL_CTRL", "GLOBAL_STATUS", "PEBS_ENABLE", "LD_LAT",
	"DS_AREA", "DEBUGCTL", "OFFCORE_RSP0", "OFFCORE_RSP1", "FRONTEND", "LVTPC",
};

void vp_pmu_photo(struct vp_pmu *pmu)
{
	unsigned int i;

	for (i = 0; i < pmu->cpus; i++) {
		struct vp_pmu_cpu *c = &pmu->cpu[i];

		pthread_mutex_lock(&c->lock);
		c->photo = c->r;
		pthread_mutex_unlock(&c->lock);
	}
	pmu->has_photo = true;
}

/* Could the value change because the counter was left to run? */
static bool lawful_change(const struct vp_pmu_regs *a, const struct vp_pmu_regs *b,
			  unsigned int reg)
{
	const unsigned int first = offsetof(struct vp_pmu_regs, pmc) / sizeof(uint64_t);
	unsigned int i = reg - first;

	return reg >= first && i < VP_PMU_COUNTERS &&
	       (vp_pmu_running(a, i) || vp_pmu_running(b, i));
}

static unsigned int compare_one(struct vp_pmu *pmu, unsigned int cpu,
				const struct vp_pmu_regs *now, uint64_t ip)
{
	const struct vp_pmu_regs *was = &pmu->cpu[cpu].photo;
	const uint64_t *a = (const uint64_t *)was, *b = (const uint64_t *)now;
	unsigned int i, found = 0;

	for (i = 0; i < VP_PMU_REGS; i++) {
		if (a[i] == b[i] || lawful_change(was, now, i))
			continue;
		vp_pmu_violation(pmu, cpu, ip, "not-restored",
				 "%s was 0x%" PRIx64 ", is 0x%" PRIx64,
				 vp_pmu_reg_names[i], a[i], b[i]);
		found++;
	}
	return found;
}

unsigned int vp_pmu_compare(struct vp_pmu *pmu, unsigned int cpu, uint64_t ip)
{
	unsigned int i, found = 0;

	if (!pmu->has_photo) {
		vp_pmu_violation(pmu, cpu, ip, "not-restored", "compared without a photograph");
		return 1;
	}
	for (i = 0; i < pmu->cpus; i++) {
		struct vp_pmu_regs now;

		pthread_mutex_lock(&pmu->cpu[i].lock);
		now = pmu->cpu[i].r;
		pthread_mutex_unlock(&pmu->cpu[i].lock);
		found += compare_one(pmu, i, &now, ip);
	}
	return found;
}
