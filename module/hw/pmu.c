// SPDX-License-Identifier: GPL-2.0
/*
 * Arming, disarming, and the PMI.
 *
 * The order of register writes is Linux perf's, which silicon has proven; where
 * a line's place matters the reason stands beside it. MSRs are written with the
 * native accessors: the others may trace, and an NMI must not.
 */
#include <linux/nmi.h>
#include <linux/smp.h>
#include <asm/apic.h>
#include <asm/nmi.h>

#include "ds.h"
#include "msr.h"
#include "pebs.h"
#include "pmu.h"
#include "pmu_own.h"

DEFINE_PER_CPU(struct memlat_cpu, memlat_cpu);

static const struct memlat_cpu_model *model __ro_after_init;
static struct memlat_cpu_caps caps __ro_after_init;

/* Set while no CPU is armed, read by all that are. */
static struct {
	u64 evtsel;
	u64 reload;
	u64 ctrl;
	u64 pebs_enable;
	u64 ours;	/* bits of GLOBAL_STATUS that can only be memlat's */
	u32 ldlat;
} hw;

/* More rounds than a PMI ever needs: a status bit that does not clear. */
#define PMI_ROUNDS	16

static u32 counter_msr(void)
{
	/* The old address takes 32 bits, sign-extended. */
	return (caps.full_width ? MSR_IA32_PMC0 : MSR_ARCH_PERFMON_PERFCTR0) + model->load_counter;
}

static void lvtpc_write(u32 v)
{
	/* apic_write() is a static call that modules cannot link on 7.2. */
	apic->write(APIC_LVTPC, v);
}

static void counters_stop(void)
{
	native_wrmsrq(MSR_CORE_PERF_GLOBAL_CTRL, 0);
}

static void counters_run(const struct memlat_cpu *c)
{
	native_wrmsrq(MSR_CORE_PERF_GLOBAL_CTRL, c->wanted ? hw.ctrl : 0);
}

/*
 * A PMI that was on its way when this CPU was disarmed. It belongs to nobody
 * else, so it is claimed, once; and its delivery masked the LVTPC again, which
 * was restored already.
 */
static int late_pmi(struct memlat_cpu *c)
{
	if (!c->late)
		return NMI_DONE;
	c->late = false;
	lvtpc_write(c->saved.lvtpc);
	c->active->count[MEMLAT_COUNT_LATE_PMIS]++;
	return NMI_HANDLED;
}

static int pmi(unsigned int type, struct pt_regs *regs)
{
	struct memlat_cpu *c = this_cpu_ptr(&memlat_cpu);
	unsigned int rounds = 0;
	u64 status;

	if (!c->armed)
		return late_pmi(c);

	/* PEBS_ENABLE stays: with the counters stopped nothing is written. */
	counters_stop();
	status = native_rdmsrq(MSR_CORE_PERF_GLOBAL_STATUS) & hw.ours;
	if (!status) {
		/* Not ours. A drain that was interrupted starts them itself. */
		if (!c->draining)
			counters_run(c);
		return NMI_DONE;
	}

	c->active->count[MEMLAT_COUNT_PMIS]++;
	do {
		/* First acknowledge: what comes after this raises it again. */
		native_wrmsrq(MSR_CORE_PERF_GLOBAL_OVF_CTRL, status);
		if (!c->draining)
			memlat_pebs_drain(c, model);
		status = native_rdmsrq(MSR_CORE_PERF_GLOBAL_STATUS) & hw.ours;
	} while (status && ++rounds < PMI_ROUNDS);

	if (!c->draining)
		counters_run(c);
	/* Delivery masked it. Not before the counters run: Haswell raises another then. */
	lvtpc_write(APIC_DM_NMI);
	return NMI_HANDLED;
}

/**
 * memlat_pmu_init - note what this CPU is
 * @m: its row
 * @c: what it can do
 */
void __init memlat_pmu_init(const struct memlat_cpu_model *m, const struct memlat_cpu_caps *c)
{
	model = m;
	caps = *c;
	memlat_pmu_own_init(c->counters);
}

/**
 * memlat_pmu_period_max - longest period that the counter can count
 */
u64 memlat_pmu_period_max(void)
{
	return caps.full_width ? BIT_ULL(caps.counter_width - 1) - 1 : BIT_ULL(31) - 1;
}

/**
 * memlat_pmu_setup - what the next arming is to sample
 * @setup: checked by the caller
 */
void memlat_pmu_setup(const struct memlat_pmu_setup *setup)
{
	const unsigned int n = model->load_counter;

	/* INT stays clear: PEBS raises its own PMI, at the threshold. */
	hw.evtsel = model->load_event | MEMLAT_EVTSEL_EN |
		    (setup->user ? MEMLAT_EVTSEL_USR : 0) |
		    (setup->kernel ? MEMLAT_EVTSEL_OS : 0);
	hw.reload = -setup->period & (BIT_ULL(caps.counter_width) - 1);
	hw.ctrl = BIT_ULL(n);
	hw.pebs_enable = MEMLAT_PEBS_EN(n) | MEMLAT_PEBS_EN_LL(n);
	/* On Skylake a PEBS counter's own overflow bit shows now and then. */
	hw.ours = MEMLAT_STATUS_DS | BIT_ULL(n);
	hw.ldlat = setup->ldlat;
}

/**
 * memlat_pmu_listen - take part in NMIs
 *
 * Before the first CPU is armed.
 *
 * Return: 0 or a negative errno.
 */
int memlat_pmu_listen(void)
{
	return register_nmi_handler(NMI_LOCAL, pmi, NMI_FLAG_FIRST, "memlat");
}

