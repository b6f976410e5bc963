// SPDX-License-Identifier: GPL-2.0
/*
 * VM guests: may one be running, and when does one come to run?
 *
 * PEBS writes at a linear address through whatever page table is live, a guest's too. perf
 * is asked by KVM at each entry what to switch off (perf_guest_get_msrs()); nobody asks memlat.
 *
 * That CR4.VMXE is set says little: from Linux 6.12 on KVM sets it when kvm_intel is loaded
 * (enable_virt_at_load), which udev does on nearly every host. What tells is exported:
 *
 * - kvm_intel's reference count. /dev/kvm, a VM and (from 6.12 on) a virtual CPU are files of
 *   that module, so at 0 there is no guest, and none can be made without it rising first.
 * - The tracepoint kvm_entry. KVM passes it on the CPU that is about to enter the guest, with
 *   interrupts off, each time (vmx_vcpu_run(), tdx_vcpu_run()). A probe there disarms the CPU:
 *   PEBS_ENABLE is cleared before the VMCS is even complete, as early as KVM clears it for
 *   perf (add_atomic_switch_msr(), which knows of the same records in flight).
 *
 * The first lets a session start without anybody's word. The second ends it in time.
 */
#include <linux/irqflags.h>
#include <linux/kobject.h>
#include <linux/module.h>
#include <linux/moduleparam.h>
#include <linux/mutex.h>
#include <linux/notifier.h>
#include <linux/printk.h>
#include <linux/string.h>
#include <linux/tracepoint.h>

#include "guests.h"
#include "hw/pmu.h"

struct kvm_vcpu;

/* Of @entry and what follows. Taken within the lock of the list of modules with tracepoints. */
static DEFINE_MUTEX(guests_lock);
static struct tracepoint *entry;	/* kvm_entry; NULL: there is none */
static bool watching;			/* a session samples */
static bool by_word;			/* its starter stated that no guest runs */
static bool attached;			/* the probe is, to @entry */
static bool entered;			/* it ended that session */

/* A text with figures; one session starts after the other. */
static char text[192];

/* TP_PROTO of kvm_entry, with interrupts off on the CPU that enters. */
static void enters(void *data, MEMLAT_KVM_ENTRY_ARGS)
{
	unsigned long flags;

	local_irq_save(flags);
	if (memlat_pmu_guest_enters())
		WRITE_ONCE(entered, true);
	local_irq_restore(flags);
}

static void attach(void)
{
	if (entry && !attached)
		attached = !tracepoint_probe_register(entry, enters, NULL);
}

static void detach(void)
{
	if (attached)
		tracepoint_probe_unregister(entry, enters, NULL);
	attached = false;
}

static void find(struct tracepoint *tp, void *unused)
{
	if (!strcmp(tp->name, "kvm_entry"))
		entry = tp;
}

static void comes(const struct module *mod)
{
	unsigned int i;

	mutex_lock(&guests_lock);
	for (i = 0; i < mod->num_tracepoints; i++)
		find(tracepoint_ptr_deref(&mod->tracepoints_ptrs[i]), NULL);
	if (watching)
		attach();
	mutex_unlock(&guests_lock);
}

/* Its code has run for the last time, so CR4.VMXE is no longer KVM's to set. */
static void goes(const struct module *mod)
{
	unsigned int i;

	mutex_lock(&guests_lock);
	for (i = 0; i < mod->num_tracepoints; i++) {
		if (tracepoint_ptr_deref(&mod->tracepoints_ptrs[i]) != entry)
			continue;
		detach();
		entry = NULL;
		if (watching && !by_word)
			memlat_pmu_watch_vmx();
	}
	mutex_unlock(&guests_lock);
}

/* Told of those that are loaded already too. */
static int tracepoints_changed(struct notifier_block *nb, unsigned long action, void *data)
{
	const struct tp_module *tp_mod = data;

	if (action == MODULE_STATE_COMING)
		comes(tp_mod->mod);
	else if (action == MODULE_STATE_GOING)
		goes(tp_mod->mod);
	return NOTIFY_DONE;
}

static struct notifier_block tracepoint_notifier = { .notifier_call = tracepoints_changed };

/*
 * The folder of a module in /sys/module, as long as which is held the module can't go. NULL:
 * there is none of that name.
 */
static struct kobject *folder_of(const char *name)
{
	return kset_find_obj(THIS_MODULE->mkobj.kobj.kset, name);
}

static struct module *module_of(struct kobject *folder)
{
	return container_of(folder, struct module_kobject, kobj)->mod;
}

