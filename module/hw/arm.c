// SPDX-License-Identifier: GPL-2.0
/*
 * Arming and disarming: from the registers as they were found and back.
 *
 * What is ours is known by its value: a register that no longer holds what
 * memlat wrote there has another owner, who is left alone.
 */
#include <linux/delay.h>
#include <linux/smp.h>
#include <asm/special_insns.h>

#include "ds.h"
#include "hw.h"
#include "pebs.h"
#include "pmu.h"

/*
 * Below this a machine does little else than write records and take them away:
 * with the lowest threshold every load counts, and a record costs a PMI some 150
 * instructions.
 */
#define PERIOD_FLOOR	16

/*
 * The quiescent period. A record may be written, and its PMI delivered, shortly
 * after PEBS_ENABLE was cleared; hardware has no way to say that it is done.
 * KVM knows of it too, and no manual gives a figure: this is far beyond what
 * any instruction takes.
 */
#define QUIET_US	1000

/**
 * memlat_pmu_has_stores - can this CPU sample stores?
 */
bool memlat_pmu_has_stores(void)
{
	return memlat_hw.model->store_event;
}

/**
 * memlat_pmu_period_floor - shortest period that may be asked for
 */
u64 memlat_pmu_period_floor(void)
{
	return max_t(u64, memlat_hw.model->period_min, PERIOD_FLOOR);
}

/**
 * memlat_pmu_period_max - longest period that the counter can count
 */
u64 memlat_pmu_period_max(void)
{
	return memlat_hw.caps.full_width ? memlat_hw.mask >> 1 : BIT_ULL(31) - 1;
}

static void event_setup(enum memlat_kind kind, bool on, u16 event, unsigned int n, u64 rings)
{
	struct memlat_event *e = &memlat_hw.event[kind];

	e->on = on;
	e->counter = n;
	/* The old address takes 32 bits, sign-extended. */
	e->msr = (memlat_hw.caps.full_width ? MSR_IA32_PMC0 : MSR_ARCH_PERFMON_PERFCTR0) + n;
	/* INT stays clear: PEBS raises its own PMI, at the threshold. */
	e->evtsel = event | rings | MEMLAT_EVTSEL_EN;
	e->pebs = MEMLAT_PEBS_EN(n);
	if (kind == MEMLAT_KIND_LOADS)
		e->pebs |= MEMLAT_PEBS_EN_LL(n);
	if (!on)
		return;
	memlat_hw.run |= BIT_ULL(n);
	memlat_hw.pebs_enable |= e->pebs;
	/* On Skylake a PEBS counter's own overflow bit shows now and then. */
	memlat_hw.ours |= BIT_ULL(n);
}

/**
 * memlat_pmu_setup - what the next arming is to sample
 * @setup: checked by the caller
 *
 * While no CPU is armed.
 */
void memlat_pmu_setup(const struct memlat_pmu_setup *setup)
{
	const struct memlat_cpu_model *m = memlat_hw.model;
	u64 rings = (setup->user ? MEMLAT_EVTSEL_USR : 0) |
		    (setup->kernel ? MEMLAT_EVTSEL_OS : 0);

	memlat_hw.budget = setup->max_overhead;
	memlat_hw.max_overhead = setup->max_overhead;
	memlat_hw.call_graph = setup->call_graph;
	memlat_hw.phys = setup->phys;
	memlat_hw.vmx_watch = !setup->no_guests;
	memlat_hw.trouble = setup->trouble;
	memlat_hw.ldlat = setup->ldlat;
	memlat_hw.period[MEMLAT_KIND_LOADS] = setup->period;
	memlat_hw.period[MEMLAT_KIND_STORES] = setup->store_period;

	memlat_hw.idle = memlat_hw.budget ? MEMLAT_CTRL_CYCLES : 0;
	memlat_hw.run = memlat_hw.idle;
	memlat_hw.pebs_enable = 0;
	memlat_hw.ours = MEMLAT_STATUS_DS;
	event_setup(MEMLAT_KIND_LOADS, setup->loads, m->load_event, m->load_counter, rings);
	event_setup(MEMLAT_KIND_STORES, setup->stores, m->store_event, m->store_counter, rings);
	memlat_hw.counters = (struct memlat_record_counters) {
		.loads = setup->loads ? BIT_ULL(m->load_counter) : 0,
		.stores = setup->stores ? BIT_ULL(m->store_counter) : 0,
	};
	memlat_budget_setup();
}

