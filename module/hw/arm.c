// SPDX-License-Identifier: GPL-2.0
/*
 * Arm and disarm: program the registers, and put them back as they were found.
 *
 * A register is memlat's if it still has the value that memlat wrote. If not, it has another owner,
 * and memlat leaves it alone.
 */
#include <linux/cpumask.h>
#include <linux/delay.h>
#include <linux/hardirq.h>
#include <linux/smp.h>
#include <linux/timekeeping.h>
#include <linux/topology.h>

#include "buffer.h"
#include "count.h"
#include "hw.h"

/*
 * The quiescent period. A record may be written, and its PMI delivered, shortly after PEBS_ENABLE
 * was cleared, and hardware does not report when it is done. KVM has the same problem, and no
 * manual gives a time. This is far longer than any instruction takes.
 */
#define QUIET_US	1000

/* Does another thread of this core use the first plan already? */
static bool sibling_is_first(const struct memlat_cpu *c)
{
	int cpu;

	for_each_cpu(cpu, topology_sibling_cpumask(smp_processor_id())) {
		const struct memlat_cpu *s = per_cpu_ptr(memlat_cpu, cpu);

		if (s != c && READ_ONCE(s->armed) && s->plan == &c->core->plan[0])
			return true;
	}
	return false;
}

/* Save the registers that memlat will write. GLOBAL_CTRL is 0. */
static void memlat_arm_save(struct memlat_cpu *c)
{
	struct memlat_saved *old = &c->saved;
	unsigned int i;

	if (!c->core->arch)
		old->pebs_enable = native_rdmsrq(MSR_IA32_PEBS_ENABLE);
	old->fixed_ctrl = native_rdmsrq(MSR_CORE_PERF_FIXED_CTR_CTRL);
	old->cycles = native_rdmsrq(MEMLAT_MSR_CYCLES);
	old->instructions = native_rdmsrq(MEMLAT_MSR_INSTRUCTIONS);
	old->enabled = 0;
	for (i = 0; i < c->core->caps.counters; i++)
		if (native_rdmsrq(MSR_ARCH_PERFMON_EVENTSEL0 + i) & MEMLAT_EVTSEL_EN)
			old->enabled |= BIT_ULL(i);
	for (i = 0; i < c->plan->slots; i++) {
		const struct memlat_slot *slot = &c->plan->slot[i];

		old->evtsel[i] = native_rdmsrq(MSR_ARCH_PERFMON_EVENTSEL0 + slot->counter);
		old->pmc[i] = native_rdmsrq(slot->msr);
	}
	if (c->core->arch)
		memlat_arch_save(c);
	/* Before the CPU has settled, the rest still has memlat's values. */
	if (c->unsettled)
		return;
	if (!c->ldlat_left)
		old->ld_lat = memlat_nhm_ldlat_save(c);
	if (c->core->adaptive)
		old->data_cfg = native_rdmsrq(MEMLAT_MSR_DATA_CFG);
	if (c->core->arch)
		memlat_arch_save_buffer(c);
	else
		old->ds_area = native_rdmsrq(MSR_IA32_DS_AREA);
	old->lvtpc = apic->read(APIC_LVTPC);
	old->freeze = native_rdmsrq(MSR_IA32_DEBUGCTLMSR) & DEBUGCTLMSR_FREEZE_PERFMON_ON_PMI;
}

/*
 * End a freeze. Other drivers of the PMU leave DEBUGCTL's bit 12 set, and the counters frozen by
 * their last PMI. Then no counter counts until both status bits are acknowledged (SDM vol. 3B,
 * "Freezing LBR and Performance Counters on PMI"; version 4 and later). memlat does not need the
 * bit, because its PMI handler stops the counters.
 */
static void memlat_arm_thaw(const struct memlat_cpu *c)
{
	u64 v = native_rdmsrq(MSR_IA32_DEBUGCTLMSR);

	if (v & DEBUGCTLMSR_FREEZE_PERFMON_ON_PMI)
		native_wrmsrq(MSR_IA32_DEBUGCTLMSR, v & ~DEBUGCTLMSR_FREEZE_PERFMON_ON_PMI);
	native_wrmsrq(MSR_CORE_PERF_GLOBAL_OVF_CTRL, c->plan->ours | c->plan->thaw);
}

