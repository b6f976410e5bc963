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

#include "arm.h"
#include "beside.h"
#include "budget.h"
#include "buffer.h"
#include "burst.h"
#include "count.h"
#include "guard.h"
#include "hw.h"
#include "pebs.h"
#include "pmu.h"
#include "pmu_own.h"
#include "turn.h"

DEFINE_PER_CPU(struct memlat_cpu, memlat_cpu);

struct memlat_hw memlat_hw;

static bool listening;

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
 * ours, is somebody else's. While a drain has yet to clear it (@ack_due), no PMI
 * can be delivered, so an NMI then is somebody else's too.
 */
static bool pmi_came(const struct memlat_cpu *c)
{
	return !c->ack_due && (apic->read(APIC_LVTPC) & APIC_LVT_MASKED);
}

/*
 * When LVTPC is unmasked depends on the core (enum memlat_ack). Early: at once,
 * so that a PMI that comes while the handler works is not lost. Mid: before the
 * counters run again. Late: after, because Haswell and later raise another PMI
 * when it is unmasked while they are stopped; in a drain that is the drain's to
 * do, for it is what starts them.
 */
static void ack_before(struct memlat_cpu *c)
{
	if (c->core->ack == MEMLAT_ACK_MID)
		memlat_lvtpc_write(APIC_DM_NMI);
	else if (c->core->ack == MEMLAT_ACK_LATE)
		c->ack_due = true;
}

static void ack_after(struct memlat_cpu *c)
{
	if (!c->ack_due)
		return;
	c->ack_due = false;
	memlat_lvtpc_write(APIC_DM_NMI);
}

/* A PMI that was on its way when this CPU was disarmed. */
static int late_pmi(struct memlat_cpu *c)
{
	u64 status;

	if (!c->unsettled || !pmi_came(c))
		return NMI_DONE;
	status = native_rdmsrq(MSR_CORE_PERF_GLOBAL_STATUS);
	/* Of a counter that somebody else programmed meanwhile. */
	if (status & STATUS_COUNTERS & ~(c->plan->clear | MEMLAT_CTRL_CYCLES))
		return NMI_DONE;
	status &= c->plan->ours | c->plan->thaw;
	if (status)
		native_wrmsrq(MSR_CORE_PERF_GLOBAL_OVF_CTRL, status);
	/* Inside memlat_disarm(), which does it when it finishes. */
	if (c->draining)
		c->ack_due = true;
	else
		memlat_lvtpc_write(APIC_DM_NMI);
	c->counts->count[MEMLAT_COUNT_LATE_PMIS]++;
	return NMI_HANDLED;
}

/* Counters paused; nothing that is ours has happened. */
static int no_status(struct memlat_cpu *c, bool came)
{
	if (c->core->ack != MEMLAT_ACK_EARLY) {
		came = pmi_came(c);
		if (came)
			ack_before(c);
	}
	/* A drain that was interrupted starts them itself. */
	if (!c->draining) {
		memlat_counters_run(c);
		ack_after(c);
	}
	return came ? NMI_HANDLED : NMI_DONE;
}