/**
 * memlat_pmu_arm - start sampling on this CPU
 * @c: its state, with buffer, counts and shards
 * @wanted: whether the current task is one to sample
 *
 * Interrupts off.
 */
void memlat_pmu_arm(struct memlat_cpu *c, bool wanted)
{
	struct memlat_saved *old = &c->saved;
	const struct memlat_event *e;
	unsigned int k, i;

	old->global_ctrl = native_rdmsrq(MSR_CORE_PERF_GLOBAL_CTRL);
	native_wrmsrq(MSR_CORE_PERF_GLOBAL_CTRL, 0);
	old->pebs_enable = native_rdmsrq(MSR_IA32_PEBS_ENABLE);
	old->ld_lat = native_rdmsrq(MSR_PEBS_LD_LAT_THRESHOLD);
	old->fixed_ctrl = native_rdmsrq(MSR_CORE_PERF_FIXED_CTR_CTRL);
	old->cycles = native_rdmsrq(MEMLAT_MSR_CYCLES);
	old->enabled = 0;
	for (i = 0; i < memlat_hw.caps.counters; i++)
		if (native_rdmsrq(MSR_ARCH_PERFMON_EVENTSEL0 + i) & MEMLAT_EVTSEL_EN)
			old->enabled |= BIT_ULL(i);
	/* Before it has settled these two still hold what is ours. */
	if (!c->unsettled) {
		old->ds_area = native_rdmsrq(MSR_IA32_DS_AREA);
		old->lvtpc = apic->read(APIC_LVTPC);
	}
	c->unsettled = false;

	native_wrmsrq(MSR_IA32_PEBS_ENABLE, 0);
	native_wrmsrq(MSR_CORE_PERF_GLOBAL_OVF_CTRL, memlat_hw.ours);
	memlat_ds_setup(c, memlat_hw.model->layout->size, memlat_hw.call_graph);
	native_wrmsrq(MSR_IA32_DS_AREA, (unsigned long)c->ds);
	native_wrmsrq(MSR_PEBS_LD_LAT_THRESHOLD, memlat_hw.ldlat);
	for (k = 0; k < MEMLAT_KINDS; k++) {
		u64 reload = memlat_reload(c->rate[k].period);

		e = &memlat_hw.event[k];
		if (!e->on)
			continue;
		old->evtsel[k] = native_rdmsrq(MSR_ARCH_PERFMON_EVENTSEL0 + e->counter);
		old->pmc[k] = native_rdmsrq(e->msr);
		c->ds->pebs_event_reset[e->counter] = reload;
		native_wrmsrq(e->msr, reload);
		native_wrmsrq(MSR_ARCH_PERFMON_EVENTSEL0 + e->counter, e->evtsel);
	}
	if (memlat_hw.budget) {
		native_wrmsrq(MEMLAT_MSR_CYCLES, 0);
		native_wrmsrq(MSR_CORE_PERF_FIXED_CTR_CTRL,
			      (old->fixed_ctrl & ~MEMLAT_FIXED_CYCLES) | MEMLAT_FIXED_COUNT);
		memlat_budget_arm(c);
	}
	native_wrmsrq(MSR_IA32_PEBS_ENABLE, memlat_hw.pebs_enable);
	memlat_lvtpc_write(APIC_DM_NMI);

	c->foreign_msr = 0;
	c->draining = false;
	c->wanted = wanted;
	/* A PMI must find all of the above; it comes on this CPU alone. */
	barrier();
	c->armed = true;
	memlat_counters_run(c);
}

static bool event_is_ours(const struct memlat_event *e)
{
	return native_rdmsrq(MSR_ARCH_PERFMON_EVENTSEL0 + e->counter) == e->evtsel;
}

static bool cycles_are_ours(void)
{
	return (native_rdmsrq(MSR_CORE_PERF_FIXED_CTR_CTRL) & MEMLAT_FIXED_CYCLES) ==
	       MEMLAT_FIXED_COUNT;
}

/**
 * memlat_pmu_is_foreign - did someone else write this register?
 * @c: this CPU's state
 * @msr: the register
 * @mask: the bits that are ours
 * @want: what memlat wrote there
 *
 * If so, it is noted for memlat_pmu_foreign().
 */
