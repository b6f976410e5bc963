// SPDX-License-Identifier: GPL-2.0
/*
 * Rules that hold as long as a PEBS counter counts, not only when a record is written. On silicon,
 * breaking them causes crashes that happen once a week.
 */
#include <inttypes.h>

#include "pmu_internal.h"

#define PAGE_SIZE	(1ULL << VP_PAGE_SHIFT)

/* Accesses between two checks, or instructions if accesses are not counted. */
#define LOOK_EVERY	8192

/*
 * A PMI masks LVTPC, and its handler unmasks it at the end, about when it enables the counters
 * again. After this many checks it has been forgotten.
 */
#define MASKED_LOOKS	16

static void learn(struct vp_pmu *pmu, unsigned int cpu, uint64_t ip, const char *what,
		  uint64_t from, uint64_t to)
{
	struct vp_pmu_cpu *c = &pmu->cpu[cpu];
	uint64_t addr, paddr;

	for (addr = from & -PAGE_SIZE; addr < to && c->pages < VP_DS_PAGES; addr += PAGE_SIZE) {
		if (!pmu->ops->page(pmu->ctx, cpu, addr, &paddr)) {
			vp_pmu_violation(pmu, cpu, ip, "ds-unmapped",
					 "PEBS starts, and %s page 0x%" PRIx64 " is not mapped",
					 what, addr);
			return;
		}
		c->page[c->pages++] = (struct vp_ds_page) { .addr = addr, .paddr = paddr };
	}
}

/*
 * A counter's period is the value that it is reloaded with. Below a certain period, a precisely
 * distributed event silently loses this property. Linux' perf reloads with 0, the longest period
 * (intel_pmu_pebs_enable() without PERF_X86_EVENT_AUTO_RELOAD), and its PMI handler sets the counter.
 */
void vp_police_period(struct vp_pmu *pmu, unsigned int cpu, uint64_t ip, uint64_t reload)
{
	struct vp_pmu_cpu *c = &pmu->cpu[cpu];
	const uint64_t period = -reload & VP_COUNTER_MASK;

	if (!period || !vp_pmu_pdist(c, 0) || !(c->pebs & 1) || !vp_pmu_running(&c->r, 0))
		return;
	if (period >= c->core->pdist_stores)
		c->pdist_reported = false;
	else if (!c->pdist_reported)
		vp_pmu_violation(pmu, cpu, ip, "pdist-period",
				 "event 0x%04x on counter 0 of %s with a period of %" PRIu64 ", below %u",
				 c->core->store_event, c->core->name, period,
				 c->core->pdist_stores);
	if (period < c->core->pdist_stores)
		c->pdist_reported = true;
}

/* A PEBS counter begins to count. */
void vp_police_start(struct vp_pmu *pmu, unsigned int cpu, uint64_t ip)
{
	struct vp_pmu_cpu *c = &pmu->cpu[cpu];
	uint64_t ds = c->r.ds_area, area[VP_DS_MAX / 8];
	const unsigned int size = vp_ds_size(c->core);

	c->pages = 0;
	c->next_look = LOOK_EVERY;
	c->masked_looks = 0;
	if (vp_core_arch(c->core)) {
		vp_arch_start(pmu, cpu, ip);
		return;
	}
	learn(pmu, cpu, ip, "DS area's", ds, ds + size);
	/* The DS area's contents are judged when a record is written. */
	if (!c->pages || !pmu->ops->read(pmu->ctx, cpu, ds, area, size))
		return;
	learn(pmu, cpu, ip, "PEBS buffer's", area[VP_DS_PEBS_BASE / 8], area[VP_DS_PEBS_MAX / 8]);
	vp_police_period(pmu, cpu, ip, area[vp_ds_reset(c->core, 0) / 8]);
}

static void look_at_pages(struct vp_pmu *pmu, unsigned int cpu, uint64_t ip)
{
	struct vp_pmu_cpu *c = &pmu->cpu[cpu];
	unsigned int i, kept = 0;

	for (i = 0; i < c->pages; i++) {
		struct vp_ds_page p = c->page[i];
		uint64_t paddr;

		/* Report each page once. */
		if (!pmu->ops->page(pmu->ctx, cpu, p.addr, &paddr))
			vp_pmu_violation(pmu, cpu, ip, "ds-unmapped",
					 "page 0x%" PRIx64 " of the DS area or its buffer was unmapped while PEBS is on",
					 p.addr);
		else if (paddr != p.paddr)
			vp_pmu_violation(pmu, cpu, ip, "ds-moved",
					 "page 0x%" PRIx64 " of the DS area or its buffer became another one while PEBS is on",
					 p.addr);
		else
			c->page[kept++] = p;
	}
	c->pages = kept;
}

static void look_at_lvtpc(struct vp_pmu *pmu, unsigned int cpu, uint64_t ip)
{
	struct vp_pmu_cpu *c = &pmu->cpu[cpu];
	uint32_t lvt = pmu->ops->lvtpc_read(pmu->ctx, cpu);

	vp_pmu_saw_lvtpc(pmu, cpu, lvt);
	if (!(lvt & VP_LVT_MASKED)) {
		c->masked_looks = 0;
		c->masked_reported = false;
	} else if (++c->masked_looks >= MASKED_LOOKS && !c->masked_reported) {
		vp_pmu_violation(pmu, cpu, ip, "lvtpc-masked",
				 "a PEBS counter counts with LVTPC masked: no PMI will come");
		c->masked_reported = true;
	}
}

void vp_police_look(struct vp_pmu *pmu, unsigned int cpu, uint64_t ip)
{
	pmu->cpu[cpu].next_look = LOOK_EVERY;
	look_at_pages(pmu, cpu, ip);
	look_at_lvtpc(pmu, cpu, ip);
}

