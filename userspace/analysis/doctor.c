// SPDX-License-Identifier: GPL-2.0
#include "doctor.h"

#include <errno.h>
#include <linux/capability.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "../host/device.h"
#include "../util/text.h"
#include "core_traits.h"

/* Linux 5.8; older headers lack it. */
#ifndef CAP_PERFMON
#define CAP_PERFMON	38
#endif

/* What is judged now, and the checks before it. */
struct judging {
	struct doctor_check *check;
	const struct doctor_check *before;
	size_t nr;
};

__attribute__((format(printf, 4, 5)))
static void set_result(struct judging *judging, enum doctor_state state, const char *type,
		       const char *format, ...)
{
	va_list args;

	judging->check->state = state;
	judging->check->type = type;
	va_start(args, format);
	vsnprintf(judging->check->found, sizeof(judging->check->found), format, args);
	va_end(args);
}

static bool may(const struct doctor_facts *facts, unsigned int capability)
{
	return facts->capabilities & (CAPABILITY(capability) | CAPABILITY(CAP_SYS_ADMIN));
}

static void check_cpu(struct judging *judging, const struct doctor_facts *facts)
{
	const char *why, *name;

	if (!facts->has_cpu) {
		set_result(judging, DOCTOR_NO, NULL, "/proc/cpuinfo names no CPU that memlat knows");
		return;
	}
	/* The module has looked at each CPU, so prefer what it found. */
	name = facts->device_error ? cpu_models_find(&facts->cpu, &why) :
				     facts->query.model_title;
	if (name)
		set_result(judging, DOCTOR_OK, NULL, "%s: %s, samples the latency of loads",
			   facts->cpu_name, name);
	else
		set_result(judging, DOCTOR_NO, NULL, "%s (family %u model %#x stepping %u): %s",
			   facts->cpu_name, facts->cpu.family, facts->cpu.model,
			   facts->cpu.stepping, why);
}

/* List events that are sampled although, by an erratum, they are not quite what they are called. */
static void check_errata(struct judging *judging, const struct doctor_facts *facts)
{
	const __u32 here = cpu_models_errata_of_cpu(&facts->cpu);
	char words[3 * DOCTOR_TEXT] = "";
	size_t used = 0, i;

	for (i = 0; i < nr_errata; i++)
		if (here & all_errata[i].bit && used < sizeof(words))
			used += (size_t)snprintf(words + used, sizeof(words) - used, "%s%s (%s)",
						 used ? "; " : "", all_errata[i].text,
						 all_errata[i].errata);
	set_result(judging, DOCTOR_OK, NULL, "%s",
		   *words ? words : "none that memlat knows of touches its figures");
}

static void check_pebs(struct judging *judging, const struct doctor_facts *facts)
{
	if (facts->loaded)
		set_result(judging, DOCTOR_OK, NULL, "the module has found it%s",
			   facts->hypervisor ? ", in a virtual machine" : "");
	else if (*facts->refusal)
		set_result(judging, DOCTOR_NO, NULL, "the module refused this CPU: %s",
			   facts->refusal);
	else if (facts->pebs && facts->pdcm)
		set_result(judging, DOCTOR_OK, NULL, "there%s",
			   facts->hypervisor ?
			   "; in a virtual machine it may lack addresses, which the module finds out" : "");
	else if (facts->hypervisor)
		set_result(judging, DOCTOR_NO, NULL,
			   "the hypervisor hides it: memlat has to run on the host");
	else
		set_result(judging, DOCTOR_NO, NULL,
			   "this CPU shows none: look for PEBS or performance monitoring in the firmware's setup");
}

/* "; a session takes ...": what a session takes is charged to nobody, so say it before one starts. */
static const char *memory_of(char *buffer, size_t size, const struct memlat_query *query)
{
	char tables[TEXT_NUMBER_MAX], cpu[TEXT_NUMBER_MAX];

	snprintf(buffer, size, "; a session takes %s for its tables, and at most %s on each CPU",
		 text_bytes(tables, query->memory_default), text_bytes(cpu, query->cpu_memory));
	return buffer;
}

