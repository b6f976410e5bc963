// SPDX-License-Identifier: GPL-2.0
/*
 * Replaces kvm_intel.ko: /dev/kvm, whose open files count as users of this module. A read "enters a
 * guest" as vmx_vcpu_run() does, with interrupts off: it passes kvm_entry, and returns PEBS_ENABLE
 * before and after it, and then GLOBAL_CTRL and what counter 0 has counted.
 */
#include <linux/fs.h>
#include <linux/kernel.h>
#include <linux/miscdevice.h>
#include <linux/module.h>
#include <linux/percpu.h>
#include <linux/smp.h>
#include <asm/apic.h>
#include <asm/irq_vectors.h>
#include <asm/msr.h>

#include "kvm_trace.h"

#define PEBS_ENABLE	0x3f1
#define GLOBAL_CTRL	0x38f
#define EVTSEL0		0x186
#define PMC0		0xc1
#define GUESTS_EVENT	0x004300c0	/* what a guest counts: instructions in any mode */

/* perf may have left an event in the register that does not count any more. */
static DEFINE_PER_CPU(u64, host_ctrl);
static DEFINE_PER_CPU(u64, host_evtsel0);
static DEFINE_PER_CPU(u64, host_pmc0);

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
	before = msr(PEBS_ENABLE);
	lend(cpu);
	trace_kvm_entry(NULL, false);
	after = msr(PEBS_ENABLE);
	ctrl = msr(GLOBAL_CTRL);
	count = msr(PMC0);
	take_back();
	local_irq_restore(flags);
	n = scnprintf(line, sizeof(line), "cpu %d before %#llx after %#llx ctrl %#llx count %llu\n",
		      cpu, before, after, ctrl, count);
	return simple_read_from_buffer(to, size, at, line, n);
}

static const struct file_operations fops = {
	.owner = THIS_MODULE,
	.read = enter,
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
	on_each_cpu(look, NULL, 1);
	return misc_register(&device);
}

static void __exit go(void)
{
	misc_deregister(&device);
}

module_init(come);
module_exit(go);

MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("Stands in for KVM in memlat's tests");
