/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Find out what keeps memlat from working on a machine. Facts are collected first, and then judged.
 * Collecting needs neither root nor the module, and changes nothing.
 */
#ifndef MEMLAT_DOCTOR_H
#define MEMLAT_DOCTOR_H

#include <stdbool.h>
#include <stddef.h>

#include <linux/memlat.h>

#include "../host/cpu_models.h"
#include "../host/process.h"

#define DOCTOR_HOLDERS	4	/* holders of the PMU that are named */
#define DOCTOR_TEXT	256
#define DOCTOR_PATH	512

/* Where to look for the facts; NULL: there is no such place. */
struct doctor_paths {
	const char *proc;	/* /proc */
	const char *sys;	/* /sys */
	const char *log;	/* /dev/kmsg */
	const char *modules;	/* /lib/modules/RELEASE */
	const char *debug;	/* folders with separate debug files, colon-separated */
};

enum doctor_lockdown {
	LOCKDOWN_UNKNOWN,	/* the kernel has no lockdown, or securityfs is not mounted */
	LOCKDOWN_NONE,
	LOCKDOWN_INTEGRITY,
	LOCKDOWN_CONFIDENTIALITY
};

struct doctor_facts {
	/* The CPU, from /proc/cpuinfo. */
	bool has_cpu;		/* the file could be read */
	struct cpu_identity cpu;
	char cpu_name[DOCTOR_TEXT];
	bool hypervisor, pebs, pdcm;

	/* The module. */
	bool loaded;
	char version[32];
	bool installed;		/* modprobe would find it */
	bool log_readable;
	char refusal[DOCTOR_TEXT];	/* why it did not load, from the log; "": no reason there */
	char firmware[32];	/* what firmware left on, by the log: "MSR 38d is 330", or "" */
	int device_error;	/* errno of opening the device; 0: query is set */
	struct memlat_query query;
	bool running;		/* a session is running */
	__u64 cpus_still;	/* number of CPUs on which nothing counts in the session */

	/* Sampling without the module: the kernel describes the event; kernel.perf_event_paranoid. */
	bool perf_loads;
	int paranoid;		/* 2, as in the kernel, if it is not known */

	/* Who else uses the PMU. */
	enum watchdog watchdog;
	size_t nr_holders;	/* of all; holders[] has as many as fit */
	struct holder holders[DOCTOR_HOLDERS];
	bool kvm;		/* kvm_intel is loaded */
	unsigned int kvm_users;
	const char *vmm;	/* another hypervisor's module; NULL: none is loaded */

	/* What the kernel allows, and to whom. */
	char meltdown[DOCTOR_TEXT];	/* the kernel's mitigation; "": not known */
	enum doctor_lockdown lockdown;
	bool signed_only;	/* unsigned modules are refused */
	__u64 capabilities;
	bool kernel_names;	/* /proc/kallsyms shows addresses to this process */
	int kptr_restrict;	/* -1: not known */

	/* What names need. */
	char debug[DOCTOR_PATH];	/* a folder of separate debug files; "": none */
	char heap_library[DOCTOR_PATH];	/* the library of record --heap; "": not found */
};

#define CAPABILITY(number)	(1ULL << (number))

/* Read which CPU this is. proc: where /proc is. */
void doctor_look_at_cpu(struct doctor_facts *facts, const char *proc);
/* Collect the facts that are in files. The caller adds the device, holders and heap library. */
void doctor_look(struct doctor_facts *facts, const struct doctor_paths *paths);

enum doctor_state {
	DOCTOR_OK,
	DOCTOR_FIX,		/* can be fixed, by typing what the check says */
	DOCTOR_NO		/* can't work on this machine */
};

struct doctor_check {
	const char *key;	/* for scripts; does not change */
	const char *title;
	enum doctor_state state;
	bool needed;		/* nothing is sampled until it is fixed */
	char found[3 * DOCTOR_TEXT];
	const char *type;	/* what to type; NULL: nothing */
};

#define DOCTOR_CHECKS	16

/* Make all checks, in the order in which they are shown. Returns their number. */
size_t doctor_judge(const struct doctor_facts *facts,
		    struct doctor_check checks[DOCTOR_CHECKS]);

/* The worst state of the checks that are needed. */
enum doctor_state doctor_verdict(const struct doctor_check *checks, size_t nr);

/* "ok", "fix", "no" */
const char *doctor_state_name(enum doctor_state state);

#endif
