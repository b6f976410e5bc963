// SPDX-License-Identifier: GPL-2.0
/*
 * Reserve the PMU, or report its owner.
 *
 * Linux has one way to share counters between drivers: the reservations of
 * arch/x86/kernel/cpu/perfctr-watchdog.c. perf takes all of them with its first hardware event
 * (the NMI watchdog is such an event) and releases them with its last. If perf writes counters at
 * full width, it reserves them under addresses that the reservations do not manage, so only the
 * event selects collide. With perfmon version 6 perf reserves the selects under other addresses
 * too, and nothing collides. There the registers show who uses the PMU when a session starts, and
 * then perf holds the PMU for memlat, see below.
 */
#include <linux/atomic.h>
#include <linux/cpu.h>
#include <linux/cpumask.h>
#include <linux/err.h>
#include <linux/errno.h>
#include <linux/percpu.h>
#include <linux/printk.h>
#include <linux/smp.h>
#include <uapi/linux/memlat.h>
#include <asm/nmi.h>
#include <asm/special_insns.h>

#include "buffer.h"
#include "hw.h"

/* The most counters that any kind of core has here. */
static unsigned int nr_counters;

/* What all CPUs together show. */
struct survey {
	bool vmx;
	bool ds;
	atomic_t cycles;	/* CPUs that count cycles, as the NMI watchdog does */
	bool others;		/* anything else counts, somewhere */
	bool general;		/* a general counter counts, somewhere */
	atomic64_t fixed;	/* IA32_FIXED_CTR_CTRL of the CPU that looked first */
	bool mixed;		/* it is not the same on all */
};

#define FIXED_UNKNOWN	(-1LL)

/* The bits of IA32_FIXED_CTR_CTRL that make an overflow interrupt. */
#define FIXED_PMIS	0x8888888888888888ULL

/*
 * Some firmware leaves fixed counters on when it boots the kernel (HP Gen8 and Gen9:
 * IA32_FIXED_CTR_CTRL is 0x330). Linux logs that ("the BIOS has corrupted hw-PMU resources",
 * check_hw_exists()) and continues. So does memlat, if no driver has reserved the counters and they
 * look like firmware's: only fixed counters run, none of them interrupts, and all CPUs have the
 * same value. They stand still while memlat runs, and are put back.
 */
static bool is_firmware(const struct survey *s)
{
	const u64 fixed = atomic64_read(&s->fixed);

	return fixed && !s->mixed && !s->general && !(fixed & FIXED_PMIS);
}