/* Program the counters. PEBS_ENABLE is 0. */
static void events_start(struct memlat_cpu *c)
{
	const struct memlat_plan *plan = c->plan;
	unsigned int i;

	/* All counters that do not sample now begin at 0. */
	for (i = 0; i < plan->slots; i++) {
		native_wrmsrq(MSR_ARCH_PERFMON_EVENTSEL0 + plan->slot[i].counter, 0);
		native_wrmsrq(plan->slot[i].msr, 0);
	}
	for (i = 0; i < MEMLAT_KINDS; i++)
		if (plan->event[i].on)
			memlat_turn_counter_set(c, i, c->rate[i].period);
	for (i = 0; i < plan->slots; i++)
		native_wrmsrq(MSR_ARCH_PERFMON_EVENTSEL0 + plan->slot[i].counter,
			      c->phase->evtsel[i]);
}

/**
 * memlat_arm - start sampling on this CPU
 * @c: its state, with buffer, counts and shards
 * @wanted: whether the current task is to be sampled
 *
 * Called with interrupts off.
 */
void memlat_arm(struct memlat_cpu *c, bool wanted)
{
	struct memlat_saved *old = &c->saved;
	const struct memlat_core *core = c->core;

	/* The two plans differ only on cores whose threads must use different counters. */
	c->plan = &core->plan[sibling_is_first(c)];
	c->phase = &c->plan->phase[0];
	/* After a suspend perf has yet to write its value. */
	memlat_hold_pause(c);
	memlat_hold_run(c);
	old->global_ctrl = native_rdmsrq(MSR_CORE_PERF_GLOBAL_CTRL);
	memlat_hold_pause(c);
	native_wrmsrq(MSR_CORE_PERF_GLOBAL_CTRL, 0);
	memlat_arm_save(c);
	c->unsettled = false;
	c->ldlat_left = false;

	if (!core->arch)
		native_wrmsrq(MSR_IA32_PEBS_ENABLE, 0);
	memlat_arm_thaw(c);
	if (core->model->quirks & MEMLAT_QUIRK_NHM_ENABLE)
		memlat_nhm_enable();
	c->burst = 0;
	c->burst_records = 0;
	memlat_buffer_setup(c, memlat_hw.call_graph || memlat_hw.stride);
	native_wrmsrq(MSR_PEBS_LD_LAT_THRESHOLD, memlat_hw.ldlat);
	if (core->adaptive)
		native_wrmsrq(MEMLAT_MSR_DATA_CFG, MEMLAT_DATA_CFG);
	events_start(c);
	if (core->model->quirks & MEMLAT_QUIRK_NHM_ENABLE)
		memlat_nhm_enabled(c);
	if (memlat_hw.fixed_mask) {
		native_wrmsrq(MEMLAT_MSR_CYCLES, 0);
		native_wrmsrq(MSR_CORE_PERF_FIXED_CTR_CTRL,
			      (old->fixed_ctrl & ~memlat_hw.fixed_mask) | memlat_hw.fixed);
	}
	if (memlat_hw.beside)
		memlat_beside_arm(c);
	if (memlat_hw.budget)
		memlat_budget_arm(c);
	memlat_turn_arm(c);
	memlat_lvtpc_write(APIC_DM_NMI);
	if (!core->arch)
		native_wrmsrq(MSR_IA32_PEBS_ENABLE, c->phase->pebs_enable);

	c->foreign_msr = 0;
	c->draining = false;
	c->ack_due = false;
	c->wanted = wanted;
	memlat_vfork_parent_of(&c->vfork_parent, current);
	/* A PMI must see all of the above; as it interrupts this CPU, a barrier() is enough. */
	barrier();
	c->armed = true;
	memlat_counters_run_again(c);
}

static bool fixed_are_ours(void)
{
	return (native_rdmsrq(MSR_CORE_PERF_FIXED_CTR_CTRL) & memlat_hw.fixed_mask) ==
	       memlat_hw.fixed;
}

