// SPDX-License-Identifier: GPL-2.0
/* The PMUs of all CPUs: make and free them, and compare their registers with a saved copy. */
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "pmu_internal.h"
#include "random.h"

struct vp_pmu *vp_pmu_new(unsigned int cpus, const struct vp_model *model,
			  const struct vp_pmu_ops *ops, void *ctx)
{
	struct vp_pmu *pmu;
	unsigned int i;

	if (!cpus || cpus > VP_MAX_CPUS || !model) {
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
		const struct vp_core *core = vp_model_core(model, i, cpus);

		pmu->cpu[i] = (struct vp_pmu_cpu) {
			.core = core,
			.gp_bits = (1ULL << core->gp) - 1,
			.fixed_bits = ((1ULL << core->fixed) - 1) << 32,
			.r.lvtpc = VP_LVT_MASKED,
		};
		/* The value after a reset since version 2 (SDM). */
		pmu->cpu[i].r.global_ctrl = pmu->cpu[i].gp_bits;
		pthread_mutex_init(&pmu->cpu[i].lock, NULL);
	}
	return pmu;
}

/*
 * "[Firmware Bug]: the BIOS has corrupted hw-PMU resources (MSR 38d is 330)", as Linux prints on
 * HP's Gen8 and Gen9 servers (github.com/coreos/bugs/issues/2108, a Xeon E5-2630 v3): fixed
 * counters 1 and 2 count in kernel and user mode, without a PMI. That GLOBAL_CTRL enables them is
 * only likely: firmware would have no use for them otherwise.
 */
#define FIRMWARE_FIXED	0x330ULL

void vp_pmu_configure(struct vp_pmu *pmu, const struct vp_options *options)
{
	unsigned int i;

	pmu->swallow = options->swallow;
	pmu->hold = options->hold;
	pmu->split = options->split;
	pmu->clear = options->clear;
	pmu->stuck = options->stuck;
	pmu->after = options->after;
	pmu->tag = (uint32_t)options->tag;
	for (i = 0; i < pmu->cpus; i++) {
		struct vp_pmu_cpu *c = &pmu->cpu[i];

		/* Another sequence than the cache model's. */
		if (options->tag > 1)
			c->random = vp_random_start(options->seed, VP_MAX_CPUS + i);
		if (options->freeze)
			c->r.debugctl |= VP_DEBUGCTL_FREEZE;
		if (options->firmware) {
			c->firmware_fixed = FIRMWARE_FIXED;
			c->r.fixed_ctrl |= FIRMWARE_FIXED;
			c->r.global_ctrl |= 6ULL << 32;
		}
		vp_pmu_update(pmu, i, 0);
	}
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

uint64_t vp_counter_bits(uint32_t counters)
{
	const uint32_t gp = (1u << VP_PMU_GP_MAX) - 1;

	return (counters & gp) | (uint64_t)(counters >> VP_PMU_GP_MAX) << 32;
}

bool vp_pmu_enabled(const struct vp_pmu_regs *r, unsigned int i)
{
	if (!(r->global_ctrl & vp_counter_bit(i)))
		return false;
	if (i < VP_PMU_GP_MAX)
		return r->evtsel[i] & VP_EVTSEL_EN;
	return r->fixed_ctrl >> 4 * (i - VP_PMU_GP_MAX) & 3;
}

bool vp_pmu_pebs_is_on(const struct vp_pmu_cpu *c)
{
	unsigned int i;

	if (!vp_core_arch(c->core))
		return c->r.pebs_enable;
	/* A CFG_C that was not cleared does nothing while its counter is off. */
	for (i = 0; i < VP_PMU_COUNTERS; i++)
		if (c->pebs >> i & 1 &&
		    (i < VP_PMU_GP_MAX ? c->r.evtsel[i] & VP_EVTSEL_EN :
		     c->r.fixed_ctrl >> 4 * (i - VP_PMU_GP_MAX) & 3))
			return true;
	return false;
}

bool vp_pmu_running(const struct vp_pmu_regs *r, unsigned int i)
{
	return !(r->status & VP_STATUS_FROZEN) && vp_pmu_enabled(r, i);
}

const char *const vp_pmu_reg_names[VP_PMU_REGS] = {
	"EVTSEL0", "EVTSEL1", "EVTSEL2", "EVTSEL3", "EVTSEL4", "EVTSEL5", "EVTSEL6", "EVTSEL7",
	"EVTSEL8", "EVTSEL9",
	"PMC0", "PMC1", "PMC2", "PMC3", "PMC4", "PMC5", "PMC6", "PMC7", "PMC8", "PMC9",
	"FIXED_CTR0", "FIXED_CTR1", "FIXED_CTR2", "FIXED_CTR3",
	"FIXED_CTR_CTRL", "GLOBAL_CTRL", "GLOBAL_STATUS", "PEBS_ENABLE", "PEBS_DATA_CFG",
	"LD_LAT", "DS_AREA", "DEBUGCTL", "OFFCORE_RSP0", "OFFCORE_RSP1", "SNOOP_RSP0",
	"SNOOP_RSP1", "FRONTEND", "PERF_METRICS", "PEBS_BASE", "PEBS_INDEX",
	"GP0_CFG_C", "GP1_CFG_C", "GP2_CFG_C", "GP3_CFG_C", "GP4_CFG_C", "GP5_CFG_C", "GP6_CFG_C",
	"GP7_CFG_C", "GP8_CFG_C", "GP9_CFG_C",
	"FX0_CFG_C", "FX1_CFG_C", "FX2_CFG_C", "FX3_CFG_C",
	"MISC_FEATURE_CONTROL", "LVTPC",
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

/*
 * May the register differ because its counter was running? On version 6 nobody can reserve the PMU,
 * so a driver may have perf keep it, by an event on the counter of reference cycles.
 */
static bool lawful_change(const struct vp_core *core, const struct vp_pmu_regs *a,
			  const struct vp_pmu_regs *b, unsigned int reg)
{
	const unsigned int first = offsetof(struct vp_pmu_regs, pmc) / sizeof(uint64_t);
	unsigned int i = reg - first;

	if (core->version >= 6 && reg >= first && i == VP_PMU_GP_MAX + 2)
		return true;
	/* Metrics are shares of slots, which fixed counter 3 counts. */
	if (reg == offsetof(struct vp_pmu_regs, metrics) / sizeof(uint64_t))
		i = VP_PMU_GP_MAX + 3;
	else if (reg < first || i >= VP_PMU_COUNTERS)
		return false;
	return vp_pmu_running(a, i) || vp_pmu_running(b, i);
}

static unsigned int compare_one(struct vp_pmu *pmu, unsigned int cpu,
				const struct vp_pmu_regs *now, uint64_t ip)
{
	const struct vp_pmu_regs *was = &pmu->cpu[cpu].photo;
	const uint64_t *a = (const uint64_t *)was, *b = (const uint64_t *)now;
	unsigned int i, found = 0;

	for (i = 0; i < VP_PMU_REGS; i++) {
		if (a[i] == b[i] || lawful_change(pmu->cpu[cpu].core, was, now, i))
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
