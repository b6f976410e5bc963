/* SPDX-License-Identifier: GPL-2.0 */
/* Lists of CPUs, in the kernel's form. */
#ifndef MEMLAT_CPULIST_H
#define MEMLAT_CPULIST_H

#include <stdbool.h>
#include <stddef.h>

#include <linux/memlat.h>

#define CPULIST_CPUS	(MEMLAT_CPU_WORDS * 64)	/* CPUs that a list can name */

enum cpulist_result {
	CPULIST_OK,
	CPULIST_NOT,	/* not a list, or one without a CPU */
	CPULIST_ORDER,	/* a range that falls, or parts that are no parts */
	CPULIST_RANGE	/* a CPU beyond what a list can name */
};

/*
 * "0-3,8,10-11", and "0-31:2/4": of every 4 CPUs the first 2. What is refused
 * changes nothing.
 */
enum cpulist_result cpulist_parse(const char *text, __u64 cpus[MEMLAT_CPU_WORDS]);

/* "0-3,8": as much as fits whole into room, then "..."; returns out. */
char *cpulist_text(char *out, size_t room, const __u64 cpus[MEMLAT_CPU_WORDS]);

/* The CPUs that this machine can ever have; false when sysfs does not tell. */
bool cpulist_possible(__u64 cpus[MEMLAT_CPU_WORDS]);
/* Those that are online now. */
bool cpulist_online(__u64 cpus[MEMLAT_CPU_WORDS]);

#endif