bool memlat_pmu_is_foreign(struct memlat_cpu *c, u32 msr, u64 mask, u64 want)
{
	u64 v = native_rdmsrq(msr);

	if (likely((v & mask) == want))
		return false;
	c->foreign = v;
	c->foreign_msr = msr;
	return true;
}

/**
 * memlat_pmu_foreign - the register that someone else wrote
 * @cpu: set to the CPU
 * @msr: set to the register
 * @value: set to what it held
 *
 * After a session has ended with MEMLAT_END_TAKEOVER. Return: whether it is known.
 */
bool memlat_pmu_foreign(unsigned int *cpu, u32 *msr, u64 *value)
{
	int i;

	for_each_possible_cpu(i) {
		const struct memlat_cpu *c = per_cpu_ptr(&memlat_cpu, i);

		if (!c->foreign_msr)
			continue;
		*cpu = i;
		*msr = c->foreign_msr;
		*value = c->foreign;
		return true;
	}
	return false;
}

/**
 * memlat_pmu_trouble - must sampling end on this CPU?
 * @c: its state, armed
 *
 * Interrupts off or in NMI. Half a dozen register reads: little beside a full
 * buffer, but as much as a record's worth; so where each record has its PMI,
 * memlat_pmu_check() alone looks at more than CR4.
 *
 * Return: an enum memlat_end, or 0.
 */
u32 memlat_pmu_trouble(struct memlat_cpu *c)
{
	const struct memlat_event *e;

	if (memlat_hw.vmx_watch && (native_read_cr4() & X86_CR4_VMXE))
		return MEMLAT_END_VMX;
	if (memlat_hw.call_graph && in_nmi())
		return 0;
	if (memlat_pmu_is_foreign(c, MSR_IA32_PEBS_ENABLE, ~0ULL, memlat_hw.pebs_enable) ||
	    memlat_pmu_is_foreign(c, MSR_IA32_DS_AREA, ~0ULL, (unsigned long)c->ds) ||
	    memlat_pmu_is_foreign(c, MSR_PEBS_LD_LAT_THRESHOLD, ~0ULL, memlat_hw.ldlat))
		return MEMLAT_END_TAKEOVER;
	for (e = memlat_hw.event; e < memlat_hw.event + MEMLAT_KINDS; e++)
		if (e->on && memlat_pmu_is_foreign(c, MSR_ARCH_PERFMON_EVENTSEL0 + e->counter,
						   ~0ULL, e->evtsel))
			return MEMLAT_END_TAKEOVER;
	if (memlat_hw.budget && memlat_pmu_is_foreign(c, MSR_CORE_PERF_FIXED_CTR_CTRL,
						      MEMLAT_FIXED_CYCLES, MEMLAT_FIXED_COUNT))
		return MEMLAT_END_TAKEOVER;
	return 0;
}

/**
 * memlat_pmu_disarm - stop sampling on this CPU, put its registers back
 * @c: its state
 *
 * Interrupts off or in NMI, not within a drain. A record or a PMI may still be
 * on its way, so IA32_DS_AREA and LVTPC stay ours: memlat_pmu_settle() puts
 * them back, and comes before anything is freed.
 */
