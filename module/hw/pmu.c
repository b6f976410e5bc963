// SPDX-License-Identifier: GPL-2.0
/*
 * What happens while a CPU is armed: the PMI, task switches, and checks of the registers.
 *
 * Registers are written in the order of Linux' perf, which is proven on silicon. Where the place of
 * a line matters, a comment says why. MSRs are accessed by the native functions, because the others
 * may trace, which an NMI must not.
 */
#include <linux/nmi.h>
#include <asm/nmi.h>
#include <asm/special_insns.h>

#include "buffer.h"
#include "count.h"
#include "hw.h"

struct memlat_cpu __percpu *memlat_cpu;

struct memlat_hw memlat_hw;

static bool listening;

/* More rounds than a PMI ever needs. If a status bit is set after these, it cannot be cleared. */
#define PMI_ROUNDS	16

/* The cost of memlat_pmu_check() and its timer, in units of a task switch with nothing to do. */
#define CHECK_HOOKS	10

/* How often memlat_pmu_check() reads the registers if a PMI changes something each time. */
#define CHECK_TRIES	3

/* Status bits of counter overflows, memlat's and others'. */
#define STATUS_COUNTERS	GENMASK_ULL(47, 0)

/*
 * Is this NMI a PMI? Only the delivery of a PMI sets the mask bit of LVTPC, because memlat keeps it
 * clear from arming until the CPU has settled. So if it is set, the NMI is a PMI, even if its
 * records were drained before it was delivered. If it is clear, and there is no status of memlat's,
 * the NMI is another handler's. While a drain has yet to clear it (@ack_due), no PMI can be
 * delivered, so the NMI is another handler's too. Where perf holds the PMU, its handler clears it
 * at the end of each NMI. If LVTPC has another value than these two, it is a guest's.
 */
static bool is_pmi(const struct memlat_cpu *c)
{
	return !c->ack_due && apic->read(APIC_LVTPC) == (APIC_DM_NMI | APIC_LVT_MASKED);
}

/*
 * When LVTPC is unmasked depends on the core (enum memlat_ack). Early: at once, so that no PMI is
 * lost while the handler works. Mid: before the counters run again. Late: after the counters run
 * again, because Haswell and later cores raise another PMI if it is unmasked while they are
 * stopped. If the PMI interrupted a drain, the drain starts the counters and so has to unmask it.
 * Where perf holds the PMU, its handler of this NMI does that, and starts the counters.
 */
static void ack_before(struct memlat_cpu *c)
{
	if (c->hold)
		return;
	if (c->core->ack == MEMLAT_ACK_MID)
		memlat_lvtpc_write(APIC_DM_NMI);
	else if (c->core->ack == MEMLAT_ACK_LATE)
		c->ack_due = true;
}

/* The end of an NMI: the counters run again. @came: it is a PMI. */
static void memlat_nmi_end(struct memlat_cpu *c, bool came)
{
	if (came)
		ack_before(c);
	/* A drain that was interrupted starts them. Where perf holds the PMU, its handler does. */
	if (c->draining || c->hold)
		return;
	memlat_counters_run(c);
	memlat_drain_ack(c);
}

/* A PMI that was on its way when this CPU was disarmed, or paused for a guest. */
static int memlat_late_pmi(struct memlat_cpu *c)
{
	u64 status;

	if (!(c->unsettled || c->paused) || !is_pmi(c))
		return NMI_DONE;
	status = native_rdmsrq(MSR_CORE_PERF_GLOBAL_STATUS);
	/* A counter that another driver has programmed since overflowed; leave the PMI to it. */
	if (status & STATUS_COUNTERS & ~(c->plan->clear | MEMLAT_CTRL_CYCLES))
		return NMI_DONE;
	status &= c->plan->ours | c->plan->thaw;
	if (status)
		native_wrmsrq(MSR_CORE_PERF_GLOBAL_OVF_CTRL, status);
	/* During memlat_disarm(), leave it to that function, which unmasks LVTPC at its end. */
	if (c->draining)
		c->ack_due = true;
	else
		memlat_lvtpc_write(APIC_DM_NMI);
	c->counts->count[MEMLAT_COUNT_LATE_PMIS]++;
	return NMI_HANDLED;
}

/* The counters are paused, and no status bit is memlat's. */
static int no_status(struct memlat_cpu *c, bool came)
{
	if (c->core->ack != MEMLAT_ACK_EARLY)
		came = is_pmi(c);
	memlat_nmi_end(c, came);
	return came ? NMI_HANDLED : NMI_DONE;
}

/*
 * A status bit that cannot be cleared. With it each NMI of this CPU would look like a PMI, so end
 * the session, and leave this NMI to others unless a PMI was delivered. In a drain the CPU cannot
 * be disarmed; then the next NMI or check does it.
 */