static void check_module(struct judging *judging, const struct doctor_facts *facts)
{
	char takes[DOCTOR_TEXT];

	if (!facts->loaded && doctor_verdict(judging->before, judging->nr) == DOCTOR_NO)
		set_result(judging, DOCTOR_NO, NULL, "not loaded: it refuses this CPU");
	else if (!facts->loaded)
		set_result(judging, DOCTOR_FIX,
			   facts->installed ? "modprobe memlat" : "insmod memlat.ko",
			   "not loaded%s", facts->installed ? "" : ", nor installed for this kernel");
	else if (!facts->device_error && facts->query.abi_version != MEMLAT_ABI_VERSION)
		set_result(judging, DOCTOR_FIX, "rmmod memlat; insmod memlat.ko",
			   "it speaks ABI version %u, this memlat-ctl %u: use the two that were built together",
			   facts->query.abi_version, MEMLAT_ABI_VERSION);
	else
		set_result(judging, DOCTOR_OK, NULL, "version %s is loaded%s%s",
			   *facts->version ? facts->version : "(unknown)",
			   facts->running ? "; a session runs" : "",
			   facts->device_error ? "" : memory_of(takes, sizeof(takes), &facts->query));
}

/* The device does not open, and not because of its mode. */
static bool is_forbidden(const struct doctor_facts *facts)
{
	return facts->device_error == EPERM ||
	       (facts->device_error == EACCES &&
		(facts->capabilities & CAPABILITY(CAP_DAC_OVERRIDE)));
}

static void check_rights(struct judging *judging, const struct doctor_facts *facts)
{
	if (!may(facts, CAP_PERFMON))
		set_result(judging, DOCTOR_FIX, "sudo memlat-ctl ...",
			   "sampling needs root or CAP_PERFMON");
	else if (!facts->loaded && !(facts->capabilities & CAPABILITY(CAP_SYS_MODULE)))
		set_result(judging, DOCTOR_FIX, "sudo insmod memlat.ko",
			   "this user has CAP_PERFMON, but loading the module needs root");
	else if (facts->loaded && is_forbidden(facts))
		set_result(judging, DOCTOR_FIX, "cat /sys/kernel/security/lsm; dmesg | tail",
			   MEMLAT_DEVICE " does not open: %s, by a container, kernel lockdown or a security module",
			   strerror(facts->device_error));
	else if (facts->loaded && facts->device_error)
		set_result(judging, DOCTOR_FIX,
			   facts->device_error == EACCES ? "sudo memlat-ctl ..." : "dmesg | tail",
			   MEMLAT_DEVICE " does not open: %s", strerror(facts->device_error));
	else
		set_result(judging, DOCTOR_OK, NULL,
			   "this user may load the module and sample");
}

/* By the rule by which record and start choose. */
static bool is_perf(const struct doctor_facts *facts)
{
	return engine_choose(ENGINE_EITHER, false, !facts->device_error, facts->perf_loads) ==
	       ENGINE_PERF;
}

static void check_engine(struct judging *judging, const struct doctor_facts *facts)
{
	if (!facts->device_error)
		set_result(judging, DOCTOR_OK, NULL,
			   "record and start sample by the module, as " MEMLAT_DEVICE " opens");
	else if (!is_perf(facts))
		set_result(judging, DOCTOR_OK, NULL,
			   "record and start need the module: the kernel has no event for the latency of loads here");
	/* Levels above 2 are Debian's and Ubuntu's. There CAP_PERFMON is not enough. */
	else if (facts->capabilities & CAPABILITY(CAP_SYS_ADMIN) ||
		 (may(facts, CAP_PERFMON) && facts->paranoid <= 2))
		set_result(judging, DOCTOR_OK, NULL,
			   "record and start sample by perf_event_open(), as " MEMLAT_DEVICE " does not open (%s)",
			   strerror(facts->device_error));
	else if (facts->paranoid > 2)
		set_result(judging, DOCTOR_FIX, "sudo sysctl kernel.perf_event_paranoid=2",
			   "record and start could sample by perf_event_open(), but kernel.perf_event_paranoid is %d",
			   facts->paranoid);
	else
		set_result(judging, DOCTOR_OK, NULL,
			   "record and start sample by perf_event_open(), as " MEMLAT_DEVICE " does not open (%s): one's own processes%s (kernel.perf_event_paranoid is %d)",
			   strerror(facts->device_error), facts->paranoid > 1 ? ", in user mode" : "", facts->paranoid);
}

