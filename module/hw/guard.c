// SPDX-License-Identifier: GPL-2.0
/*
 * Check that the PMU is still memlat's and that sampling is still allowed: compare the registers
 * with what memlat wrote.
 *
 * Where perf holds the PMU for memlat (pmu_own.c), it writes GLOBAL_CTRL too, but no other register
 * that memlat uses.
 */
#include <linux/cpumask.h>
#include <linux/hardirq.h>
#include <linux/percpu.h>
#include <asm/special_insns.h>

#include "buffer.h"
#include "count.h"
#include "hw.h"

static void note_foreign(struct memlat_cpu *c, u32 msr, u64 v)
{
	/*
	 * If a PMI has disarmed this CPU since the check began, it has noted what it found, and
	 * registers differ because it has put them back.
	 */
	if (unlikely(READ_ONCE(c->unsettled)))
		return;
	c->foreign = v;
	c->foreign_msr = msr;
}

/**
 * memlat_guard_differs - check whether someone else wrote a register
 * @c: this CPU's state
 * @msr: the register
 * @mask: the bits that are memlat's
 * @want: what memlat wrote there
 *
 * If so, note the register and its value for memlat_guard_found().
 */
bool memlat_guard_differs(struct memlat_cpu *c, u32 msr, u64 mask, u64 want)
{
	u64 v = native_rdmsrq(msr);

	if (likely((v & mask) == want))
		return false;
	note_foreign(c, msr, v);
	return true;
}

/**
 * memlat_guard_setup - forget the registers that were noted in the last session
 *
 * Called while no CPU is armed.
 */
void memlat_guard_setup(void)
{
	int cpu;

	for_each_possible_cpu(cpu)
		per_cpu_ptr(memlat_cpu, cpu)->foreign_msr = 0;
}

/**
 * memlat_guard_found - the register that someone else wrote
 * @cpu: set to the CPU
 * @msr: set to the register
 * @value: set to its value
 *
 * Called after a session has ended with MEMLAT_END_TAKEOVER.
 *
 * Return: true if the register is known.
 */
bool memlat_guard_found(unsigned int *cpu, u32 *msr, u64 *value)
{
	int i;

	for_each_possible_cpu(i) {
		const struct memlat_cpu *c = per_cpu_ptr(memlat_cpu, i);

		if (!c->foreign_msr)
			continue;
		*cpu = i;
		*msr = c->foreign_msr;
		*value = c->foreign;
		return true;
	}
	return false;
}

static u64 fixed_ctrl_want(const struct memlat_cpu *c)
{
	return (c->saved.fixed_ctrl & ~memlat_hw.fixed_mask) | memlat_hw.fixed;
}

/*
 * Has GLOBAL_CTRL a value that neither memlat has written nor, where it holds the PMU, perf? An NMI
 * may arrive while perf has disabled all counters.
 */
static bool ctrl_is_foreign(struct memlat_cpu *c, u64 ctrl, u64 ours)
{
	if (likely(ctrl == ours) || (c->hold && (!ctrl || ctrl == c->saved.global_ctrl)))
		return false;
	note_foreign(c, MSR_CORE_PERF_GLOBAL_CTRL, ctrl);
	return true;
}

static bool buffer_is_foreign(struct memlat_cpu *c)
{
	if (c->core->arch)
		return memlat_arch_is_foreign(c);
	return memlat_guard_differs(c, MSR_IA32_PEBS_ENABLE, ~0ULL, c->phase->pebs_enable) ||
	       memlat_guard_differs(c, MSR_IA32_DS_AREA, ~0ULL, (unsigned long)c->ds);
}

static bool registers_are_foreign(struct memlat_cpu *c)
{
	const struct memlat_phase *phase = c->phase;
	const struct memlat_plan *plan = c->plan;
	unsigned int i;

	if (buffer_is_foreign(c) ||
	    memlat_guard_differs(c, MSR_PEBS_LD_LAT_THRESHOLD, ~0ULL, memlat_hw.ldlat))
		return true;
	for (i = 0; i < plan->slots; i++)
		if (memlat_guard_differs(c, MSR_ARCH_PERFMON_EVENTSEL0 + plan->slot[i].counter,
					 ~0ULL, phase->evtsel[i]))
			return true;
	if (c->core->adaptive &&
	    memlat_guard_differs(c, MEMLAT_MSR_DATA_CFG, ~0ULL, MEMLAT_DATA_CFG))
		return true;
	if (c->hold)
		return memlat_guard_differs(c, MSR_CORE_PERF_FIXED_CTR_CTRL, ~0ULL,
					    fixed_ctrl_want(c));
	return memlat_hw.fixed_mask && memlat_guard_differs(c, MSR_CORE_PERF_FIXED_CTR_CTRL,
							    memlat_hw.fixed_mask, memlat_hw.fixed);
}