void memlat_pmu_disarm(struct memlat_cpu *c)
{
	const struct memlat_saved *old = &c->saved;
	u64 ctrl, pebs, status, theirs = 0, drop = 0;
	bool ours[MEMLAT_KINDS] = { }, cycles = false;
	unsigned int k;

	if (!c->armed)
		return;
	c->draining = true;	/* a PMI starts no counter any more */
	barrier();
	ctrl = native_rdmsrq(MSR_CORE_PERF_GLOBAL_CTRL);
	if (memlat_hw.budget) {
		cycles = cycles_are_ours();
		if (cycles)
			memlat_budget_disarm(c);
		else
			theirs |= MEMLAT_CTRL_CYCLES;
	}
	native_wrmsrq(MSR_CORE_PERF_GLOBAL_CTRL, 0);
	/* The event before PEBS_ENABLE, or it counts on without PEBS. */
	for (k = 0; k < MEMLAT_KINDS; k++) {
		const struct memlat_event *e = &memlat_hw.event[k];

		if (!e->on)
			continue;
		ours[k] = event_is_ours(e);
		if (!ours[k]) {
			theirs |= BIT_ULL(e->counter);
			continue;
		}
		native_wrmsrq(MSR_ARCH_PERFMON_EVENTSEL0 + e->counter, old->evtsel[k]);
		drop |= e->pebs;
	}
	/* As long as records go to our buffer, no bit there is for anyone else. */
	if (native_rdmsrq(MSR_IA32_DS_AREA) == (unsigned long)c->ds)
		drop = memlat_hw.pebs_enable;
	pebs = native_rdmsrq(MSR_IA32_PEBS_ENABLE);

	/* From here on late_pmi() answers. */
	c->unsettled = true;
	barrier();
	c->armed = false;
	barrier();
	if (!theirs && pebs == memlat_hw.pebs_enable)
		native_wrmsrq(MSR_IA32_PEBS_ENABLE, old->pebs_enable);
	else if (pebs & drop)
		native_wrmsrq(MSR_IA32_PEBS_ENABLE, pebs & ~drop);
	memlat_pebs_drain(c, NULL);
	memlat_who_now(&c->left);

	for (k = 0; k < MEMLAT_KINDS; k++)
		if (ours[k])
			native_wrmsrq(memlat_hw.event[k].msr, old->pmc[k]);
	if (native_rdmsrq(MSR_PEBS_LD_LAT_THRESHOLD) == memlat_hw.ldlat)
		native_wrmsrq(MSR_PEBS_LD_LAT_THRESHOLD, old->ld_lat);
	if (cycles) {
		u64 others = native_rdmsrq(MSR_CORE_PERF_FIXED_CTR_CTRL) & ~MEMLAT_FIXED_CYCLES;

		native_wrmsrq(MSR_CORE_PERF_FIXED_CTR_CTRL,
			      others | (old->fixed_ctrl & MEMLAT_FIXED_CYCLES));
		native_wrmsrq(MEMLAT_MSR_CYCLES, old->cycles);
	}

	/* The cycle counter is as wide as a day: it may have gone round. */
	status = native_rdmsrq(MSR_CORE_PERF_GLOBAL_STATUS) & ~theirs &
		 (memlat_hw.ours | (cycles ? MEMLAT_CTRL_CYCLES : 0));
	if (status)
		native_wrmsrq(MSR_CORE_PERF_GLOBAL_OVF_CTRL, status);
	native_wrmsrq(MSR_CORE_PERF_GLOBAL_CTRL, (ctrl & theirs) | (old->global_ctrl & ~theirs));
}

/**
 * memlat_pmu_give_up - end sampling on this CPU at once, and say why
 * @c: its state, armed
 * @end: enum memlat_end
 *
 * Interrupts off or in NMI, not within a drain.
 */
void memlat_pmu_give_up(struct memlat_cpu *c, u32 end)
{
	memlat_pmu_disarm(c);
	memlat_hw.trouble(end);
}

static void settle(void *unused)
{
	struct memlat_cpu *c = this_cpu_ptr(&memlat_cpu);

	if (!c->unsettled)
		return;
	memlat_pebs_drain_of(c, &c->left);
	if (native_rdmsrq(MSR_IA32_DS_AREA) == (unsigned long)c->ds)
		native_wrmsrq(MSR_IA32_DS_AREA, c->saved.ds_area);
	memlat_ds_clear(c);
	c->unsettled = false;
	barrier();
	memlat_lvtpc_write(c->saved.lvtpc);
}

/**
 * memlat_pmu_settle_cpu - wait until this CPU, disarmed, is quiet
 *
 * After this no record is written and its last registers are put back. Sleeps;
 * the caller is bound to the CPU.
 */
void memlat_pmu_settle_cpu(void)
{
	unsigned long flags;

	if (!this_cpu_read(memlat_cpu.unsettled))
		return;
	usleep_range(QUIET_US, 2 * QUIET_US);
	local_irq_save(flags);
	settle(NULL);
	local_irq_restore(flags);
}

/**
 * memlat_pmu_settle - wait until all disarmed CPUs are quiet
 *
 * After this no record is written and the buffers may go. Sleeps.
 */
void memlat_pmu_settle(void)
{
	bool any = false;
	int cpu;

	for_each_possible_cpu(cpu)
		any |= READ_ONCE(per_cpu(memlat_cpu, cpu).unsettled);
	if (!any)
		return;
	usleep_range(QUIET_US, 2 * QUIET_US);
	on_each_cpu(settle, NULL, 1);
}