void vp_pmu_vmxe(struct vp_pmu *pmu, bool on, uint64_t grace)
{
	unsigned int i;

	for (i = 0; i < pmu->cpus; i++)
		__atomic_store_n(&pmu->cpu[i].vmxe_from, pmu->ops->clock(pmu->ctx, i),
				 __ATOMIC_RELAXED);
	__atomic_store_n(&pmu->vmxe_grace, grace, __ATOMIC_RELAXED);
	__atomic_store_n(&pmu->vmxe, on, __ATOMIC_RELEASE);
}

void vp_pmu_guest(struct vp_pmu *pmu, unsigned int cpu, bool runs, uint64_t ip)
{
	struct vp_pmu_cpu *c = &pmu->cpu[cpu];
	unsigned int i;

	if (c->guest == runs)
		return;
	pthread_mutex_lock(&c->lock);
	c->guest = runs;
	for (i = 0; runs && i < VP_PMU_COUNTERS; i++)
		if (vp_pmu_running(&c->r, i))
			vp_pmu_violation(pmu, cpu, ip, "guest-counted",
					 "counter %s%u runs when a guest is entered",
					 i < VP_PMU_GP_MAX ? "" : "fixed ",
					 i < VP_PMU_GP_MAX ? i : i - VP_PMU_GP_MAX);
	if (runs && c->r.pebs_enable)
		vp_pmu_violation(pmu, cpu, ip, "guest-pebs",
				 "PEBS_ENABLE is 0x%" PRIx64 " when a guest is entered",
				 c->r.pebs_enable);
	pthread_mutex_unlock(&c->lock);
}

void vp_police_write(struct vp_pmu *pmu, unsigned int cpu, uint32_t msr, uint64_t ip)
{
	if (pmu->cpu[cpu].guest)
		vp_pmu_violation(pmu, cpu, ip, "guest-write",
				 "MSR 0x%" PRIx32 " written while a guest runs", msr);
}

/* A record was written. */
void vp_police_record(struct vp_pmu *pmu, unsigned int cpu)
{
	uint64_t grace, from;

	if (pmu->cpu[cpu].guest)
		vp_pmu_violation(pmu, cpu, 0, "guest-record",
				 "a record was written while a guest runs");
	if (!__atomic_load_n(&pmu->vmxe, __ATOMIC_ACQUIRE))
		return;
	grace = __atomic_load_n(&pmu->vmxe_grace, __ATOMIC_RELAXED);
	from = __atomic_load_n(&pmu->cpu[cpu].vmxe_from, __ATOMIC_RELAXED);
	if (grace != UINT64_MAX && pmu->ops->clock(pmu->ctx, cpu) - from > grace)
		vp_pmu_violation(pmu, cpu, 0, "pebs-under-vmxe",
				 "a record was written though CR4.VMXE is set for long");
}

/*
 * Under page table isolation the buffer of the CPU entry area is in every process's page table, so
 * whatever is left there can be read by what isolation protects against.
 */
void vp_police_clear(struct vp_pmu *pmu, unsigned int cpu, uint64_t ip, uint64_t from, uint64_t to)
{
	uint64_t word;

	if (!pmu->clear)
		return;
	for (; from < to; from += sizeof(word)) {
		if (!pmu->ops->read(pmu->ctx, cpu, from, &word, sizeof(word)) || !word)
			continue;
		vp_pmu_violation(pmu, cpu, ip, "record-left",
				 "0x%" PRIx64 " in the PEBS buffer has 0x%" PRIx64 " of an earlier record",
				 from, word);
		return;
	}
}

/* The driver is done with the DS area. */
void vp_police_clear_all(struct vp_pmu *pmu, unsigned int cpu, uint64_t ip)
{
	uint64_t area[VP_DS_MAX / 8];
	const struct vp_pmu_cpu *c = &pmu->cpu[cpu];

	if (pmu->clear && pmu->ops->read(pmu->ctx, cpu, c->r.ds_area, area, vp_ds_size(c->core)))
		vp_police_clear(pmu, cpu, ip, area[VP_DS_PEBS_BASE / 8],
				area[VP_DS_PEBS_MAX / 8]);
}

/* Did firmware leave this counter on, and is it unchanged since? */
static bool is_firmware(const struct vp_pmu_cpu *c, unsigned int counter)
{
	const unsigned int shift = 4 * (counter - VP_PMU_GP_MAX);

	return counter >= VP_PMU_GP_MAX && c->firmware_fixed >> shift & 15 &&
	       (c->firmware_fixed >> shift & 15) == (c->r.fixed_ctrl >> shift & 15);
}

void vp_pmu_power_off(struct vp_pmu *pmu)
{
	unsigned int i, j;

	for (i = 0; i < pmu->cpus; i++) {
		const struct vp_pmu_regs *r = &pmu->cpu[i].r;

		if (r->pebs_enable)
			vp_pmu_violation(pmu, i, 0, "left-on",
					 "PEBS_ENABLE is 0x%" PRIx64 " at reset or power-off",
					 r->pebs_enable);
		for (j = 0; j < VP_PMU_COUNTERS; j++)
			if (vp_pmu_enabled(r, j) && !is_firmware(&pmu->cpu[i], j))
				vp_pmu_violation(pmu, i, 0, "left-on",
						 "counter %s%u runs at reset or power-off",
						 j < VP_PMU_GP_MAX ? "" : "fixed ",
						 j < VP_PMU_GP_MAX ? j :
						 j - VP_PMU_GP_MAX);
	}
}