static void memlat_survey_here(void *data)
{
	const struct memlat_core *core = this_cpu_read(memlat_cpu->core);
	struct survey *s = data;
	u64 ctrl = native_rdmsrq(MSR_CORE_PERF_GLOBAL_CTRL);
	u64 fixed = native_rdmsrq(MSR_CORE_PERF_FIXED_CTR_CTRL);
	bool cycles = fixed & MEMLAT_FIXED_CYCLES;
	s64 first = atomic64_cmpxchg(&s->fixed, FIXED_UNKNOWN, fixed);
	unsigned int i;

	if (first != FIXED_UNKNOWN && first != fixed)
		WRITE_ONCE(s->mixed, true);

	if (native_read_cr4() & X86_CR4_VMXE)
		WRITE_ONCE(s->vmx, true);
	/*
	 * IA32_DS_AREA alone does not show that the area is in use: perf's
	 * release_ds_buffers() forgets its area before fini_debug_store_on_cpu() looks for it, so
	 * the register keeps its last value. Look for what writes to the area instead.
	 */
	if ((!(core && core->arch) && native_rdmsrq(MSR_IA32_PEBS_ENABLE)) ||
	    (native_rdmsrq(MSR_IA32_DEBUGCTLMSR) & (DEBUGCTLMSR_TR | DEBUGCTLMSR_BTS)))
		WRITE_ONCE(s->ds, true);

	if (fixed & ~MEMLAT_FIXED_CYCLES)
		WRITE_ONCE(s->others, true);
	for (i = 0; i < (core ? core->caps.counters : 0); i++) {
		u64 sel = native_rdmsrq(MSR_ARCH_PERFMON_EVENTSEL0 + i);

		if (!(sel & MEMLAT_EVTSEL_EN) || !(ctrl & BIT_ULL(i)))
			continue;
		WRITE_ONCE(s->general, true);
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
	pr_info_ratelimited("start refused: %s\n", what);
	*why = reason;
	return -EBUSY;
}

static int memlat_refuse_counters(u32 *why, const struct survey *s)
{
	/* The watchdog counts cycles on every CPU; perf's events of a task do not. */
	if (atomic_read(&s->cycles) == num_online_cpus() && !s->others)
		return refuse(why, MEMLAT_WHY_WATCHDOG,
			      "the PMU is taken, and every CPU counts cycles and nothing else, as the NMI watchdog does: 'sysctl kernel.nmi_watchdog=0' releases it (if the watchdog is off already, look for a perf that counts on all CPUs)");
	return refuse(why, MEMLAT_WHY_PERF,
		      "the PMU's counters are taken by perf or another driver: end its events (with the NMI watchdog on, 'sysctl kernel.nmi_watchdog=0' too)");
}

/* memlat has the reservations, and perf has no buffer, so neither perf nor its watchdog counts. */
static int refuse_unowned(u32 *why, const struct survey *s)
{
	pr_info_ratelimited("start refused: counters run that nobody has reserved (IA32_FIXED_CTR_CTRL 0x%llx%s%s): a driver or a tool uses them without reserving them, or the previous kernel left them on (kexec). End that driver or tool; if there is none, write 0 to MSRs 0x38d and 0x38f ('wrmsr -a 0x38d 0; wrmsr -a 0x38f 0')\n",
			    (u64)atomic64_read(&s->fixed),
			    s->mixed ? ", other values on other CPUs" : "",
			    s->general ? ", general counters too" : "");
	*why = MEMLAT_WHY_UNOWNED;
	return -EBUSY;
}

/* PEBS writes at a linear address through the page tables in use, which may be a guest's. */
static int refuse_guests(u32 *why, const char *guests)
{
	pr_info_ratelimited("start refused: CR4.VMXE is set, and PEBS would write into a guest's memory: %s. Unload that hypervisor, or state that it runs no guest (memlat-ctl start --no-guests)\n",
			    guests);
	*why = MEMLAT_WHY_VMX;
	return -EBUSY;
}

/*
 * Where a reservation keeps no driver out, each CPU gets a counter of perf's, for as long as a
 * session runs. It is pinned, so perf schedules it before all events that are not, and exclusive,
 * so perf schedules no other event of the CPU's PMU beside it. Others can open events, but these
 * count nothing, and perf says so ("not counted"). And while there is any event, perf's buffers
 * stay mapped: perf maps them with its first event, and unmaps them with its last one.
 *
 * The counter is fixed counter 2 (reference cycles), which memlat does not use. What it counts
 * means nothing, because it runs only while perf's value of GLOBAL_CTRL is in force.
 *
 * Perf still writes these registers (nmi-safety.rst, "Where perf holds the PMU for memlat"):
 *
 * - GLOBAL_CTRL: 0, and then all counters, whenever it looks at its events: at a switch to or from
 *   a task that has some, in its timer that rotates them, and when one is opened, enabled or
 *   closed. So counters that memlat does not use must have no event, and memlat accepts perf's
 *   value.
 * - GLOBAL_CTRL and LVTPC in each NMI, in a handler that runs after memlat's. So memlat's handler
 *   leaves the counters off and LVTPC masked, and perf's one continues from there. A drain outside
 *   of NMIs must not be interrupted by that: memlat_hold_pause().
 */

/**
 * memlat_hold_release - release a CPU's event of perf's, if there is one
 * @cpu: the CPU, disarmed; it may be offline
 *
 * May sleep.
 */
void memlat_hold_release(unsigned int cpu)
{
	struct memlat_cpu *c = per_cpu_ptr(memlat_cpu, cpu);
	struct perf_event *event = c->hold;

	c->hold = NULL;
	if (event)
		perf_event_release_kernel(event);
}

/**
 * memlat_hold_cpu - make a CPU's counter of perf's, and check that it counts
 * @cpu: the CPU, online and disarmed
 *
 * Does nothing where the PMU is reserved, nor where perf does not drive it. Keeps a counter that
 * counts. If the CPU was offline meanwhile, its counter does not count any more, and is replaced.
 * May sleep.
 *
 * Return: 0; -EBUSY if another pinned event has precedence; an error of perf's.
 */
int memlat_hold_cpu(unsigned int cpu)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_HARDWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_HW_REF_CPU_CYCLES,
		.pinned = 1,
		.exclusive = 1,
	};
	struct memlat_cpu *c = per_cpu_ptr(memlat_cpu, cpu);
	struct perf_event *event = c->hold;

	if (!memlat_cores[0].held)
		return 0;
	if (event && READ_ONCE(event->state) == PERF_EVENT_STATE_ACTIVE)
		return 0;
	memlat_hold_release(cpu);
	event = perf_event_create_kernel_counter(&attr, cpu, NULL, NULL, NULL);
	if (IS_ERR(event))
		return PTR_ERR(event) == -ENOENT ? 0 : PTR_ERR(event);
	c->hold = event;
	if (READ_ONCE(event->state) == PERF_EVENT_STATE_ACTIVE)
		return 0;
	memlat_hold_release(cpu);
	return -EBUSY;
}

/**
 * memlat_hold_online - make a counter of perf's on each CPU that is online
 *
 * The caller keeps CPUs from coming and going. May sleep.
 *
 * Return: as memlat_hold_cpu(). On an error some CPUs may have a counter.
 */