static int status_is_stuck(struct memlat_cpu *c, bool came)
{
	if (c->core->ack != MEMLAT_ACK_EARLY)
		came = is_pmi(c);
	if (c->draining) {
		memlat_nmi_end(c, came);
	} else {
		if (came)
			ack_before(c);
		memlat_arm_abort(c, MEMLAT_END_TAKEOVER);
	}
	return came ? NMI_HANDLED : NMI_DONE;
}

/*
 * Is KVM lending the PMU? It first disables all counters. If it has done no more, this NMI must
 * leave them off, or they would count what KVM loads next.
 */
static bool is_lending(const struct memlat_cpu *c)
{
	if (!IS_ENABLED(CONFIG_PERF_GUEST_MEDIATED_PMU) || c->draining)
		return false;
	if (memlat_pmu_is_lent())
		return true;
	return !c->hold && memlat_ctrl(c) && !native_rdmsrq(MSR_CORE_PERF_GLOBAL_CTRL);
}

static int memlat_nmi_handler(unsigned int type, struct pt_regs *regs)
{
	struct memlat_cpu *c = this_cpu_ptr(memlat_cpu);
	unsigned int rounds = 0, records = 0;
	u64 since = 0, ctrl = 0, status, mask;
	bool came = false;
	u32 trouble;

	if (!c->armed || unlikely(c->paused))
		return memlat_late_pmi(c);
	/* The next thing that this CPU does is to pass kvm_entry, where it is disarmed. */
	if (unlikely(is_lending(c))) {
		if (!is_pmi(c))
			return NMI_DONE;
		/* A PMI of memlat's, and KVM has not yet given LVTPC another value. */
		memlat_lvtpc_write(APIC_DM_NMI);
		return NMI_HANDLED;
	}

	if (memlat_hw.budget)
		since = memlat_cycles();
	if (c->core->ack == MEMLAT_ACK_EARLY) {
		came = is_pmi(c);
		if (came)
			memlat_lvtpc_write(APIC_DM_NMI);
	}
	if (unlikely(c->hold))
		ctrl = native_rdmsrq(MSR_CORE_PERF_GLOBAL_CTRL);
	/* PEBS_ENABLE can stay, because nothing is written while the counters are stopped. */
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
		/* Acknowledge first, so that later records set the bit again. */
		native_wrmsrq(MSR_CORE_PERF_GLOBAL_OVF_CTRL, status);
		if (!c->draining)
			records += memlat_pebs_drain(c, regs);
		status = native_rdmsrq(MSR_CORE_PERF_GLOBAL_STATUS) & mask;
	} while (status && ++rounds < PMI_ROUNDS);

	if (unlikely(status) && memlat_guard_differs(c, MSR_CORE_PERF_GLOBAL_STATUS, status, 0))
		return status_is_stuck(c, came);
	if (c->draining) {
		memlat_nmi_end(c, true);
		return NMI_HANDLED;
	}
	trouble = memlat_guard_trouble(c, ctrl);
	if (unlikely(trouble)) {
		ack_before(c);
		memlat_arm_abort(c, trouble);
		return NMI_HANDLED;
	}
	if (memlat_turn_due(c))
		records += memlat_turn_change(c);
	if (unlikely(memlat_hw.stride) && records)
		memlat_burst_change(c, regs);
	if (memlat_hw.budget)
		memlat_budget_spent(c, since, c->core->model->pmi_cycles, records);
	memlat_nmi_end(c, true);
	return NMI_HANDLED;
}

/**
 * memlat_pmu_register_nmi - register the NMI handler
 *
 * Called before the first CPU is armed to sample.
 *
 * Return: 0 or a negative errno.
 */
int memlat_pmu_register_nmi(void)
{
	int ret = register_nmi_handler(NMI_LOCAL, memlat_nmi_handler, NMI_FLAG_FIRST, "memlat");

	listening = !ret;
	return ret;
}

/**
 * memlat_pmu_unregister_nmi - unregister the NMI handler; every CPU is disarmed and settled
 *
 * Waits until no CPU is in the handler. Does nothing if the handler is not registered.
 */
void memlat_pmu_unregister_nmi(void)
{
	if (listening)
		unregister_nmi_handler(NMI_LOCAL, "memlat");
	listening = false;
}

/*
 * Drain outside of an NMI. A PMI that interrupts it leaves the buffer alone. @count: also add up
 * what is counted beside sampling.
 */
