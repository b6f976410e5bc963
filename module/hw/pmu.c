// SPDX-License-Identifier: GPL-2.0
/*
 * While a CPU is armed: the PMI, task switches, and looking after what is ours.
 *
 * The order of register writes is Linux perf's, which silicon has proven; where
 * a line's place matters the reason stands beside it. MSRs are written with the
 * native accessors: the others may trace, and an NMI must not.
 */
#include <linux/nmi.h>
#include <asm/nmi.h>
#include <asm/special_insns.h>

#include "hw.h"
#include "pebs.h"
#include "pmu.h"
#include "pmu_own.h"

DEFINE_PER_CPU(struct memlat_cpu, memlat_cpu);

struct memlat_hw memlat_hw;

/* More rounds than a PMI ever needs: a status bit that does not clear. */
#define PMI_ROUNDS	16

/* What memlat_pmu_check() and the timer behind it cost, in idle task switches. */
#define CHECK_HOOKS	10

/* Status bits that say "a counter overflowed", whosever. */
#define STATUS_COUNTERS	GENMASK_ULL(47, 0)

/*
 * Whose NMI is it? Delivery of a PMI sets the mask bit of LVTPC, and nothing
 * else does: memlat leaves it clear from arming until a CPU has settled. So an
 * NMI that finds it set is a PMI's, also when what the PMI was for has been
 * dealt with before it came; and one that finds it clear, and no status of
 * ours, is somebody else's.
 */
static bool pmi_came(void)
{
	return apic->read(APIC_LVTPC) & APIC_LVT_MASKED;
}

/* A PMI that was on its way when this CPU was disarmed. */
static int late_pmi(struct memlat_cpu *c)
{
	u64 status;

	if (!c->unsettled || !pmi_came())
		return NMI_DONE;
	status = native_rdmsrq(MSR_CORE_PERF_GLOBAL_STATUS);
	/* Of a counter that somebody else programmed meanwhile. */
	if (status & STATUS_COUNTERS & ~(memlat_hw.ours | MEMLAT_CTRL_CYCLES))
		return NMI_DONE;
	if (status & memlat_hw.ours)
		native_wrmsrq(MSR_CORE_PERF_GLOBAL_OVF_CTRL, status & memlat_hw.ours);
	memlat_lvtpc_write(APIC_DM_NMI);
	c->counts->count[MEMLAT_COUNT_LATE_PMIS]++;
	return NMI_HANDLED;
}

static int pmi(unsigned int type, struct pt_regs *regs)
{
	struct memlat_cpu *c = this_cpu_ptr(&memlat_cpu);
	unsigned int rounds = 0, records = 0;
	u64 since = 0, status;
	u32 trouble;

	if (!c->armed)
		return late_pmi(c);

	if (memlat_hw.budget)
		since = memlat_cycles();
	/* PEBS_ENABLE stays: with the counters stopped nothing is written. */
	memlat_counters_pause();
	status = native_rdmsrq(MSR_CORE_PERF_GLOBAL_STATUS) & memlat_hw.ours;
	if (!status) {
		/* A drain that was interrupted starts them itself. */
		if (!c->draining)
			memlat_counters_run(c);
		if (!pmi_came())
			return NMI_DONE;
		memlat_lvtpc_write(APIC_DM_NMI);
		return NMI_HANDLED;
	}

	c->counts->count[MEMLAT_COUNT_PMIS]++;
	do {
		/* First acknowledge: what comes after this raises it again. */
		native_wrmsrq(MSR_CORE_PERF_GLOBAL_OVF_CTRL, status);
		if (!c->draining)
			records += memlat_pebs_drain(c, regs);
		status = native_rdmsrq(MSR_CORE_PERF_GLOBAL_STATUS) & memlat_hw.ours;
	} while (status && ++rounds < PMI_ROUNDS);

	if (!c->draining) {
		trouble = memlat_pmu_trouble(c);
		if (unlikely(trouble)) {
			memlat_lvtpc_write(APIC_DM_NMI);
			memlat_pmu_give_up(c, trouble);
			return NMI_HANDLED;
		}
		if (memlat_hw.budget)
			memlat_budget_spent(c, since, memlat_hw.model->pmi_cycles, records);
		memlat_counters_run(c);
	}
	/* Delivery masked it. Not before the counters run: Haswell raises another then. */
	memlat_lvtpc_write(APIC_DM_NMI);
	return NMI_HANDLED;
}