static int pmi(unsigned int type, struct pt_regs *regs)
{
	struct memlat_cpu *c = this_cpu_ptr(&memlat_cpu);
	unsigned int rounds = 0, records = 0;
	u64 since = 0, ctrl = 0, status, mask;
	bool came = false;
	u32 trouble;

	if (!c->armed)
		return late_pmi(c);

	if (memlat_hw.budget)
		since = memlat_cycles();
	if (c->core->ack == MEMLAT_ACK_EARLY) {
		came = pmi_came(c);
		if (came)
			memlat_lvtpc_write(APIC_DM_NMI);
	}
	if (unlikely(c->core->watched))
		ctrl = native_rdmsrq(MSR_CORE_PERF_GLOBAL_CTRL);
	/* PEBS_ENABLE stays: with the counters stopped nothing is written. */
	memlat_counters_pause();
	mask = c->plan->ours | c->plan->thaw;
	status = native_rdmsrq(MSR_CORE_PERF_GLOBAL_STATUS) & mask;
	if (!(status & c->plan->ours)) {
		if (unlikely(status))
			native_wrmsrq(MSR_CORE_PERF_GLOBAL_OVF_CTRL, status);
		return no_status(c, came);
	}

	c->counts->count[MEMLAT_COUNT_PMIS]++;
	do {
		/* First acknowledge: what comes after this raises it again. */
		native_wrmsrq(MSR_CORE_PERF_GLOBAL_OVF_CTRL, status);
		if (!c->draining)
			records += memlat_pebs_drain(c, regs);
		status = native_rdmsrq(MSR_CORE_PERF_GLOBAL_STATUS) & mask;
	} while (status && ++rounds < PMI_ROUNDS);

	if (c->draining) {
		ack_before(c);
		return NMI_HANDLED;
	}
	trouble = memlat_guard_trouble(c, ctrl);
	if (unlikely(trouble)) {
		ack_before(c);
		memlat_arm_give_up(c, trouble);
		return NMI_HANDLED;
	}
	if (!c->turn_hold && memlat_turn_due(c))
		records += memlat_turn_change(c);
	if (unlikely(memlat_hw.stride) && records && !c->turn_hold)
		memlat_burst_change(c, regs);
	if (memlat_hw.budget)
		memlat_budget_spent(c, since, c->core->model->pmi_cycles, records);
	ack_before(c);
	memlat_counters_run(c);
	ack_after(c);
	return NMI_HANDLED;
}

/**
 * memlat_pmu_listen - take part in NMIs
 *
 * Before the first CPU is armed to sample.
 *
 * Return: 0 or a negative errno.
 */
int memlat_pmu_listen(void)
{
	int ret = register_nmi_handler(NMI_LOCAL, pmi, NMI_FLAG_FIRST, "memlat");

	listening = !ret;
	return ret;
}

/**
 * memlat_pmu_unlisten - no longer; every CPU is disarmed and settled
 *
 * Waits until no CPU is in the handler. Nothing happens when nobody listens.
 */
void memlat_pmu_unlisten(void)
{
	if (listening)
		unregister_nmi_handler(NMI_LOCAL, "memlat");
	listening = false;
}

/*
 * Drain outside of an NMI; a PMI that comes meanwhile leaves it to us. @look: add up
 * what is counted beside, too.
 */
static __always_inline void drain_and_look(struct memlat_cpu *c, bool wanted, bool leaving,
					   bool look)
{
	unsigned int records;
	u64 since = 0;

	if (memlat_hw.budget)
		since = memlat_cycles();
	c->draining = true;
	barrier();
	/* A PMI since the caller looked may have given up. From here on one does not. */
	if (unlikely(!c->armed)) {
		c->draining = false;
		return;
	}
	memlat_counters_pause();
	records = memlat_pebs_drain(c, NULL);
	if (records && leaving)
		c->counts->count[MEMLAT_COUNT_SWITCH_DRAINS]++;
	if (memlat_turn_due(c))
		records += memlat_turn_change(c);
	/* A burst is one thread's. */
	memlat_burst_end(c);
	if (look)
		memlat_beside_look(c);
	if (memlat_hw.budget)
		memlat_budget_spent(c, since, c->core->hook_cycles, records);
	c->wanted = wanted;
	barrier();
	c->draining = false;
	memlat_counters_run(c);
	ack_after(c);
}