/* The value of GLOBAL_CTRL after disarming. */
static u64 ctrl_after(const struct memlat_cpu *c, u64 ctrl, u64 theirs)
{
	/* The counters stand still because memlat idles, so assume that they all run. */
	if (ctrl == memlat_hw.idle)
		ctrl = c->plan->run | c->saved.global_ctrl;
	return (ctrl & theirs) | (c->saved.global_ctrl & ~theirs);
}

/*
 * Clear memlat's bits of IA32_PEBS_ENABLE. @theirs: counters that have another owner; @ours:
 * records are still written to memlat's buffer.
 */
static void pebs_disable(const struct memlat_cpu *c, u64 theirs, bool ours)
{
	const struct memlat_plan *plan = c->plan;
	const u64 pebs = native_rdmsrq(MSR_IA32_PEBS_ENABLE), mine = c->phase->pebs_enable;
	u64 drop = 0;
	unsigned int i;

	for (i = 0; i < plan->slots; i++)
		if (!(theirs & BIT_ULL(plan->slot[i].counter)))
			drop |= mine & (MEMLAT_PEBS_EN(plan->slot[i].counter) |
					MEMLAT_PEBS_EN_LL(plan->slot[i].counter) |
					MEMLAT_PEBS_EN_STORE);
	/* While records are written to memlat's buffer, no bit is another owner's. */
	if (ours && native_rdmsrq(MSR_IA32_DS_AREA) == (unsigned long)c->ds)
		drop = mine;
	if (!theirs && pebs == mine)
		native_wrmsrq(MSR_IA32_PEBS_ENABLE, c->saved.pebs_enable);
	else if (pebs & drop)
		native_wrmsrq(MSR_IA32_PEBS_ENABLE, pebs & ~drop);
}

/**
 * memlat_disarm - stop sampling on this CPU, and put its registers back
 * @c: its state
 *
 * Called with interrupts off or in NMI, not within a drain. A record or a PMI may still be on its
 * way, so IA32_DS_AREA (IA32_PEBS_BASE) and LVTPC keep memlat's values. memlat_arm_settle() puts
 * them back, and is called before anything is freed. If KVM has lent the PMU to a guest, status
 * and GLOBAL_CTRL are the guest's, and so are counters that do not have memlat's event any more.
 */
void memlat_disarm(struct memlat_cpu *c)
{
	const struct memlat_saved *old = &c->saved;
	const struct memlat_plan *plan = c->plan;
	u64 ctrl, status, theirs = 0;
	bool ours[MEMLAT_SLOTS] = { }, fixed = false, buffer_ours, lent;
	unsigned int i;

	if (!c->armed)
		return;
	lent = memlat_pmu_is_lent();
	ctrl = native_rdmsrq(MSR_CORE_PERF_GLOBAL_CTRL);
	/* After an NMI perf's handler of it enables the counters. */
	if (in_nmi())
		c->draining = true;
	else if (!memlat_drain_begin(c))
		return;
	c->paused = false;
	if (memlat_hw.fixed_mask) {
		fixed = fixed_are_ours();
		if (!fixed)
			theirs |= c->plan->run & (MEMLAT_CTRL_CYCLES | MEMLAT_CTRL_INSTRUCTIONS);
		else
			memlat_turn_disarm(c);
		if (fixed && memlat_hw.budget)
			memlat_budget_disarm(c);
	}
	if (!lent)
		native_wrmsrq(MSR_CORE_PERF_GLOBAL_CTRL, 0);
	/* Clear the event before PEBS_ENABLE, or it would count without PEBS. */
	for (i = 0; i < plan->slots; i++) {
		u32 msr = MSR_ARCH_PERFMON_EVENTSEL0 + plan->slot[i].counter;

		ours[i] = native_rdmsrq(msr) == c->phase->evtsel[i];
		if (!ours[i]) {
			theirs |= BIT_ULL(plan->slot[i].counter);
			continue;
		}
		native_wrmsrq(msr, old->evtsel[i]);
	}
	buffer_ours = memlat_buffer_is_ours(c);

	/* From here on late_pmi() handles PMIs. */
	c->unsettled = true;
	barrier();
	c->armed = false;
	barrier();
	if (!c->core->arch)
		pebs_disable(c, theirs, buffer_ours);
	memlat_pebs_drain(c, NULL);
	if (c->core->arch)
		memlat_arch_disarm(c, ours, fixed || !memlat_hw.fixed_mask);
	memlat_who_now(&c->left, &c->vfork_parent);

	if (memlat_hw.beside)
		memlat_beside_disarm(c, theirs);
	for (i = 0; i < plan->slots; i++)
		if (ours[i])
			native_wrmsrq(plan->slot[i].msr, old->pmc[i]);
	if (fixed) {
		u64 others = native_rdmsrq(MSR_CORE_PERF_FIXED_CTR_CTRL) & ~memlat_hw.fixed_mask;

		native_wrmsrq(MSR_CORE_PERF_FIXED_CTR_CTRL,
			      others | (old->fixed_ctrl & memlat_hw.fixed_mask));
		native_wrmsrq(MEMLAT_MSR_CYCLES, old->cycles);
		if (memlat_hw.beside)
			native_wrmsrq(MEMLAT_MSR_INSTRUCTIONS, old->instructions);
	}
	if (buffer_ours)
		memlat_nhm_ldlat_restore(c);

	/* The cycle counter wraps once a day, so its overflow bit may be set. */
	status = native_rdmsrq(MSR_CORE_PERF_GLOBAL_STATUS) & ~theirs & plan->clear;
	if (status && !lent)
		native_wrmsrq(MSR_CORE_PERF_GLOBAL_OVF_CTRL, status);
	if (!in_nmi())
		memlat_hold_run(c);
	if (!lent)
		native_wrmsrq(MSR_CORE_PERF_GLOBAL_CTRL, ctrl_after(c, ctrl, theirs));
	c->draining = false;
	barrier();
	memlat_drain_ack(c);
}