/**
 * memlat_pmu_init - note what this CPU is
 * @m: its row
 * @c: what it can do
 */
void __init memlat_pmu_init(const struct memlat_cpu_model *m, const struct memlat_cpu_caps *c)
{
	memlat_hw.model = m;
	memlat_hw.caps = *c;
	memlat_hw.mask = BIT_ULL(c->counter_width) - 1;
	memlat_hw.cycles_mask = BIT_ULL(c->fixed_width) - 1;
	memlat_pmu_own_init(c->counters);
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

/* Drain outside of an NMI; a PMI that comes meanwhile leaves it to us. */
static void drain_here(struct memlat_cpu *c, bool wanted, bool leaving)
{
	unsigned int records;
	u64 since = 0;

	if (memlat_hw.budget)
		since = memlat_cycles();
	c->draining = true;
	barrier();
	memlat_counters_pause();
	records = memlat_pebs_drain(c, NULL);
	if (records && leaving)
		c->counts->count[MEMLAT_COUNT_SWITCH_DRAINS]++;
	if (memlat_hw.budget)
		memlat_budget_spent(c, since, memlat_hw.model->hook_cycles, records);
	c->wanted = wanted;
	barrier();
	c->draining = false;
	memlat_counters_run(c);
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

	if (!c->armed)
		return;
	/* The last moment: what runs next may enter a guest. */
	if (unlikely(memlat_hw.vmx_watch && (native_read_cr4() & X86_CR4_VMXE))) {
		memlat_pmu_give_up(c, MEMLAT_END_VMX);
		return;
	}
	if (wanted == c->wanted && !memlat_pebs_pending(c) && !memlat_budget_due(c)) {
		c->budget.hooks += memlat_hw.budget;
		return;
	}
	drain_here(c, wanted, true);
}

/**
 * memlat_pmu_flush - take out what this CPU holds, under current's present name
 *
 * Interrupts off. For when that name, or the program that current runs, is
 * about to change.
 */
void memlat_pmu_flush(void)
{
	struct memlat_cpu *c = this_cpu_ptr(&memlat_cpu);

	if (c->armed && memlat_pebs_pending(c))
		drain_here(c, c->wanted, false);
}

/* Did a PMI get lost? One that has just been delivered comes before long. */
static bool lvtpc_is_lost(void)
{
	unsigned int i;
	u32 lvtpc;

	for (i = 0; i < 100; i++) {
		lvtpc = apic->read(APIC_LVTPC);
		if (lvtpc == APIC_DM_NMI)
			return false;
		cpu_relax();
	}
	return true;
}

/* Counters that memlat owns and does not use, but for what was there before. */
static bool others_count(struct memlat_cpu *c)
{
	unsigned int i;

	for (i = 0; i < memlat_hw.caps.counters; i++)
		if (!((memlat_hw.run | c->saved.enabled) & BIT_ULL(i)) &&
		    memlat_pmu_is_foreign(c, MSR_ARCH_PERFMON_EVENTSEL0 + i, MEMLAT_EVTSEL_EN, 0))
			return true;
	return false;
}

/**
 * memlat_pmu_check - is this CPU's PMU still ours, and may it sample?
 *
 * Interrupts off. Compares every register that memlat programmed with the value
 * that it wrote, and looks whether another counter was turned on; when one
 * differs, someone else uses the PMU, and this CPU is
 * disarmed and setup.trouble told. Moves the periods too when that is due.
 */
void memlat_pmu_check(void)
{
	struct memlat_cpu *c = this_cpu_ptr(&memlat_cpu);
	u32 trouble;

	if (!c->armed)
		return;
	trouble = memlat_pmu_trouble(c);
	if (!trouble &&
	    (memlat_pmu_is_foreign(c, MSR_CORE_PERF_GLOBAL_CTRL, ~0ULL,
				   c->wanted ? memlat_hw.run : memlat_hw.idle) ||
	     others_count(c) || lvtpc_is_lost()))
		trouble = MEMLAT_END_TAKEOVER;
	if (trouble)
		memlat_pmu_give_up(c, trouble);
	else if (memlat_budget_due(c))
		drain_here(c, c->wanted, false);
	if (memlat_hw.budget)
		c->budget.hooks += CHECK_HOOKS;
}