static void drain_here(struct memlat_cpu *c, bool wanted, bool leaving)
{
	drain_and_look(c, wanted, leaving, false);
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
	bool pending, ours;

	if (!c->armed) {
		memlat_count_switch(wanted);
		return;
	}
	/* The last moment: what runs next may enter a guest. */
	if (unlikely(READ_ONCE(memlat_hw.vmx_watch) && (native_read_cr4() & X86_CR4_VMXE))) {
		memlat_arm_give_up(c, MEMLAT_END_VMX);
		return;
	}
	pending = memlat_buffer_look(c, &ours) != c->base;
	/* The last moment here too: perf may be about to take the buffer away. */
	if (unlikely(!ours)) {
		memlat_pmu_check();
		return;
	}
	if (wanted == c->wanted && !pending && !memlat_budget_due(c) &&
	    !memlat_turn_due(c)) {
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

/* @count: add up what is counted beside now; else once a second. */
static noinline void check_here(struct memlat_cpu *c, bool count)
{
	u32 trouble;

	if (!c->armed)
		return;
	/* A PMI that changes the turn, or begins a burst, would make two reads differ. */
	c->turn_hold = true;
	barrier();
	trouble = memlat_guard_trouble_all(c);
	barrier();
	c->turn_hold = false;
	if (trouble)
		memlat_arm_give_up(c, trouble);
	else if (count || memlat_beside_due())
		drain_and_look(c, c->wanted, false, true);
	else if (memlat_budget_due(c) || memlat_turn_due(c))
		drain_here(c, c->wanted, false);
	if (memlat_hw.budget)
		c->budget.hooks += CHECK_HOOKS;
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
	check_here(this_cpu_ptr(&memlat_cpu), false);
}

/**
 * memlat_pmu_count - the same, and add up what this CPU counts beside what it samples
 *
 * Interrupts off, in a session that counts beside. What someone else wrote to a counter is
 * no count of ours, so that is looked for first.
 */
void memlat_pmu_count(void)
{
	check_here(this_cpu_ptr(&memlat_cpu), true);
}

/**
 * memlat_pmu_guest_enters - this CPU is about to enter a guest
 *
 * Interrupts off, in KVM. PEBS is off when this returns: what KVM does from here to the entry
 * is more than what it leaves between clearing PEBS_ENABLE for perf and that.
 *
 * Return: whether the CPU was armed; its session ends.
 */
bool memlat_pmu_guest_enters(void)
{
	struct memlat_cpu *c = this_cpu_ptr(&memlat_cpu);
	bool stopped;

	if (!c->armed)
		return false;
	/*
	 * KVM that lends the PMU to its guests (kvm_mediated_pmu_load() of 7.0 and later) has
	 * put 0 there, and the guest's events into the registers: nothing may count until
	 * the guest runs.
	 */
	stopped = !native_rdmsrq(MSR_CORE_PERF_GLOBAL_CTRL);
	memlat_arm_give_up(c, MEMLAT_END_VMX);
	if (stopped)
		native_wrmsrq(MSR_CORE_PERF_GLOBAL_CTRL, 0);
	return true;
}

/**
 * memlat_pmu_crash - the kernel crashes on this CPU
 *
 * Interrupts off, or in an NMI. From here on no record is written: a kernel that is started to
 * save the memory has neither the page tables nor, for a while, the exception handlers for it.
 */
void memlat_pmu_crash(void)
{
	struct memlat_cpu *c = this_cpu_ptr(&memlat_cpu);

	if (c->armed && c->draining) {
		/* It was memlat's own drain that crashed: what it holds is not to be trusted. */
		native_wrmsrq(MSR_CORE_PERF_GLOBAL_CTRL, 0);
		if (c->core->arch)
			native_wrmsrq(MEMLAT_MSR_PEBS_INDEX, 0);
		else
			native_wrmsrq(MSR_IA32_PEBS_ENABLE, 0);
		memlat_hw.trouble(MEMLAT_END_OOPS);
	} else if (c->armed) {
		memlat_arm_give_up(c, MEMLAT_END_OOPS);
	}
}

/**
 * memlat_pmu_watch_vmx - from now on CR4.VMXE tells that guests may run
 *
 * For when it was set by a KVM that is gone.
 */
void memlat_pmu_watch_vmx(void)
{
	WRITE_ONCE(memlat_hw.vmx_watch, true);
}

/**
 * memlat_pmu_turn - change the turn when it is time to
 *
 * Interrupts off. For a CPU that has neither task switches nor PMIs.
 */
void memlat_pmu_turn(void)
{
	struct memlat_cpu *c = this_cpu_ptr(&memlat_cpu);

	if (c->armed && memlat_turn_due(c))
		drain_here(c, c->wanted, false);
}