/**
 * memlat_arm_pause - a guest is about to run on this CPU: stop all counters, and PEBS
 * @c: its state, armed and not paused
 *
 * Called in KVM with interrupts off, not in NMI. Nothing is written from here to
 * memlat_arm_resume(). The counters keep their values and their events. GLOBAL_CTRL stays 0 in the
 * guest, because KVM changes it there only if perf's values for host and guest differ
 * (perf_guest_get_msrs()). Where perf holds the PMU, it stays disabled for perf, so that perf's
 * handler of an NMI before the entry leaves the counters off.
 */
void memlat_arm_pause(struct memlat_cpu *c)
{
	unsigned int records;
	u64 since = 0, status;

	if (memlat_hw.budget)
		since = memlat_cycles();
	if (!memlat_drain_begin(c))
		return;
	memlat_counters_pause();
	records = memlat_pebs_drain(c, NULL);
	memlat_burst_end(c);
	if (!c->core->arch)
		native_wrmsrq(MSR_IA32_PEBS_ENABLE, 0);
	/* A record may have been in flight; KVM gives it no more time when it stops perf's PEBS. */
	records += memlat_pebs_drain(c, NULL);
	memlat_turn_restart_due(c);
	status = native_rdmsrq(MSR_CORE_PERF_GLOBAL_STATUS) & c->plan->ours;
	if (status)
		native_wrmsrq(MSR_CORE_PERF_GLOBAL_OVF_CTRL, status);
	if (memlat_hw.budget)
		memlat_budget_spent(c, since, c->core->model->guest_cycles, records);
	WRITE_ONCE(c->guest.since, ktime_get_mono_fast_ns());
	c->paused = true;
	/* From here on late_pmi() handles PMIs. */
	barrier();
	native_wrmsrq(MSR_CORE_PERF_GLOBAL_CTRL, 0);
	c->draining = false;
	barrier();
	memlat_drain_ack(c);
}

/*
 * On cores with PEBS for guests (x86_pmu.pebs_ept) KVM loads perf's values of these registers at
 * each VM exit, and perf without an event has 0 (intel_guest_get_msrs()). A register that has
 * neither 0 nor memlat's value has another owner, whom the next check finds.
 */
static bool memlat_arm_restore(u32 msr, u64 mine)
{
	const u64 v = native_rdmsrq(msr);

	if (!v)
		native_wrmsrq(msr, mine);
	return !v || v == mine;
}

static bool memlat_arm_restore_buffer(const struct memlat_cpu *c)
{
	return !c->core->adaptive || (memlat_arm_restore(MSR_IA32_DS_AREA, (unsigned long)c->ds) &&
				      memlat_arm_restore(MEMLAT_MSR_DATA_CFG, MEMLAT_DATA_CFG));
}

