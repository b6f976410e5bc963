// SPDX-License-Identifier: GPL-2.0
/*
 * Owning the PMU, or saying who does.
 *
 * Linux has one way to share counters between drivers: the reservations of
 * arch/x86/kernel/cpu/perfctr-watchdog.c. perf takes all of them with its first
 * hardware event (the NMI watchdog is such an event) and gives them back with
 * its last. Where perf writes counters at full width it reserves their other
 * addresses, which are not managed, so the event selects are what collides. With
 * perfmon version 6 it reserves those under other addresses too, and nothing
 * collides: then the registers have to tell (here, and guard.c while memlat runs).
 */
#include <linux/atomic.h>
#include <linux/cpu.h>
#include <linux/errno.h>
#include <linux/printk.h>
#include <linux/smp.h>
#include <uapi/linux/memlat.h>
#include <asm/nmi.h>
#include <asm/special_insns.h>

#include "ds.h"
#include "hw.h"
#include "pmu_own.h"

/* Of the kind of core that has most; a hybrid part's others have fewer. */
static unsigned int nr_counters;

/* What all CPUs together show. */
struct survey {
	bool vmx;
	bool ds;
	atomic_t cycles;	/* CPUs that count cycles, as the NMI watchdog does */
	bool others;		/* anything else counts, somewhere */
};

static void look(void *data)
{
	const struct memlat_core *core = this_cpu_read(memlat_cpu.core);
	struct survey *s = data;
	u64 ctrl = native_rdmsrq(MSR_CORE_PERF_GLOBAL_CTRL);
	u64 fixed = native_rdmsrq(MSR_CORE_PERF_FIXED_CTR_CTRL);
	bool cycles = fixed & MEMLAT_FIXED_CYCLES;
	unsigned int i;

	if (native_read_cr4() & X86_CR4_VMXE)
		WRITE_ONCE(s->vmx, true);
	/*
	 * IA32_DS_AREA alone says nothing: perf's release_ds_buffers() forgets
	 * its area before fini_debug_store_on_cpu() looks for it, so the
	 * register keeps its last value. In use is what writes there.
	 */
	if (native_rdmsrq(MSR_IA32_PEBS_ENABLE) ||
	    (native_rdmsrq(MSR_IA32_DEBUGCTLMSR) & (DEBUGCTLMSR_TR | DEBUGCTLMSR_BTS)))
		WRITE_ONCE(s->ds, true);

	if (fixed & ~MEMLAT_FIXED_CYCLES)
		WRITE_ONCE(s->others, true);
	for (i = 0; i < (core ? core->caps.counters : 0); i++) {
		u64 sel = native_rdmsrq(MSR_ARCH_PERFMON_EVENTSEL0 + i);

		if (!(sel & MEMLAT_EVTSEL_EN) || !(ctrl & BIT_ULL(i)))
			continue;
		if ((sel & 0xffff) == MEMLAT_SELECT_CYCLES)
			cycles = true;
		else
			WRITE_ONCE(s->others, true);
	}
	if (cycles)
		atomic_inc(&s->cycles);
}

static int refuse(u32 *why, u32 reason, const char *what)
{
	pr_info("start refused: %s\n", what);
	*why = reason;
	return -EBUSY;
}

static int refuse_counters(u32 *why, const struct survey *s)
{
	/* The watchdog is on every CPU; perf's events of a task are not. */
	if (atomic_read(&s->cycles) == num_online_cpus() && !s->others)
		return refuse(why, MEMLAT_WHY_WATCHDOG,
			      "the PMU is taken, and every CPU counts cycles and nothing else, as the NMI watchdog does: 'sysctl kernel.nmi_watchdog=0' releases it (else look for a perf that counts on all CPUs)");
	return refuse(why, MEMLAT_WHY_PERF,
		      "the PMU's counters are taken by perf or another driver: end its events (with the NMI watchdog on, 'sysctl kernel.nmi_watchdog=0' too)");
}

/* PEBS writes at our linear address through the page tables of whoever runs, a guest's too. */
static int refuse_guests(u32 *why, const char *guests)
{
	pr_info("start refused: CR4.VMXE is set, and PEBS would write into a guest: %s. End what runs them, or state that no guest runs (memlat-ctl start --no-guests)\n",
		guests);
	*why = MEMLAT_WHY_VMX;
	return -EBUSY;
}

static void release(unsigned int count)
{
	while (count--) {
		release_evntsel_nmi(MSR_ARCH_PERFMON_EVENTSEL0 + count);
		release_perfctr_nmi(MSR_ARCH_PERFMON_PERFCTR0 + count);
	}
}

static int reserve(void)
{
	unsigned int i;

	for (i = 0; i < nr_counters; i++) {
		if (!reserve_perfctr_nmi(MSR_ARCH_PERFMON_PERFCTR0 + i))
			break;
		if (!reserve_evntsel_nmi(MSR_ARCH_PERFMON_EVENTSEL0 + i)) {
			release_perfctr_nmi(MSR_ARCH_PERFMON_PERFCTR0 + i);
			break;
		}
	}
	if (i == nr_counters)
		return 0;
	release(i);
	return -EBUSY;
}

/**
 * memlat_pmu_own_init - how many counters there are to own
 * @counters: general counters
 */
void memlat_pmu_own_init(unsigned int counters)
{
	nr_counters = counters;
}

/**
 * memlat_pmu_own - become the PMU's only user
 * @guests: what CR4.VMXE may mean, if it is set; NULL: nothing
 * @no_guests: the caller states that no VM guest runs
 * @vmx: set to whether it is
 * @why: set to an enum memlat_why when refused
 *
 * Return: 0 or -EBUSY; then the log says who is in the way and what to do.
 */
int memlat_pmu_own(const char *guests, bool no_guests, bool *vmx, u32 *why)
{
	struct survey s = { .cycles = ATOMIC_INIT(0) };
	int ret = reserve();

	cpus_read_lock();
	on_each_cpu(look, &s, 1);
	cpus_read_unlock();

	if (ret)
		return refuse_counters(why, &s);

	/*
	 * Reserved, and yet somebody counts who does not ask: leave it alone. On
	 * perfmon version 6 that is perf, whose event may belong to a task that
	 * does not run just now: then its buffers give it away.
	 */
	if (atomic_read(&s.cycles) || s.others || memlat_ds_is_taken())
		ret = refuse_counters(why, &s);
	else if (s.ds)
		ret = refuse(why, MEMLAT_WHY_DS,
			     "IA32_PEBS_ENABLE or BTS is on without a reservation: another driver uses the DS area, unload it");
	else if (s.vmx && guests && !no_guests)
		ret = refuse_guests(why, guests);
	*vmx = s.vmx;
	if (ret)
		release(nr_counters);
	else if (s.vmx && guests)
		pr_notice("CR4.VMXE is set (%s), and the caller states that no guest runs: sampling all the same\n",
			  guests);
	return ret;
}

/**
 * memlat_pmu_disown - let others use the PMU again
 */
void memlat_pmu_disown(void)
{
	release(nr_counters);
}
