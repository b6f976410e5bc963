// SPDX-License-Identifier: GPL-2.0
/*
 * Stands in for kvm_intel.ko: /dev/kvm, whose open files count as this module's users. A
 * read "enters a guest" as vmx_vcpu_run() does, with interrupts off: it passes kvm_entry,
 * and tells what PEBS_ENABLE held before and after it.
 */
#include <linux/fs.h>
#include <linux/kernel.h>
#include <linux/miscdevice.h>
#include <linux/module.h>
#include <linux/smp.h>
#include <asm/msr.h>

#include "kvm_trace.h"

#define PEBS_ENABLE	0x3f1

static u64 pebs_enable(void)
{
	u32 low, high;

	rdmsr(PEBS_ENABLE, low, high);
	return (u64)high << 32 | low;
}

static ssize_t enter(struct file *file, char __user *to, size_t size, loff_t *at)
{
	unsigned long flags;
	u64 before, after;
	char line[64];
	int n, cpu;

	if (*at)
		return 0;
	local_irq_save(flags);
	cpu = smp_processor_id();
	before = pebs_enable();
	trace_kvm_entry(NULL, false);
	after = pebs_enable();
	local_irq_restore(flags);
	n = scnprintf(line, sizeof(line), "cpu %d before %#llx after %#llx\n", cpu, before, after);
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

module_misc_device(device);

MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("Stands in for KVM in memlat's tests");