static void check_watchdog(struct judging *judging, const struct doctor_facts *facts)
{
	switch (facts->watchdog) {
	case WATCHDOG_ON:
		set_result(judging, DOCTOR_FIX, "sysctl kernel.nmi_watchdog=0",
			   "it holds a counter on every CPU; while it is off, nothing reports a CPU that hangs with interrupts off");
		break;
	case WATCHDOG_BUDDY:
		set_result(judging, DOCTOR_OK, NULL,
			   "on, and of the kind that holds no counter (buddy)");
		break;
	case WATCHDOG_BUDDY_OFF:
		set_result(judging, DOCTOR_OK, "sysctl kernel.nmi_watchdog=1",
			   "off, but of the kind that holds no counter (buddy), so it can be on");
		break;
	case WATCHDOG_OFF:
		set_result(judging, DOCTOR_OK, NULL,
			   "off, as it would hold a counter (perf); so nothing reports a CPU that hangs with interrupts off");
		break;
	default:
		set_result(judging, DOCTOR_OK, NULL, "this kernel has none");
	}
}

/* While a session runs, memlat has the PMU, so the holders do not use it. */
static void check_perf(struct judging *judging, const struct doctor_facts *facts)
{
	bool all = facts->capabilities & CAPABILITY(CAP_SYS_PTRACE);
	char names[DOCTOR_TEXT] = "";
	size_t i, used = 0;

	if (facts->running) {
		set_result(judging, DOCTOR_OK, NULL, "memlat has the PMU: perf %s",
			   facts->query.traits & MEMLAT_TRAIT_UNRESERVED ?
			   "opens hardware events, but none is counted (\"not counted\")" :
			   "gets EBUSY for hardware events");
		return;
	}
	if (!facts->nr_holders) {
		set_result(judging, DOCTOR_OK, NULL, "nobody has any open%s",
			   all ? "" : ", of the processes that this user may look into");
		return;
	}
	for (i = 0; i < facts->nr_holders && i < DOCTOR_HOLDERS && used < sizeof(names); i++)
		used += (size_t)snprintf(names + used, sizeof(names) - used, "%s%s (pid %u)",
					 i ? ", " : "", facts->holders[i].name,
					 facts->holders[i].pid);
	set_result(judging, DOCTOR_FIX, NULL,
		   "%s%s %s perf events open: end %s, or wait, if they count on hardware",
		   names, facts->nr_holders > DOCTOR_HOLDERS ? " and others" : "",
		   facts->nr_holders == 1 ? "has" : "have", facts->nr_holders == 1 ? "it" : "them");
}

/* Report what firmware left on, if the kernel's log has it. */
static void check_firmware(struct judging *judging, const struct doctor_facts *facts)
{
	if (!*facts->firmware)
		return;
	set_result(judging, DOCTOR_OK, NULL,
		   "it left counters on when it booted the kernel (%s): memlat uses fixed ones that do not interrupt, and puts them back",
		   facts->firmware);
}

static void check_still(struct judging *judging, const struct doctor_facts *facts)
{
	if (!facts->cpus_still)
		return;
	set_result(judging, DOCTOR_FIX, "dmesg | tail",
		   "on %llu CPUs nothing is counted, although sampled code runs there: their counters are frozen, or no load there takes as long as --ldlat says",
		   facts->cpus_still);
}

static void check_guests(struct judging *judging, const struct doctor_facts *facts)
{
	if (facts->vmm)
		set_result(judging, DOCTOR_FIX, NULL,
			   "memlat cannot see when %s enters a guest: unload it; or, if it runs none until stop, start with --no-guests",
			   facts->vmm);
	else if (!facts->kvm)
		set_result(judging, DOCTOR_OK, NULL, "not loaded, so no guests");
	else if (facts->kvm_users)
		set_result(judging, DOCTOR_OK, NULL,
			   "%u user%s of kvm_intel, so guests may run: a CPU that runs one is not sampled meanwhile",
			   facts->kvm_users, facts->kvm_users == 1 ? "" : "s");
	else
		set_result(judging, DOCTOR_OK, NULL,
			   "loaded: a CPU that runs a guest is not sampled meanwhile");
}

static void check_kpti(struct judging *judging, const struct doctor_facts *facts)
{
	if (strstr(facts->meltdown, "PTI"))
		set_result(judging, DOCTOR_OK, NULL,
			   "on; memlat's buffers are mapped for it");
	else
		set_result(judging, DOCTOR_OK, NULL, *facts->meltdown ? "off" : "unknown");
}

