// SPDX-License-Identifier: GPL-2.0
/*
 * Stop sampling when the machine is suspended or shut down, or when the kernel crashes. During a
 * suspend a CPU may lose its registers, and the kernel then restores the DS area as it knows it.
 * After a shutdown or crash, the next kernel uses the memory to which records would be written.
 */
#include <linux/irqflags.h>
#include <linux/kdebug.h>
#include <linux/kprobes.h>
#include <linux/notifier.h>
#include <linux/panic_notifier.h>
#include <linux/reboot.h>
#include <linux/string.h>
#include <linux/suspend.h>
#include <linux/tracepoint.h>
#include <trace/events/power.h>

#include "hw/pmu.h"
#include "memlat.h"

static int memlat_pm_notify(struct notifier_block *nb, unsigned long action, void *data)
{
	switch (action) {
	case PM_SUSPEND_PREPARE:
	case PM_HIBERNATION_PREPARE:
	case PM_RESTORE_PREPARE:
		memlat_session_suspend();
		memlat_prefetch_suspend();
		break;
	case PM_POST_SUSPEND:
	case PM_POST_HIBERNATION:
	case PM_POST_RESTORE:
		memlat_prefetch_resume();
		memlat_session_resume();
		break;
	}
	return NOTIFY_DONE;
}

/* Restart, halt, power-off, and kexec. */
static int memlat_reboot_notify(struct notifier_block *nb, unsigned long action, void *data)
{
	memlat_session_shut_down();
	memlat_prefetch_shut_down();
	return NOTIFY_DONE;
}

/*
 * Probe of the tracepoint suspend_resume. kexec with --load-preserve-context jumps into another
 * kernel, which may jump back. The notifiers above are not called then. The kernel takes all CPUs
 * but one offline, and passes this tracepoint on the last one with interrupts off.
 * (register_syscore() is meant for this, but kernels differ in its prototype.) The tracepoint is
 * also passed before a suspend, after memlat_pm_notify().
 *
 * If a driver refuses, or something is to wake the machine up, syscore_suspend() fails after the
 * first of the two, and the second is not passed. Then the CPU's timer arms it again (watch.c).
 */
static void memlat_suspend_probe(void *data, const char *action, int val, bool start)
{
	if (start && !strcmp(action, "syscore_suspend"))
		memlat_cpus_sleep_here();
	else if (!start && !strcmp(action, "syscore_resume"))
		memlat_cpus_wake_here();
}

static struct tracepoint *suspend;	/* suspend_resume; NULL: it is not probed */

static void memlat_suspend_match(struct tracepoint *tp, void *unused)
{
	if (!strcmp(tp->name, "suspend_resume"))
		suspend = tp;
}

static void __init suspend_probe_init(void)
{
	check_trace_callback_type_suspend_resume(memlat_suspend_probe);
	for_each_kernel_tracepoint(memlat_suspend_match, NULL);
	if (suspend && tracepoint_probe_register(suspend, memlat_suspend_probe, NULL))
		suspend = NULL;
	if (!suspend && IS_ENABLED(CONFIG_KEXEC_JUMP))
		pr_warn("cannot attach to the tracepoint suspend_resume: stop sampling before a kexec with --load-preserve-context\n");
}

static void suspend_probe_exit(void)
{
	if (suspend)
		tracepoint_probe_unregister(suspend, memlat_suspend_probe, NULL);
	tracepoint_synchronize_unregister();
}

static void memlat_crash_here(void)
{
	unsigned long flags;

	local_irq_save(flags);
	memlat_pmu_crash();
	local_irq_restore(flags);
}

/* The kernel may survive an oops, so this one also ends the session (MEMLAT_END_OOPS). */
static int memlat_die_notify(struct notifier_block *nb, unsigned long action, void *data)
{
	if (action == DIE_OOPS)
		memlat_crash_here();
	return NOTIFY_DONE;
}

/* panic() calls this before it starts a crash kernel only with crash_kexec_post_notifiers. */
static int memlat_panic_notify(struct notifier_block *nb, unsigned long action, void *data)
{
	memlat_crash_here();
	return NOTIFY_DONE;
}

/*
 * The kernel is about to call crash_save_cpu() on this CPU, because it will start a crash kernel.
 * The CPU that starts it calls the function with interrupts off, and each other CPU in the NMI
 * that stops it. No other function is called on every CPU before a crash kernel starts, whatever
 * the reason.
 */
static int memlat_crash_probe(struct kprobe *probe, struct pt_regs *regs)
{
	memlat_pmu_crash();
	return 0;
}

static struct notifier_block sleep_notifier = { .notifier_call = memlat_pm_notify };
static struct notifier_block reboot_notifier = { .notifier_call = memlat_reboot_notify };
static struct notifier_block die_notifier = { .notifier_call = memlat_die_notify };
static struct notifier_block panic_notifier = { .notifier_call = memlat_panic_notify };
static struct kprobe crash_probe = {
	.symbol_name = "crash_save_cpu",
	.pre_handler = memlat_crash_probe,
};

static bool crash_is_probed;

static void __init crash_probe_init(void)
{
	int ret = register_kprobe(&crash_probe);

	crash_is_probed = !ret;
	if (ret && IS_ENABLED(CONFIG_KEXEC_CORE))
		pr_warn("no kprobe on crash_save_cpu() (error %d): PEBS may stay on when a panic starts a crash kernel. Boot with crash_kexec_post_notifiers, or stop sampling where a crash dump matters\n",
			ret);
}

/**
 * memlat_power_init - register for suspend, shutdown, oops, panic and crash
 *
 * Return: 0 or a negative errno.
 */
int __init memlat_power_init(void)
{
	int ret = register_pm_notifier(&sleep_notifier);

	if (ret)
		return ret;
	ret = register_reboot_notifier(&reboot_notifier);
	if (ret)
		goto awake;
	ret = register_die_notifier(&die_notifier);
	if (ret)
		goto up;
	ret = atomic_notifier_chain_register(&panic_notifier_list, &panic_notifier);
	if (ret)
		goto die;
	suspend_probe_init();
	crash_probe_init();
	return 0;

die:
	unregister_die_notifier(&die_notifier);
up:
	unregister_reboot_notifier(&reboot_notifier);
awake:
	unregister_pm_notifier(&sleep_notifier);
	return ret;
}

/**
 * memlat_power_exit - unregister; waits for callbacks that still run
 */
void memlat_power_exit(void)
{
	if (crash_is_probed)
		unregister_kprobe(&crash_probe);
	suspend_probe_exit();
	atomic_notifier_chain_unregister(&panic_notifier_list, &panic_notifier);
	unregister_die_notifier(&die_notifier);
	unregister_reboot_notifier(&reboot_notifier);
	unregister_pm_notifier(&sleep_notifier);
}