/**
 * memlat_arm_resume - no guest runs on this CPU any more: undo memlat_arm_pause()
 * @c: its state, armed and paused
 *
 * Called with interrupts off, not in NMI.
 */
void memlat_arm_resume(struct memlat_cpu *c)
{
	/* The kernel may have crashed in an NMI since the caller checked. */
	if (!memlat_drain_begin(c))
		return;
	/* If the buffer has another owner, the next check finds PEBS off, and ends the session. */
	if (!c->core->arch && memlat_arm_restore_buffer(c))
		native_wrmsrq(MSR_IA32_PEBS_ENABLE, c->phase->pebs_enable);
	WRITE_ONCE(c->guest.ns, c->guest.ns + ktime_get_mono_fast_ns() - c->guest.since);
	WRITE_ONCE(c->guest.since, 0);
	c->paused = false;
	barrier();
	c->draining = false;
	memlat_counters_run_again(c);
	memlat_drain_ack(c);
}

/**
 * memlat_arm_abort - end sampling on this CPU at once, and report why
 * @c: its state, armed
 * @end: enum memlat_end
 *
 * Called with interrupts off or in NMI, not within a drain.
 */
void memlat_arm_abort(struct memlat_cpu *c, u32 end)
{
	memlat_disarm(c);
	memlat_hw.trouble(end);
}

static void memlat_settle_here(void *unused)
{
	struct memlat_cpu *c = this_cpu_ptr(memlat_cpu);

	if (c->ldlat_left)
		memlat_nhm_ldlat_restore(c);
	if (!c->unsettled)
		return;
	memlat_pebs_drain_of(c, &c->left);
	/* Put PEBS_DATA_CFG back only now, because late records had its layout. */
	if (c->core->arch) {
		memlat_arch_settle(c);
	} else if (memlat_ds_is_ours(c)) {
		/* A record that was on its way during a drain may be anywhere. */
		memlat_ds_forget(c, c->max);
		if (native_rdmsrq(MSR_IA32_DS_AREA) == (unsigned long)c->ds)
			native_wrmsrq(MSR_IA32_DS_AREA, c->saved.ds_area);
		if (c->core->adaptive && native_rdmsrq(MEMLAT_MSR_DATA_CFG) == MEMLAT_DATA_CFG)
			native_wrmsrq(MEMLAT_MSR_DATA_CFG, c->saved.data_cfg);
		memlat_ds_clear(c);
	}
	/* Not in memlat_disarm(): in an NMI, it could interrupt the kernel's change of DEBUGCTL. */
	if (c->saved.freeze)
		native_wrmsrq(MSR_IA32_DEBUGCTLMSR,
			      native_rdmsrq(MSR_IA32_DEBUGCTLMSR) | c->saved.freeze);
	c->unsettled = false;
	barrier();
	memlat_lvtpc_write(c->saved.lvtpc);
}

/**
 * memlat_arm_settle_cpu - wait until this CPU, which is disarmed, is quiet
 *
 * Then no record is written any more, and the last registers are put back. Sleeps; the caller is
 * bound to the CPU.
 */
void memlat_arm_settle_cpu(void)
{
	unsigned long flags;

	if (!this_cpu_read(memlat_cpu->unsettled))
		return;
	usleep_range(QUIET_US, 2 * QUIET_US);
	local_irq_save(flags);
	memlat_settle_here(NULL);
	local_irq_restore(flags);
}

/**
 * memlat_arm_settle - wait until all disarmed CPUs are quiet
 *
 * Then no record is written any more, and the buffers may be freed. Sleeps.
 */
void memlat_arm_settle(void)
{
	bool any = false;
	int cpu;

	for_each_possible_cpu(cpu) {
		const struct memlat_cpu *c = per_cpu_ptr(memlat_cpu, cpu);

		any |= READ_ONCE(c->unsettled) || READ_ONCE(c->ldlat_left);
	}
	if (!any)
		return;
	usleep_range(QUIET_US, 2 * QUIET_US);
	on_each_cpu(memlat_settle_here, NULL, 1);
}