static void check_lockdown(struct judging *judging, const struct doctor_facts *facts)
{
	if (facts->lockdown == LOCKDOWN_CONFIDENTIALITY)
		set_result(judging, DOCTOR_NO, NULL,
			   "the kernel is locked down (confidentiality), which closes " MEMLAT_DEVICE
			   " to everyone: boot with lockdown=integrity, or without Secure Boot");
	else if (!facts->loaded &&
		 (facts->lockdown == LOCKDOWN_INTEGRITY || facts->signed_only))
		set_result(judging, DOCTOR_FIX, "mokutil --import KEY.der",
			   "the kernel takes signed modules only (Secure Boot): sign memlat.ko with a key that it trusts");
	else
		set_result(judging, DOCTOR_OK, NULL,
			   facts->loaded ? "does not keep memlat out" : "off");
}

static void check_kernel_names(struct judging *judging, const struct doctor_facts *facts)
{
	if (facts->kernel_names)
		set_result(judging, DOCTOR_OK, NULL, "readable");
	else if (facts->kptr_restrict == 2)
		set_result(judging, DOCTOR_FIX,
			   "sysctl kernel.kptr_restrict=1", "hidden, even from root");
	else
		set_result(judging, DOCTOR_FIX, "sudo memlat-ctl ...",
			   "hidden from this user");
}

static void check_debug(struct judging *judging, const struct doctor_facts *facts)
{
	if (*facts->debug)
		set_result(judging, DOCTOR_OK, NULL,
			   "in %s, beside what programs carry", facts->debug);
	else
		set_result(judging, DOCTOR_FIX, "debuginfod-find debuginfo PROGRAM",
			   "no separate debug files here: fields have names only in programs built with -g");
}

static void check_heap(struct judging *judging, const struct doctor_facts *facts)
{
	if (*facts->heap_library)
		set_result(judging, DOCTOR_OK, NULL, "%s", facts->heap_library);
	else
		set_result(judging, DOCTOR_FIX, "make install",
			   "the library of 'record --heap' is not found");
}

/* needed: nothing is sampled until it is fixed. In the order in which they are shown. */
static const struct {
	const char *key, *title;
	bool needed;
	void (*judge)(struct judging *judging, const struct doctor_facts *facts);
} conditions[] = {
	{ "cpu", "CPU", true, check_cpu },
	{ "pebs", "PEBS", true, check_pebs },
	{ "module", "module", true, check_module },
	{ "rights", "rights", true, check_rights },
	{ "engine", "engine", false, check_engine },
	{ "lockdown", "lockdown", true, check_lockdown },
	{ "watchdog", "NMI watchdog", true, check_watchdog },
	{ "perf", "perf events", true, check_perf },
	{ "firmware", "firmware", false, check_firmware },
	{ "counters", "counters", false, check_still },
	{ "kvm", "KVM", true, check_guests },
	{ "kpti", "KPTI", false, check_kpti },
	{ "kernel_names", "kernel names", false, check_kernel_names },
	{ "debug_info", "debug info", false, check_debug },
	{ "heap", "heap objects", false, check_heap },
	{ "errata", "errata", false, check_errata },
};

/*
 * Where perf's engine would sample, only what keeps that from it has to be fixed: the rights that
 * check_engine() looks at, and a kernel that is locked down so that it tells nobody anything.
 */
static void judge_by_perf(const struct doctor_facts *facts, struct doctor_check *checks, size_t nr)
{
	size_t i;

	if (!is_perf(facts))
		return;
	for (i = 0; i < nr; i++)
		checks[i].needed = !strcmp(checks[i].key, "engine") ||
				   (!strcmp(checks[i].key, "lockdown") &&
				    checks[i].state == DOCTOR_NO);
}

size_t doctor_judge(const struct doctor_facts *facts,
		    struct doctor_check checks[DOCTOR_CHECKS])
{
	struct judging judging = { .before = checks };
	size_t i;

	for (i = 0; i < sizeof(conditions) / sizeof(conditions[0]); i++) {
		judging.check = &checks[judging.nr];
		*judging.check = (struct doctor_check){
			.key = conditions[i].key, .title = conditions[i].title,
			.needed = conditions[i].needed,
		};
		conditions[i].judge(&judging, facts);
		/* Some have nothing to say on most machines. */
		judging.nr += *judging.check->found != '\0';
	}
	judge_by_perf(facts, checks, judging.nr);
	return judging.nr;
}

enum doctor_state doctor_verdict(const struct doctor_check *checks, size_t nr)
{
	enum doctor_state worst = DOCTOR_OK;
	size_t i;

	for (i = 0; i < nr; i++)
		if (checks[i].needed && checks[i].state > worst)
			worst = checks[i].state;
	return worst;
}

const char *doctor_state_name(enum doctor_state state)
{
	static const char *const names[] = { "ok", "fix", "no" };

	return names[state];
}