static __always_inline void drain_and_count(struct memlat_cpu *c, bool wanted, bool leaving,
					    bool count)
{
	unsigned int records;
	u64 since = 0;

	if (memlat_hw.budget)
		since = memlat_cycles();
	if (!memlat_drain_begin(c))
		return;
	memlat_counters_pause();
	records = memlat_pebs_drain(c, NULL);
	if (records && leaving)
		c->counts->count[MEMLAT_COUNT_SWITCH_DRAINS]++;
	if (memlat_turn_due(c))
		records += memlat_turn_change(c);
	/* A burst is of one thread only. */
	memlat_burst_end(c);
	if (unlikely(c->hold) && !leaving)
		memlat_turn_mend(c);
	if (count)
		memlat_beside_read(c);
	if (memlat_hw.budget)
		memlat_budget_spent(c, since, c->core->hook_cycles, records);
	c->wanted = wanted;
	barrier();
	c->draining = false;
	memlat_counters_run_again(c);
	memlat_drain_ack(c);
}

static void memlat_pmu_drain_here(struct memlat_cpu *c, bool wanted, bool leaving)
{
	drain_and_count(c, wanted, leaving, false);
}

/*
 * A VM entry that fails passes no tracepoint on its way back, so a CPU may still be paused when the
 * host does something else there: a task switch, a timer.
 */
static void resume_if_paused(struct memlat_cpu *c)
{
	if (unlikely(c->paused))
		memlat_arm_resume(c);
}

/**
 * memlat_pmu_switch - the current task leaves this CPU
 * @wanted: whether the next task is to be sampled
 *
 * Called by the scheduler with interrupts off. The records in the buffer belong to the task that
 * leaves, so drain them now. The index shows whether there are any: the task's loads have retired,
 * so their records are written.
 */
void memlat_pmu_switch(bool wanted)
{
	struct memlat_cpu *c = this_cpu_ptr(memlat_cpu);
	bool pending, ours;

	if (!c->armed) {
		memlat_count_switch(wanted);
		return;
	}
	resume_if_paused(c);
	/* Check this now, because the next task may enter a guest. */
	if (unlikely(READ_ONCE(memlat_hw.vmx_watch) && (native_read_cr4() & X86_CR4_VMXE))) {
		memlat_arm_abort(c, MEMLAT_END_VMX);
		return;
	}
	pending = memlat_buffer_read(c, &ours) != c->base;
	/*
	 * Someone else is about to use the buffer. If not, a PMI has changed the threshold between
	 * the read and the comparison. Then drain, because what was read is old.
	 */
	if (unlikely(!ours)) {
		memlat_pmu_check();
		if (c->armed)
			memlat_pmu_drain_here(c, wanted, true);
		return;
	}
	/* A burst ends even if it has no record yet, or the next task would be sampled by it. */
	if (wanted == c->wanted && !pending && !c->burst && !memlat_budget_due(c) &&
	    !memlat_turn_due(c)) {
		c->budget.hooks += memlat_hw.budget;
		return;
	}
	memlat_pmu_drain_here(c, wanted, true);
}

/**
 * memlat_pmu_note_vfork - the records from now on are of another task, or of another program
 * @task: that task
 *
 * Called with interrupts off, after the drain of the records of what ran before.
 */
void memlat_pmu_note_vfork(const struct task_struct *task)
{
	memlat_vfork_parent_of(&this_cpu_ptr(memlat_cpu)->vfork_parent, task);
}

/**
 * memlat_pmu_flush - drain this CPU's records under current's present name
 *
 * Called with interrupts off, when that name, or the program that current runs, is about to change.
 */
void memlat_pmu_flush(void)
{
	struct memlat_cpu *c = this_cpu_ptr(memlat_cpu);

	resume_if_paused(c);
	if (c->armed && memlat_pebs_pending(c))
		memlat_pmu_drain_here(c, c->wanted, false);
	/* exec gave current memory of its own, or exit took it. */
	memlat_pmu_note_vfork(current);
}

/*
 * As memlat_guard_trouble_all(), but PMIs may interrupt it. A PMI may change the turn, a period
 * or the burst, and then a register differs from what memlat expected before. It must not be kept
 * from that: the kernel's loads on the way out of a PMI and into the next one are enough for
 * another 64 records of a burst, so a burst that cannot end lets PMIs follow each other for ever.
 * So what differs counts only if no PMI changed anything. A PMI that may change something each time
 * (bursts) makes most of these checks by itself.
 */
static u32 trouble_now(struct memlat_cpu *c)
{
	unsigned int tries;
	u32 trouble;

	for (tries = 0; tries < CHECK_TRIES; tries++) {
		c->changed = false;
		barrier();
		trouble = memlat_guard_trouble_all(c);
		barrier();
		/* If that PMI has disarmed this CPU, it has said why. */
		if (!c->armed)
			return 0;
		if (trouble != MEMLAT_END_TAKEOVER || !c->changed)
			return trouble;
		c->foreign_msr = 0;
	}
	return 0;
}

