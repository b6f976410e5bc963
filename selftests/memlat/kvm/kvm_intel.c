// SPDX-License-Identifier: GPL-2.0
/*
 * Replaces kvm-intel.ko: /dev/kvm, whose open files count as users of this module.
 *
 * A read "enters a guest" as vmx_vcpu_run() does, with interrupts off: it passes kvm_entry, and
 * returns PEBS_ENABLE before and after it, and then GLOBAL_CTRL and what counter 0 has counted.
 *
 * A write of a number enters and leaves a guest so many times, 5000 times a second, and does the
 * same work in the host before each entry. The guest works, too. The emulator is told when it runs.
 * Some entries fail, so kvm_exit is not passed, and some guests are interrupted by an NMI. A write
 * of a negative number does the host's work alone.
 */
#include <linux/atomic.h>
#include <linux/delay.h>
#include <linux/fs.h>
#include <linux/kernel.h>
#include <linux/miscdevice.h>
#include <linux/module.h>
#include <linux/percpu.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/smp.h>
#include <linux/vmalloc.h>
#include <asm/apic.h>
#include <asm/irq_vectors.h>
#include <asm/msr.h>
#include <asm/perf_event.h>

#include "kvm_trace.h"

#define PEBS_ENABLE	0x3f1
#define DS_AREA		0x600
#define DATA_CFG	0x3f2
#define PERF_CAPS	0x345
#define PEBS_BASELINE	(1 << 14)
#define ARCH_PEBS	(3 << 4)	/* sub-leaves of CPUID.23H */
#define GLOBAL_CTRL	0x38f
#define EVTSEL0		0x186
#define PMC0		0xc1
#define GUESTS_EVENT	0x004300c0	/* what a guest counts: instructions in any mode */

/* perf may have left an event in the register that does not count any more. */
static DEFINE_PER_CPU(u64, host_ctrl);
static DEFINE_PER_CPU(u64, host_evtsel0);
static DEFINE_PER_CPU(u64, host_pmc0);

/* The emulator's call: VP_MAGIC_LEAF and VP_CALL_GUEST of selftests/vpebs/magic.h. */
#define MAGIC_LEAF	0x4d4c4154
#define CALL_GUEST	18

/* What the host and the guest work on between two switches, and how much. */
#define WORK_BYTES	(16 << 20)
#define WORK_LOADS	40
#define PAIR_US		200
/* Every so many entries fail, and so many guests are interrupted by an NMI. */
#define FAILS		31
#define NMIS		211

static u64 *work;

static u64 msr(u32 index)
{
	u32 low, high;

	rdmsr(index, low, high);
	return (u64)high << 32 | low;
}

static void msr_set(u32 index, u64 value)
{
	wrmsr(index, (u32)value, (u32)(value >> 32));
}

static u32 cpuid_of(u32 leaf, u32 rbx, u32 rcx)
{
	u32 eax = leaf, ebx = rbx, ecx = rcx, edx = 0;

	asm volatile("cpuid" : "+a" (eax), "+b" (ebx), "+c" (ecx), "+d" (edx) : : "memory");
	return eax;
}

static u32 perfmon_version(void)
{
	return cpuid_of(10, 0, 0) & 0xff;
}

/* Is PEBS on? With architectural PEBS there is no PEBS_ENABLE, and records come while counters run. */
static u64 pebs_state(void)
{
	const bool arch = perfmon_version() >= 6 && cpuid_of(0, 0, 0) >= 0x23 &&
			  (cpuid_of(0x23, 0, 0) & ARCH_PEBS);

	return msr(arch ? GLOBAL_CTRL : PEBS_ENABLE);
}

#ifdef CONFIG_PERF_GUEST_MEDIATED_PMU
/*
 * A KVM that lends the PMU (7.0 and later), as kvm_mediated_pmu_load() and kvm_mediated_pmu_put() do
 * it. With @nmis another NMI comes after each step.
 */
static bool mediated, nmis;
module_param(mediated, bool, 0644);
module_param(nmis, bool, 0644);

static void nmi_comes(int cpu)
{
	unsigned int i;

	if (!nmis)
		return;
	apic->send_IPI(cpu, NMI_VECTOR);
	for (i = 0; i < 1000; i++)
		cpu_relax();
}

static void lend(int cpu)
{
	if (!mediated)
		return;
	msr_set(GLOBAL_CTRL, 0);
	nmi_comes(cpu);
	apic->write(APIC_LVTPC, APIC_DM_FIXED | PERF_GUEST_MEDIATED_PMI_VECTOR | APIC_LVT_MASKED);
	nmi_comes(cpu);
	msr_set(EVTSEL0, GUESTS_EVENT);
	msr_set(PMC0, 0);
	nmi_comes(cpu);
}

/* After the guest, the former owner has the PMU again. */
static void take_back(void)
{
	if (!mediated)
		return;
	msr_set(EVTSEL0, this_cpu_read(host_evtsel0));
	msr_set(PMC0, this_cpu_read(host_pmc0));
	apic->write(APIC_LVTPC, APIC_DM_NMI);
	msr_set(GLOBAL_CTRL, this_cpu_read(host_ctrl));
}
#else
static void lend(int cpu)
{
}

static void take_back(void)
{
}
#endif

