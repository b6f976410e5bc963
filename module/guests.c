// SPDX-License-Identifier: GPL-2.0
/*
 * Find out whether a VM guest may be running, and notice when one is about to run.
 *
 * PEBS writes at a linear address through the page tables in use, which may be a guest's. At each
 * entry KVM asks perf what to switch off (perf_guest_get_msrs()), but it does not ask memlat.
 *
 * CR4.VMXE alone shows little: since Linux 6.12 KVM sets it when kvm_intel is loaded
 * (enable_virt_at_load), which udev does on nearly every host. Two exported things show more:
 *
 * - kvm_intel's reference count. /dev/kvm, a VM and (since 6.12) a virtual CPU are files of that
 *   module. So while the count is 0 there is no guest, and it rises before one can be created.
 * - The tracepoint kvm_entry. KVM passes it before each entry, with interrupts off, on the CPU
 *   that enters the guest (vmx_vcpu_run(), tdx_vcpu_run()). memlat's probe there disarms the CPU.
 *   So PEBS_ENABLE is cleared before the VMCS is even complete, as early as KVM clears it for perf
 *   (add_atomic_switch_msr(), whose comment mentions the same records in flight).
 *
 * The count allows a session to start without a statement from the caller. The probe ends the
 * session in time.
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

/* Protects @entry to @entered. Nests inside the kernel's lock of modules with tracepoints. */
static DEFINE_MUTEX(guests_lock);
static struct tracepoint *entry;	/* kvm_entry; NULL: there is none */
static bool watching;			/* a session samples */
static bool by_word;			/* its starter stated that no guest runs */
static bool attached;			/* the probe is attached to @entry */
static bool entered;			/* the probe ended the session */

/* The text that may_run() returns; the session's lock allows one caller at a time. */
static char text[192];

/* The probe of kvm_entry. Runs on the CPU that enters, with interrupts off. */
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

/* KVM's code has run for the last time, so another hypervisor sets CR4.VMXE from now on. */
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
			memlat_pmu_watch_vmx(true);
	}
	mutex_unlock(&guests_lock);
}

/* On registration the kernel also calls this for modules that are loaded already. */
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
 * Get the folder of a module in /sys/module; NULL: no such module. The module cannot be freed
 * while the folder is held.
 */
static struct kobject *folder_of(const char *name)
{
	return kset_find_obj(THIS_MODULE->mkobj.kobj.kset, name);
}

static struct module *module_of(struct kobject *folder)
{
	return container_of(folder, struct module_kobject, kobj)->mod;
}

/* The number of users of a module; -1: it is not loaded, or it is built in. */
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

/* Does KVM keep VMX on while it is loaded? Its parameter shows that; its version does not. */
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
 * Modules whose guests pass no tracepoint. If KVM keeps VMX on, they run their guests with KVM's
 * help (VirtualBox calls kvm_enable_virtualization(), which 6.12 exports) or independently of it.
 */
static const char *const others[] = { "vboxdrv", "vmmon" };

/**
 * memlat_guests_are_of - check whether a module runs guests
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
			  "kvm_intel has %d users: guests, or programs that hold /dev/kvm", users);
		return text;
	}
	if (users < 0 || !kvm_keeps_vmx_on())
		return "nothing shows that KVM set it, so another hypervisor may run guests";
	if (!attached)
		return "memlat has no probe on kvm_entry, so it cannot see KVM enter a guest";
	return NULL;
}

/**
 * memlat_guests_watch - from now on disarm a CPU before KVM enters a guest on it
 * @no_guests: the caller states that no guest runs
 *
 * Called before the first CPU is armed.
 *
 * Return: NULL if a set CR4.VMXE is harmless, because KVM has set it, has no guest, and cannot
 * enter one unseen; else a text that says why guests may run.
 */
const char *memlat_guests_watch(bool no_guests)
{
	const char *why;

	mutex_lock(&guests_lock);
	entered = false;
	watching = true;
	by_word = no_guests;
	/* From here on only goes() and the start turn it on, and nobody turns it off. */
	memlat_pmu_watch_vmx(false);
	attach();
	why = may_run();
	mutex_unlock(&guests_lock);
	return why;
}

/**
 * memlat_guests_unwatch - stop watching; no CPU is armed any more
 *
 * Waits until no CPU is in the probe. Does nothing if nothing is watched.
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
 * memlat_guests_tell - log why guests ended a session
 */
void memlat_guests_tell(void)
{
	if (READ_ONCE(entered))
		pr_warn_ratelimited("stopped: KVM was about to enter a guest, and PEBS would have written into its memory; the results so far are kept. End the guest, and run 'memlat-ctl start' again\n");
	else
		pr_warn_ratelimited("stopped: guests may run from now on (a hypervisor was loaded, or set CR4.VMXE), and PEBS would write into their memory; the results so far are kept. Unload the hypervisor, or state that no guest runs (memlat-ctl start --no-guests)\n");
}

/**
 * memlat_guests_init - find KVM's tracepoint, and follow modules that have it
 *
 * Return: 0 or a negative errno.
 */
int __init memlat_guests_init(void)
{
	for_each_kernel_tracepoint(find, NULL);
	return register_tracepoint_module_notifier(&tracepoint_notifier);
}

/**
 * memlat_guests_exit - undo memlat_guests_init(); no session runs
 */
void memlat_guests_exit(void)
{
	unregister_tracepoint_module_notifier(&tracepoint_notifier);
}