/* @count: add up what is counted beside sampling now; else only once a second. */
static noinline void memlat_pmu_check_here(struct memlat_cpu *c, bool count)
{
	u32 trouble;

	if (!c->armed)
		return;
	resume_if_paused(c);
	trouble = trouble_now(c);
	if (trouble)
		memlat_arm_abort(c, trouble);
	else if (count || memlat_beside_due())
		drain_and_count(c, c->wanted, false, true);
	else if (memlat_budget_due(c) || memlat_turn_due(c) ||
		 (c->hold && memlat_turn_is_lost(c)))
		memlat_pmu_drain_here(c, c->wanted, false);
	if (memlat_hw.budget)
		c->budget.hooks += CHECK_HOOKS;
}

/**
 * memlat_pmu_check - check that this CPU's PMU is still memlat's, and that sampling is allowed
 *
 * Called with interrupts off. Compares every register that memlat programmed with the value that it
 * wrote, and checks whether another counter was turned on. If someone else uses the PMU, disarms
 * this CPU and calls setup.trouble. Also changes turns and periods if that is due.
 */
void memlat_pmu_check(void)
{
	memlat_pmu_check_here(this_cpu_ptr(memlat_cpu), false);
}

/**
 * memlat_pmu_count - as memlat_pmu_check(), and add up what this CPU counts beside sampling
 *
 * Called with interrupts off, in a session that counts beside sampling. It checks first, because a
 * value that someone else wrote to a counter is not memlat's count.
 */
void memlat_pmu_count(void)
{
	memlat_pmu_check_here(this_cpu_ptr(memlat_cpu), true);
}

/**
 * memlat_pmu_guest_entry - this CPU is about to enter a guest
 *
 * Called in KVM, with interrupts off. Nothing counts, and PEBS is off, when this returns. KVM
 * executes more code from here to the entry than from where it clears PEBS_ENABLE for perf, so a
 * record in flight has more time to be written.
 *
 * Return: whether the session ends, because the guest has got the PMU itself, with memlat's
 * counters.
 */
bool memlat_pmu_guest_entry(void)
{
	struct memlat_cpu *c = this_cpu_ptr(memlat_cpu);

	if (!c->armed)
		return false;
	if (memlat_pmu_is_lent()) {
		memlat_arm_abort(c, MEMLAT_END_VMX);
		return true;
	}
	c->guest.entries++;
	/* If the entry before failed, the CPU is paused already. */
	if (!c->paused)
		memlat_arm_pause(c);
	return false;
}

/**
 * memlat_pmu_guest_exit - this CPU has left a guest
 *
 * Called in KVM, with interrupts off.
 */
void memlat_pmu_guest_exit(void)
{
	resume_if_paused(this_cpu_ptr(memlat_cpu));
}

/**
 * memlat_pmu_crash - the kernel crashes on this CPU
 *
 * Called with interrupts off or in an NMI. From here on no record is written, because a crash
 * kernel has no page tables for the buffer and, at first, no exception handlers.
 */
void memlat_pmu_crash(void)
{
	struct memlat_cpu *c = this_cpu_ptr(memlat_cpu);

	if (c->armed && c->draining) {
		/* The kernel crashed within memlat's drain, so its data cannot be trusted. */
		native_wrmsrq(MSR_CORE_PERF_GLOBAL_CTRL, 0);
		if (c->core->arch)
			native_wrmsrq(MEMLAT_MSR_PEBS_INDEX, 0);
		else
			native_wrmsrq(MSR_IA32_PEBS_ENABLE, 0);
		memlat_hw.trouble(MEMLAT_END_OOPS);
	} else if (c->armed) {
		memlat_arm_abort(c, MEMLAT_END_OOPS);
	}
}

/**
 * memlat_pmu_watch_vmx - set whether CR4.VMXE is a sign that guests may run
 * @on: from now on it is: it was clear when the session began, or the KVM that had set it is
 *	unloaded. If false, no CPU is armed
 */
void memlat_pmu_watch_vmx(bool on)
{
	WRITE_ONCE(memlat_hw.vmx_watch, on);
}

/**
 * memlat_pmu_turn - begin the next turn, if it is due
 *
 * Called with interrupts off, for a CPU that has neither task switches nor PMIs.
 */
void memlat_pmu_turn(void)
{
	struct memlat_cpu *c = this_cpu_ptr(memlat_cpu);

	resume_if_paused(c);
	if (c->armed && memlat_turn_due(c))
		memlat_pmu_drain_here(c, c->wanted, false);
}