static ssize_t enter(struct file *file, char __user *to, size_t size, loff_t *at)
{
	u64 before, after, ctrl, count;
	unsigned long flags;
	char line[120];
	int n, cpu;

	if (*at)
		return 0;
	local_irq_save(flags);
	cpu = smp_processor_id();
	before = pebs_state();
	lend(cpu);
	trace_kvm_entry(NULL, false);
	after = pebs_state();
	ctrl = msr(GLOBAL_CTRL);
	count = msr(PMC0);
	take_back();
	local_irq_restore(flags);
	n = scnprintf(line, sizeof(line), "cpu %d before %#llx after %#llx ctrl %#llx count %llu\n",
		      cpu, before, after, ctrl, count);
	return simple_read_from_buffer(to, size, at, line, n);
}

static void call_guest(bool runs)
{
	cpuid_of(MAGIC_LEAF, runs, CALL_GUEST);
}

/* Loads that no cache has: each address depends on the value before. */
static noinline u64 do_work(u64 at)
{
	unsigned int i;

	for (i = 0; i < WORK_LOADS; i++)
		at = READ_ONCE(work[at]);
	return at;
}

/*
 * Events of perf's that leave guests out are off in a guest: atomic_switch_perf_msrs(). Returns
 * whether perf has any. Kernels before 7.0 are tested without.
 */
static bool switch_perf(bool guest)
{
	bool any = false;
#ifdef CONFIG_PERF_GUEST_MEDIATED_PMU
	int i, nr;
	/* A struct kvm_pmu of a guest that has programmed nothing. perf reads it on cores with PEBS for guests. */
	static u64 nothing[1024];
	struct perf_guest_switch_msr *msrs = perf_guest_get_msrs(&nr, nothing);

	for (i = 0; msrs && i < nr; i++) {
		if (msrs[i].host == msrs[i].guest)
			continue;
		msr_set(msrs[i].msr, guest ? msrs[i].guest : msrs[i].host);
		any = true;
	}
#endif
	return any;
}

/*
 * On cores with PEBS for guests KVM loads the guest's values at the entry and perf's at the exit
 * (intel_guest_get_msrs()). perf without an event has 0 in the host.
 */
static bool loads_pebs(void)
{
	return (msr(PERF_CAPS) & PEBS_BASELINE) && perfmon_version() < 6;
}

/* As vmx_vcpu_run(), with interrupts off. */
static u64 run_guest(u64 at, unsigned int n, bool loads)
{
	const bool nmi = n % NMIS == NMIS - 1;
	u64 pebs = 0, area = 0, cfg = 0;
	bool perf;

	trace_kvm_entry(NULL, false);
	/* VMLAUNCH fails. */
	if (n % FAILS == FAILS - 1)
		return at;
	perf = switch_perf(true);
	if (loads && perf) {
		pebs = msr(PEBS_ENABLE);
		area = msr(DS_AREA);
		cfg = msr(DATA_CFG);
		msr_set(PEBS_ENABLE, 0);
	}
	if (loads) {
		msr_set(DS_AREA, 0);
		msr_set(DATA_CFG, 0);
	}
	call_guest(true);
	at = do_work(at);
	/* KVM calls the handler after the exit, when perf's registers are loaded again. */
	if (nmi && !perf)
		apic->send_IPI(smp_processor_id(), NMI_VECTOR);
	call_guest(false);
	if (loads && perf) {
		msr_set(DATA_CFG, cfg);
		msr_set(DS_AREA, area);
		msr_set(PEBS_ENABLE, pebs);
	}
	switch_perf(false);
	if (nmi && perf)
		apic->send_IPI(smp_processor_id(), NMI_VECTOR);
	trace_kvm_exit(NULL, 1);
	return at;
}

static ssize_t run(struct file *file, const char __user *from, size_t size, loff_t *off)
{
	static atomic_t runs;
	const bool loads = loads_pebs();
	unsigned long flags;
	/* Two runs on one CPU must not find in its cache what the other has just loaded. */
	u64 at = atomic_inc_return(&runs) % 2 * (WORK_BYTES / sizeof(*work) / 2);
	unsigned int n;
	int pairs;
	int ret = kstrtoint_from_user(from, size, 0, &pairs);

	if (ret)
		return ret;
	for (n = 0; n < abs(pairs); n++) {
		at = do_work(at);
		if (pairs > 0) {
			local_irq_save(flags);
			at = run_guest(at, n, loads);
			local_irq_restore(flags);
		}
		/* A VMM whose entry failed gives up. A short sleep may end before the task switches. */
		if (n % FAILS == FAILS - 1)
			schedule_timeout_uninterruptible(1);
		else
			usleep_range(PAIR_US / 2, PAIR_US);
		if (signal_pending(current))
			return -EINTR;
	}
	return size;
}

static const struct file_operations fops = {
	.owner = THIS_MODULE,
	.read = enter,
	.write = run,
};

static struct miscdevice device = {
	.minor = MISC_DYNAMIC_MINOR,
	.name = "kvm",
	.fops = &fops,
};

static void look(void *unused)
{
	this_cpu_write(host_ctrl, msr(GLOBAL_CTRL));
	this_cpu_write(host_evtsel0, msr(EVTSEL0));
	this_cpu_write(host_pmc0, msr(PMC0));
}

static int __init come(void)
{
	const u64 words = WORK_BYTES / sizeof(*work);
	u64 i;
	int ret;

	work = vmalloc(WORK_BYTES);
	if (!work)
		return -ENOMEM;
	/* A step of 4099 lines, which is prime to their number, leads through all of them. */
	for (i = 0; i < words; i++)
		work[i] = (i + 4099 * 64 / sizeof(*work)) % words;
	on_each_cpu(look, NULL, 1);
	ret = misc_register(&device);
	if (ret)
		vfree(work);
	return ret;
}

static void __exit go(void)
{
	misc_deregister(&device);
	vfree(work);
}

module_init(come);
module_exit(go);

MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("Stands in for KVM in memlat's tests");