int memlat_hold_online(void)
{
	unsigned int cpu;
	int ret;

	for_each_online_cpu(cpu) {
		ret = memlat_hold_cpu(cpu);
		if (ret)
			return ret;
	}
	return 0;
}

/**
 * memlat_hold_release_all - release all events of perf's; no CPU is armed. May sleep.
 */
void memlat_hold_release_all(void)
{
	unsigned int cpu;

	for_each_possible_cpu(cpu)
		memlat_hold_release(cpu);
}

static void release(unsigned int count)
{
	if (memlat_cores[0].held) {
		memlat_hold_release_all();
		return;
	}
	while (count--) {
		release_evntsel_nmi(MSR_ARCH_PERFMON_EVENTSEL0 + count);
		release_perfctr_nmi(MSR_ARCH_PERFMON_PERFCTR0 + count);
	}
}

static int reserve(void)
{
	unsigned int i;

	/*
	 * A kernel that does not know version 6 reserves these registers for the event that holds.
	 */
	if (memlat_cores[0].held)
		return 0;
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

/*
 * Let perf hold the PMU. A program that has opened an event after the caller looked for it loses
 * it: it counts nothing while the session runs.
 */
static int hold(u32 *why)
{
	int ret;

	cpus_read_lock();
	ret = memlat_hold_online();
	cpus_read_unlock();
	switch (ret) {
	case 0:
		return 0;
	case -EOPNOTSUPP:
		return refuse(why, MEMLAT_WHY_VMX,
			      "a guest has the PMU (KVM's enable_mediated_pmu): end the guests that have one");
	case -EBUSY:
		return refuse(why, MEMLAT_WHY_PERF,
			      "perf has a pinned event on a CPU, which comes before memlat's: end it");
	default:
		pr_info_ratelimited("start refused: perf makes no counter that holds the PMU: error %d\n",
				    ret);
		*why = MEMLAT_WHY_PERF;
		return ret;
	}
}

/**
 * memlat_pmu_reserve_init - set how many counters there are to own
 * @counters: number of general counters
 */
void memlat_pmu_reserve_init(unsigned int counters)
{
	nr_counters = counters;
}

/**
 * memlat_pmu_reserve - become the PMU's only user
 * @guests: why guests may run if CR4.VMXE is set; NULL: none can run unseen
 * @no_guests: the caller states that no VM guest runs
 * @vmx: set to whether CR4.VMXE is set on any CPU
 * @why: set to an enum memlat_why when refused
 *
 * Return: 0 or -EBUSY; then the log says who is in the way and what to do.
 */
int memlat_pmu_reserve(const char *guests, bool no_guests, bool *vmx, u32 *why)
{
	struct survey s = { .fixed = ATOMIC64_INIT(FIXED_UNKNOWN) };
	bool counts;
	int ret = reserve();

	cpus_read_lock();
	on_each_cpu(memlat_survey_here, &s, 1);
	cpus_read_unlock();

	if (ret)
		return memlat_refuse_counters(why, &s);

	/*
	 * On perfmon version 6 no driver has reserved anything, and perf's event may belong to a
	 * task that does not run now. But perf maps its buffers with its first hardware event,
	 * before that counts (reserve_ds_buffers()), so look for these. With architectural PEBS
	 * perf has no such buffers; then take a running counter for perf's. An event of a task that
	 * sleeps goes unnoticed there, and counts nothing while the session runs.
	 */
	counts = atomic_read(&s.cycles) || s.others;
	if (memlat_ds_is_taken() || (memlat_cores[0].arch && counts && !is_firmware(&s)))
		ret = memlat_refuse_counters(why, &s);
	else if (counts && !is_firmware(&s))
		ret = refuse_unowned(why, &s);
	else if (s.ds)
		ret = refuse(why, MEMLAT_WHY_DS,
			     "IA32_PEBS_ENABLE or BTS is on, but nobody has reserved the PMU: another driver uses the DS area; unload it");
	else if (s.vmx && guests && !no_guests)
		ret = refuse_guests(why, guests);
	*vmx = s.vmx;
	if (!ret)
		ret = hold(why);
	if (ret) {
		release(nr_counters);
		return ret;
	}
	if (counts)
		pr_notice_ratelimited("firmware left fixed counters on (IA32_FIXED_CTR_CTRL 0x%llx on each CPU, reserved by nobody, and none interrupts): memlat uses them, and puts them back when it stops\n",
				      (u64)atomic64_read(&s.fixed));
	if (s.vmx && guests)
		pr_notice_ratelimited("CR4.VMXE is set (%s), but the caller states that no guest runs: sampling anyway\n",
				      guests);
	return 0;
}

/**
 * memlat_pmu_release - let others use the PMU again
 */
void memlat_pmu_release(void)
{
	release(nr_counters);
}
