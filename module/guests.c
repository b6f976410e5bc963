// SPDX-License-Identifier: GPL-2.0
/*
 * Sample beside VM guests, and never in them.
 *
 * PEBS writes at a linear address through the page tables in use, which may be a guest's. At each
 * entry KVM asks perf what to switch off (perf_guest_get_msrs()), but it does not ask memlat. So
 * memlat puts probes on two tracepoints of KVM's, which it passes with interrupts off, on the CPU
 * that enters the guest (vmx_vcpu_run(), tdx_vcpu_run()):
 *
 * - kvm_entry, before each entry. The probe stops this CPU's counters and PEBS, before the VMCS is
 *   even complete, as early as KVM does that for perf (add_atomic_switch_msr(), whose comment
 *   mentions the same records in flight).
 * - kvm_exit, after each exit. The probe enables them again. After a failed entry KVM does not
 *   pass it, so the next task switch or timer of that CPU does the same.
 *
 * Other hypervisors pass no tracepoint. CR4.VMXE shows that there may be one if KVM has not set it:
 * KVM sets it when kvm_intel is loaded (since Linux 6.12, enable_virt_at_load), or with its first
 * VM, whose files count as users of kvm_intel.
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

#include "hw/pmu.h"
#include "memlat.h"

struct kvm_vcpu;

/* Protects @entry to @attached. Nests inside the kernel's lock of modules with tracepoints. */
static DEFINE_MUTEX(guests_lock);
static struct tracepoint *entry;	/* kvm_entry; NULL: there is none */
static struct tracepoint *left;		/* kvm_exit, likewise */
static bool watching;			/* a session samples */
static bool by_word;			/* its starter stated that no guest runs unseen */
static bool attached;			/* the probes are attached */

static bool built_in;			/* KVM is built into the kernel */
static bool lent;			/* a probe ended the session */

/* The text that may_run() returns; the session's lock allows one caller at a time. */
static char text[192];

/* Both run on the CPU that enters the guest, with interrupts off. */
static void memlat_kvm_entry_probe(void *data, MEMLAT_KVM_ENTRY_ARGS)
{
	unsigned long flags;

	local_irq_save(flags);
	if (memlat_pmu_guest_entry())
		WRITE_ONCE(lent, true);
	local_irq_restore(flags);
}

static void memlat_kvm_exit_probe(void *data, MEMLAT_KVM_EXIT_ARGS)
{
	unsigned long flags;

	local_irq_save(flags);
	memlat_pmu_guest_exit();
	local_irq_restore(flags);
}

/* A CPU is paused only if something resumes it, so kvm_exit is attached first. */
static void memlat_kvm_attach(void)
{
	if (!entry || !left || attached)
		return;
	if (tracepoint_probe_register(left, memlat_kvm_exit_probe, NULL))
		return;
	attached = !tracepoint_probe_register(entry, memlat_kvm_entry_probe, NULL);
	if (!attached)
		tracepoint_probe_unregister(left, memlat_kvm_exit_probe, NULL);
}

static void memlat_kvm_detach(void)
{
	if (!attached)
		return;
	tracepoint_probe_unregister(entry, memlat_kvm_entry_probe, NULL);
	tracepoint_probe_unregister(left, memlat_kvm_exit_probe, NULL);
	attached = false;
}

static void memlat_kvm_match(struct tracepoint *tp, void *unused)
{
	if (!strcmp(tp->name, "kvm_entry"))
		entry = tp;
	else if (!strcmp(tp->name, "kvm_exit"))
		left = tp;
}

/* None of the module's code has run. From now on CR4.VMXE may be KVM's. */
static void kvm_coming(const struct module *mod)
{
	unsigned int i;

	mutex_lock(&guests_lock);
	for (i = 0; i < mod->num_tracepoints; i++)
		memlat_kvm_match(tracepoint_ptr_deref(&mod->tracepoints_ptrs[i]), NULL);
	if (watching) {
		memlat_kvm_attach();
		if (attached)
			memlat_pmu_watch_vmx(false);
	}
	mutex_unlock(&guests_lock);
}

/* KVM's code has run for the last time, so another hypervisor sets CR4.VMXE from now on. */
static void kvm_going(const struct module *mod)
{
	unsigned int i;

	mutex_lock(&guests_lock);
	for (i = 0; i < mod->num_tracepoints; i++) {
		if (tracepoint_ptr_deref(&mod->tracepoints_ptrs[i]) != entry)
			continue;
		memlat_kvm_detach();
		entry = NULL;
		left = NULL;
		if (watching && !by_word)
			memlat_pmu_watch_vmx(true);
	}
	mutex_unlock(&guests_lock);
}

/* On registration the kernel also calls this for modules that are loaded already. */
static int memlat_tracepoint_notify(struct notifier_block *nb, unsigned long action, void *data)
{
	const struct tp_module *tp_mod = data;

	if (action == MODULE_STATE_COMING)
		kvm_coming(tp_mod->mod);
	else if (action == MODULE_STATE_GOING)
		kvm_going(tp_mod->mod);
	return NOTIFY_DONE;
}

static struct notifier_block tracepoint_notifier = { .notifier_call = memlat_tracepoint_notify };

/*
 * Get the kobject of a module in /sys/module; NULL: no such module. The module cannot be freed
 * while it is held.
 */
