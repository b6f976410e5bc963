// SPDX-License-Identifier: GPL-2.0
/*
 * The machine goes to sleep, or down, or the kernel crashes. A CPU may lose its registers
 * in its sleep, and the kernel puts its own idea of the DS area into them afterwards; and
 * the next kernel will use the memory where records would go.
 */
#include <linux/kdebug.h>
#include <linux/notifier.h>
#include <linux/panic_notifier.h>
#include <linux/reboot.h>
#include <linux/suspend.h>

#include "hw/pmu.h"
#include "power.h"
#include "prefetch.h"
#include "session.h"

static int sleeping(struct notifier_block *nb, unsigned long action, void *data)
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
static int going_down(struct notifier_block *nb, unsigned long action, void *data)
{
	memlat_session_shut_down();
	memlat_prefetch_shut_down();
	return NOTIFY_DONE;
}

/*
 * An oops comes here before a crash kernel is started for it. panic() does when it was
 * called with crash_kexec_post_notifiers, or without a crash kernel: else no module gets
 * a word in. Other CPUs are stopped by the kernel, and have the memory for their records.
 */
static int oops(struct notifier_block *nb, unsigned long action, void *data)
{
	if (action == DIE_OOPS)
		memlat_pmu_crash();
	return NOTIFY_DONE;
}

static int panics(struct notifier_block *nb, unsigned long action, void *data)
{
	memlat_pmu_crash();
	return NOTIFY_DONE;
}

static struct notifier_block sleep_notifier = { .notifier_call = sleeping };
static struct notifier_block reboot_notifier = { .notifier_call = going_down };
static struct notifier_block die_notifier = { .notifier_call = oops };
static struct notifier_block panic_notifier = { .notifier_call = panics };

/**
 * memlat_power_init - listen for what becomes of the machine
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
	if (!ret)
		return 0;

	unregister_die_notifier(&die_notifier);
up:
	unregister_reboot_notifier(&reboot_notifier);
awake:
	unregister_pm_notifier(&sleep_notifier);
	return ret;
}

/**
 * memlat_power_exit - no longer; waits for what is under way
 */
void memlat_power_exit(void)
{
	atomic_notifier_chain_unregister(&panic_notifier_list, &panic_notifier);
	unregister_die_notifier(&die_notifier);
	unregister_reboot_notifier(&reboot_notifier);
	unregister_pm_notifier(&sleep_notifier);
}
