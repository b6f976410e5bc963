// SPDX-License-Identifier: GPL-2.0
/*
 * The machine goes to sleep, or down. A CPU may lose its registers in its sleep,
 * and the kernel puts its own idea of the DS area into them afterwards; and the
 * next kernel will use the memory where records would go.
 */
#include <linux/notifier.h>
#include <linux/reboot.h>
#include <linux/suspend.h>

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

static struct notifier_block sleep_notifier = { .notifier_call = sleeping };
static struct notifier_block reboot_notifier = { .notifier_call = going_down };

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
		unregister_pm_notifier(&sleep_notifier);
	return ret;
}

/**
 * memlat_power_exit - no longer; waits for what is under way
 */
void memlat_power_exit(void)
{
	unregister_reboot_notifier(&reboot_notifier);
	unregister_pm_notifier(&sleep_notifier);
}