/**
 * memlat_guard_trouble - check whether sampling has to end on this CPU
 * @c: its state, armed
 * @ctrl: GLOBAL_CTRL before memlat stopped the counters; used only if perf holds the PMU
 *
 * Called with interrupts off or in NMI. It reads half a dozen registers, which costs little
 * compared with draining a full buffer, but as much as one record. So if each record has its own
 * PMI (call graphs), an NMI makes only the cheapest checks, and memlat_pmu_check() makes the rest.
 *
 * Return: an enum memlat_end, or 0.
 */
u32 memlat_guard_trouble(struct memlat_cpu *c, u64 ctrl)
{
	if (READ_ONCE(memlat_hw.vmx_watch) && (native_read_cr4() & X86_CR4_VMXE))
		return MEMLAT_END_VMX;
	if (c->hold && unlikely(ctrl_is_foreign(c, ctrl, memlat_ctrl(c))))
		return MEMLAT_END_TAKEOVER;
	if (c->core->arch && unlikely(memlat_guard_differs(c, MEMLAT_MSR_PEBS_INDEX,
							   MEMLAT_INDEX_SETUP, c->index)))
		return MEMLAT_END_TAKEOVER;
	if (memlat_hw.call_graph && in_nmi())
		return 0;
	return registers_are_foreign(c) ? MEMLAT_END_TAKEOVER : 0;
}

/* Is LVTPC masked or changed for good? If a PMI was just delivered, its NMI unmasks it soon. */
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

/* Does a counter run that memlat owns but does not use, and that did not run before? */
static bool others_count(struct memlat_cpu *c)
{
	unsigned int i;

	for (i = 0; i < c->core->caps.counters; i++)
		if (!((c->plan->used | c->saved.enabled) & BIT_ULL(i)) &&
		    memlat_guard_differs(c, MSR_ARCH_PERFMON_EVENTSEL0 + i, MEMLAT_EVTSEL_EN, 0))
			return true;
	return false;
}

/**
 * memlat_guard_trouble_all - as memlat_guard_trouble(), and check what memlat does not use
 * @c: this CPU's state, armed
 *
 * Called with interrupts off, not in NMI. A PMI meanwhile may make what is read be of before and
 * after it.
 *
 * Return: an enum memlat_end, or 0.
 */
u32 memlat_guard_trouble_all(struct memlat_cpu *c)
{
	u32 trouble = memlat_guard_trouble(c, native_rdmsrq(MSR_CORE_PERF_GLOBAL_CTRL));

	/* An NMI in the middle of a drain has noted a register, and could not disarm the CPU. */
	if (!trouble &&
	    (c->foreign_msr ||
	     ctrl_is_foreign(c, native_rdmsrq(MSR_CORE_PERF_GLOBAL_CTRL), memlat_ctrl(c)) ||
	     others_count(c) || lvtpc_is_lost()))
		trouble = MEMLAT_END_TAKEOVER;
	return trouble;
}

/**
 * memlat_guard_count_differs - check whether someone else wrote the registers of counting
 * @c: this CPU's state
 * @n: its state of counting, which is on
 *
 * Called with interrupts off. If so, note the register for memlat_guard_found().
 */
bool memlat_guard_count_differs(struct memlat_cpu *c, const struct memlat_count_cpu *n)
{
	const struct memlat_count_group *group = &n->plan->group[n->group];
	u64 fixed = c->hold ? ~0ULL : MEMLAT_FIXED_BOTH;
	unsigned int i;

	if (ctrl_is_foreign(c, native_rdmsrq(MSR_CORE_PERF_GLOBAL_CTRL), memlat_count_ctrl(n)) ||
	    memlat_guard_differs(c, MSR_CORE_PERF_FIXED_CTR_CTRL, fixed,
				 memlat_count_fixed(n) & fixed))
		return true;
	for (i = 0; i < c->core->caps.counters; i++) {
		const bool ours = i < MEMLAT_COUNT_SLOTS && (n->plan->used & BIT(i));

		if (!ours && (n->saved.enabled & BIT_ULL(i)))
			continue;
		if (memlat_guard_differs(c, MSR_ARCH_PERFMON_EVENTSEL0 + i,
					 ours ? ~0ULL : MEMLAT_EVTSEL_EN,
					 ours ? group->evtsel[i] : 0))
			return true;
	}
	return false;
}
