/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What stands in the way of memlat on a machine: first facts are collected, then
 * they are judged. Collecting needs neither root nor the module, and changes nothing.
 */
#ifndef MEMLAT_DOCTOR_H
#define MEMLAT_DOCTOR_H

#include <stdbool.h>
#include <stddef.h>

#include <linux/memlat.h>

#include "../host/cpu_models.h"
#include "../host/holders.h"

#define DOCTOR_HOLDERS	4	/* that are named */
#define DOCTOR_TEXT	256
#define DOCTOR_PATH	512

/* Where the facts are; a NULL is none. */
struct doctor_paths {
	const char *proc;	/* /proc */
	const char *sys;	/* /sys */
	const char *log;	/* /dev/kmsg */
	const char *modules;	/* /lib/modules/RELEASE */
	const char *debug;	/* folders with separate debug files, colon-separated */
};

enum doctor_lockdown {
	LOCKDOWN_UNKNOWN,	/* the kernel has none, or it is not mounted */
	LOCKDOWN_NONE,
	LOCKDOWN_INTEGRITY,
	LOCKDOWN_CONFIDENTIALITY
};

struct doctor_facts {
	/* The CPU, of /proc/cpuinfo. */
	bool has_cpu;		/* it could be read */
	struct cpu_identity cpu;
	char cpu_name[DOCTOR_TEXT];
	bool hypervisor, pebs, pdcm;

	/* The module. */
	bool loaded;
	char version[32];
	bool installed;		/* modprobe would find it */
	bool log_readable;
	char refusal[DOCTOR_TEXT];	/* why it did not load, of the log; "": not said */
	char firmware[32];	/* what firmware left on, of the log: "MSR 38d is 330"; "": nothing */
	int device_error;	/* errno of opening the device; 0: query is set */
	struct memlat_query query;
	bool running;		/* a session does */
	__u64 cpus_still;	/* on so many CPUs nothing counts in it */

	/* Who else uses the PMU. */
	enum watchdog watchdog;
	size_t nr_holders;	/* all; so many as fit are named */
	struct holder holders[DOCTOR_HOLDERS];
	bool kvm;		/* kvm_intel is loaded */
	bool kvm_always;	/* and has VMX on as long as it is */
	bool kvm_counted;	/* how many use it is known: it is not built in */
	unsigned int kvm_users;
	const char *vmm;	/* a module of another hypervisor's; NULL: none is loaded */

	/* What the kernel allows, and whom. */
	char meltdown[DOCTOR_TEXT];	/* what is done about it; "": not told */
	enum doctor_lockdown lockdown;
	bool signed_only;	/* unsigned modules are refused */
	__u64 capabilities;
	bool kernel_names;	/* /proc/kallsyms shows addresses to this process */
	int kptr_restrict;	/* -1: not told */

	/* What names need. */
	char debug[DOCTOR_PATH];	/* a folder of separate debug files; "": none */
	char heap_library[DOCTOR_PATH];	/* record --heap's; "": not found */
};

#define CAPABILITY(number)	(1ULL << (number))

/* What files tell. The device, the holders and the heap library are the caller's to add. */
void doctor_look(struct doctor_facts *facts, const struct doctor_paths *paths);

enum doctor_state {
	DOCTOR_OK,
	DOCTOR_FIX,		/* can be mended: type it */
	DOCTOR_NO		/* not on this machine */
};

struct doctor_check {
	const char *key;	/* stable */
	const char *title;
	enum doctor_state state;
	bool needed;		/* nothing is sampled until it is mended */
	char found[3 * DOCTOR_TEXT];
	const char *type;	/* what to type; NULL: nothing */
};

#define DOCTOR_CHECKS	16

/* All checks, in the order to be told; how many. */
size_t doctor_judge(const struct doctor_facts *facts,
		    struct doctor_check checks[DOCTOR_CHECKS]);

/* The worst of what is needed. */
enum doctor_state doctor_verdict(const struct doctor_check *checks, size_t nr);

/* "ok", "fix", "no" */
const char *doctor_state_name(enum doctor_state state);

#endif