/**
 * memlat_pmu_unlisten - no longer; every CPU is disarmed and settled
 *
 * Waits until no CPU is in the handler.
 */
void memlat_pmu_unlisten(void)
{
	unregister_nmi_handler(NMI_LOCAL, "memlat");
}

/**
 * memlat_pmu_arm - start sampling on this CPU
 * @c: its state, with buffer and shards
 * @wanted: whether the current task is one to sample
 *
 * Interrupts off.
 */
void memlat_pmu_arm(struct memlat_cpu *c, bool wanted)
{
	const unsigned int n = model->load_counter;
	struct memlat_saved *old = &c->saved;

	old->global_ctrl = native_rdmsrq(MSR_CORE_PERF_GLOBAL_CTRL);
	counters_stop();
	old->pebs_enable = native_rdmsrq(MSR_IA32_PEBS_ENABLE);
	old->ds_area = native_rdmsrq(MSR_IA32_DS_AREA);
	old->ld_lat = native_rdmsrq(MSR_PEBS_LD_LAT_THRESHOLD);
	old->evtsel = native_rdmsrq(MSR_ARCH_PERFMON_EVENTSEL0 + n);
	old->pmc = native_rdmsrq(counter_msr());
	old->lvtpc = apic->read(APIC_LVTPC);

	native_wrmsrq(MSR_IA32_PEBS_ENABLE, 0);
	native_wrmsrq(MSR_CORE_PERF_GLOBAL_OVF_CTRL, hw.ours);
	memlat_ds_setup(c, model->layout->size, n, hw.reload);
	native_wrmsrq(MSR_IA32_DS_AREA, (unsigned long)c->ds);
	native_wrmsrq(counter_msr(), hw.reload);
	native_wrmsrq(MSR_PEBS_LD_LAT_THRESHOLD, hw.ldlat);
	native_wrmsrq(MSR_ARCH_PERFMON_EVENTSEL0 + n, hw.evtsel);
	native_wrmsrq(MSR_IA32_PEBS_ENABLE, hw.pebs_enable);
	lvtpc_write(APIC_DM_NMI);

	c->late = false;
	c->draining = false;
	c->wanted = wanted;
	/* A PMI must find all of the above; it comes on this CPU alone. */
	barrier();
	c->armed = true;
	counters_run(c);
}

/**
 * memlat_pmu_disarm - stop sampling on this CPU, put its registers back
 * @c: its state, armed
 *
 * Interrupts off. A record or a PMI may still be on its way: memlat_pmu_settle()
 * comes before anything is freed.
 */
void memlat_pmu_disarm(struct memlat_cpu *c)
{
	const unsigned int n = model->load_counter;
	const struct memlat_saved *old = &c->saved;
	u64 status;

	c->draining = true;
	barrier();
	counters_stop();
	/* The event before PEBS_ENABLE, or it counts on without PEBS. */
	native_wrmsrq(MSR_ARCH_PERFMON_EVENTSEL0 + n, old->evtsel);
	native_wrmsrq(MSR_IA32_PEBS_ENABLE, old->pebs_enable);
	memlat_pebs_drain(c, model);

	native_wrmsrq(counter_msr(), old->pmc);
	native_wrmsrq(MSR_PEBS_LD_LAT_THRESHOLD, old->ld_lat);
	native_wrmsrq(MSR_IA32_DS_AREA, old->ds_area);

	/*
	 * Still set: its PMI has not been taken, and may yet be. From the
	 * moment that armed is false late_pmi() answers it. If it came just
	 * before, pmi() has acknowledged it, and nothing more is to come.
	 */
	status = native_rdmsrq(MSR_CORE_PERF_GLOBAL_STATUS) & hw.ours;
	c->late = status;
	barrier();
	c->armed = false;
	barrier();
	if (status) {
		status = native_rdmsrq(MSR_CORE_PERF_GLOBAL_STATUS) & hw.ours;
		if (status)
			native_wrmsrq(MSR_CORE_PERF_GLOBAL_OVF_CTRL, status);
		else
			c->late = false;
	}
	lvtpc_write(old->lvtpc);
	native_wrmsrq(MSR_CORE_PERF_GLOBAL_CTRL, old->global_ctrl);
}

/*
 * The quiescent period: a record may be written shortly after PEBS_ENABLE was
 * cleared. By the time of this second interrupt it is there.
 */
static void settle(void *unused)
{
	struct memlat_cpu *c = this_cpu_ptr(&memlat_cpu);

	if (!c->ds || c->armed)
		return;
	memlat_pebs_drain(c, model);
	memlat_ds_clear(c);
	/* A PMI that was on its way has come by now. */
	c->late = false;
}

/**
 * memlat_pmu_settle - wait until the disarmed CPUs are quiet
 *
 * After this no record is written and the buffers may go.
 */
void memlat_pmu_settle(void)
{
	on_each_cpu(settle, NULL, 1);
}

/**
 * memlat_pmu_switch - the current task leaves this CPU
 * @wanted: whether the next one is to be sampled
 *
 * From the scheduler, interrupts off. What the buffer holds is of the task that
 * leaves, so it goes out now. A look at the index is enough to know that there
 * is nothing: its loads have retired, so their records are written.
 */
void memlat_pmu_switch(bool wanted)
{
	struct memlat_cpu *c = this_cpu_ptr(&memlat_cpu);

	if (!c->armed || (wanted == c->wanted && !memlat_pebs_pending(c)))
		return;

	c->draining = true;
	barrier();
	counters_stop();
	if (memlat_pebs_drain(c, model))
		c->active->count[MEMLAT_COUNT_SWITCH_DRAINS]++;
	c->wanted = wanted;
	barrier();
	c->draining = false;
	counters_run(c);
}