/* Users of a module; -1: it is not loaded, or built in. */
static int users_of(const char *name)
{
	struct kobject *folder = folder_of(name);
	const int users = folder && module_of(folder) ? module_refcount(module_of(folder)) : -1;

	kobject_put(folder);
	return users;
}

static bool is_loaded(const char *name)
{
	struct kobject *folder = folder_of(name);

	kobject_put(folder);
	return folder;
}

/* Does KVM keep VMX on as long as it is loaded? No version tells, its parameter does. */
static bool kvm_keeps_vmx_on(void)
{
	struct kobject *folder = folder_of("kvm");
	const struct module *kvm = folder ? module_of(folder) : NULL;
	bool on = false;
	unsigned int i;

	for (i = 0; kvm && i < kvm->num_kp; i++)
		if (!strcmp(kvm->kp[i].name, "enable_virt_at_load") &&
		    kvm->kp[i].ops == &param_ops_bool)
			on = *(const bool *)kvm->kp[i].arg;
	kobject_put(folder);
	return on;
}

/*
 * Their guests pass no tracepoint. Where KVM keeps VMX on, these run theirs within it
 * (VirtualBox by kvm_enable_virtualization(), which 6.12 exports) or beside it.
 */
static const char *const others[] = { "vboxdrv", "vmmon" };

/**
 * memlat_guests_are_of - is this a module that runs guests?
 * @module: its name
 */
bool memlat_guests_are_of(const char *module)
{
	return !strcmp(module, "kvm_intel") ||
	       match_string(others, ARRAY_SIZE(others), module) >= 0;
}

static const char *may_run(void)
{
	const int users = users_of("kvm_intel");
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(others); i++) {
		if (!is_loaded(others[i]))
			continue;
		scnprintf(text, sizeof(text),
			  "%s is loaded, and memlat cannot see when it enters a guest", others[i]);
		return text;
	}
	if (users > 0) {
		scnprintf(text, sizeof(text),
			  "kvm_intel has %d users, guests or programs that hold /dev/kvm open", users);
		return text;
	}
	if (users < 0 || !kvm_keeps_vmx_on())
		return "nothing shows that KVM set it, so another hypervisor may run guests";
	if (!attached)
		return "memlat has no probe on KVM's tracepoint kvm_entry, so it cannot see when KVM enters a guest";
	return NULL;
}

/**
 * memlat_guests_watch - from now on no guest is entered while a CPU is armed
 *
 * @no_guests: the caller states that none runs
 *
 * Before the first CPU is armed.
 *
 * Return: NULL when CR4.VMXE means nothing, because KVM has set it, has no guest, and would
 * not enter one unseen; else a text that says what it may mean.
 */
const char *memlat_guests_watch(bool no_guests)
{
	const char *why;

	mutex_lock(&guests_lock);
	entered = false;
	watching = true;
	by_word = no_guests;
	attach();
	why = may_run();
	mutex_unlock(&guests_lock);
	return why;
}

/**
 * memlat_guests_unwatch - no CPU is armed any more
 *
 * Waits until no CPU is in the probe. Nothing happens when nobody watches.
 */
void memlat_guests_unwatch(void)
{
	bool was;

	mutex_lock(&guests_lock);
	was = watching;
	watching = false;
	detach();
	mutex_unlock(&guests_lock);
	if (was)
		tracepoint_synchronize_unregister();
}

/**
 * memlat_guests_tell - a session ended for guests: tell the log why
 */
void memlat_guests_tell(void)
{
	if (READ_ONCE(entered))
		pr_warn_ratelimited("stopped: KVM was about to enter a guest, and PEBS would have written into its memory; the results so far are kept. End the guest, and run 'memlat-ctl start' again\n");
	else
		pr_warn_ratelimited("stopped: guests may run from now on (a hypervisor was loaded, or set CR4.VMXE), and PEBS would write into their memory; the results so far are kept. Unload the hypervisor, or state that no guest runs (memlat-ctl start --no-guests)\n");
}

/**
 * memlat_guests_init - be ready to watch
 *
 * Return: 0 or a negative errno.
 */
int __init memlat_guests_init(void)
{
	for_each_kernel_tracepoint(find, NULL);
	return register_tracepoint_module_notifier(&tracepoint_notifier);
}

/**
 * memlat_guests_exit - leave nothing behind; no session runs
 */
void memlat_guests_exit(void)
{
	unregister_tracepoint_module_notifier(&tracepoint_notifier);
}