static struct kobject *module_kobj(const char *name)
{
	return kset_find_obj(THIS_MODULE->mkobj.kobj.kset, name);
}

static struct module *module_of(struct kobject *kobj)
{
	return container_of(kobj, struct module_kobject, kobj)->mod;
}

static bool is_loaded(const char *name)
{
	struct kobject *kobj = module_kobj(name);

	kobject_put(kobj);
	return kobj;
}

/* Has the module users? kvm_intel's are /dev/kvm, VMs and (since 6.12) virtual CPUs. */
static bool has_users(const char *name)
{
	struct kobject *kobj = module_kobj(name);
	const bool has = kobj && module_of(kobj) && module_refcount(module_of(kobj)) > 0;

	kobject_put(kobj);
	return has;
}

/* Does KVM keep VMX on while it is loaded? Its parameter shows that; its version does not. */
static bool kvm_keeps_vmx_on(void)
{
	struct kobject *kobj = module_kobj("kvm");
	const struct module *kvm = kobj ? module_of(kobj) : NULL;
	bool on = false;
	unsigned int i;

	for (i = 0; kvm && i < kvm->num_kp; i++)
		if (!strcmp(kvm->kp[i].name, "enable_virt_at_load") &&
		    kvm->kp[i].ops == &param_ops_bool)
			on = *(const bool *)kvm->kp[i].arg;
	kobject_put(kobj);
	return on;
}

/*
 * Modules whose guests pass no tracepoint. If KVM keeps VMX on, they run their guests with KVM's
 * help (VirtualBox calls kvm_enable_virtualization(), which 6.12 exports) or independently of it.
 */
static const char *const others[] = { "vboxdrv", "vmmon" };

/**
 * memlat_guests_are_unseen - check whether memlat cannot see a module enter its guests
 * @module: its name; it is being loaded
 */
bool memlat_guests_are_unseen(const char *module)
{
	bool seen;

	if (match_string(others, ARRAY_SIZE(others), module) >= 0)
		return true;
	if (strcmp(module, "kvm_intel"))
		return false;
	mutex_lock(&guests_lock);
	seen = attached;
	mutex_unlock(&guests_lock);
	return !seen;
}

static const char *may_run(void)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(others); i++) {
		if (!is_loaded(others[i]))
			continue;
		scnprintf(text, sizeof(text),
			  "%s is loaded, and memlat cannot see when it enters a guest", others[i]);
		return text;
	}
	if (!attached && is_loaded("kvm_intel"))
		return "memlat has no probe on kvm_entry, so it cannot see KVM enter a guest";
	if (attached && (built_in || has_users("kvm_intel") || kvm_keeps_vmx_on()))
		return NULL;
	return "nothing shows that KVM set it, so another hypervisor may run guests";
}

/**
 * memlat_guests_watch - from now on pause a CPU while KVM runs a guest on it
 * @no_guests: the caller states that no guest runs unseen
 *
 * Called before the first CPU is armed.
 *
 * Return: NULL if a set CR4.VMXE is harmless, because KVM has set it, and memlat sees it enter
 * guests; else a text that says why guests may run unseen.
 */
const char *memlat_guests_watch(bool no_guests)
{
	const char *why;

	mutex_lock(&guests_lock);
	lent = false;
	watching = true;
	by_word = no_guests;
	memlat_pmu_watch_vmx(false);
	memlat_kvm_attach();
	why = may_run();
	mutex_unlock(&guests_lock);
	return why;
}

/**
 * memlat_guests_watch_vmx - CR4.VMXE is clear: end the session when it is set, unless by KVM
 *
 * Called between memlat_guests_watch() and the arming of the first CPU.
 */
void memlat_guests_watch_vmx(void)
{
	mutex_lock(&guests_lock);
	if (!attached && !by_word)
		memlat_pmu_watch_vmx(true);
	mutex_unlock(&guests_lock);
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
	memlat_kvm_detach();
	mutex_unlock(&guests_lock);
	if (was)
		tracepoint_synchronize_unregister();
}

/**
 * memlat_guests_warn - log why guests ended a session
 */
void memlat_guests_warn(void)
{
	if (READ_ONCE(lent))
		pr_warn_ratelimited("stopped: a guest got the PMU itself (KVM's enable_mediated_pmu), with memlat's counters; the results so far are kept. End the guests that have a PMU, and run 'memlat-ctl start' again\n");
	else
		pr_warn_ratelimited("stopped: guests that memlat cannot see may run from now on (a hypervisor other than KVM was loaded, or set CR4.VMXE), and PEBS would write into their memory; the results so far are kept. Unload the hypervisor, or state that it runs no guest (memlat-ctl start --no-guests)\n");
}

/**
 * memlat_guests_init - look up KVM's tracepoints, and follow modules that have them
 *
 * Return: 0 or a negative errno.
 */
int __init memlat_guests_init(void)
{
	for_each_kernel_tracepoint(memlat_kvm_match, NULL);
	built_in = entry;
	return register_tracepoint_module_notifier(&tracepoint_notifier);
}

/**
 * memlat_guests_exit - undo memlat_guests_init(); no session runs
 */
void memlat_guests_exit(void)
{
	unregister_tracepoint_module_notifier(&tracepoint_notifier);
}
