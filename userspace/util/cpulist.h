/* SPDX-License-Identifier: GPL-2.0 */
/* Lists of CPUs, in the kernel's form. */
#ifndef MEMLAT_CPULIST_H
#define MEMLAT_CPULIST_H

#include <stdbool.h>
#include <stddef.h>

#include <linux/memlat.h>

#define CPULIST_CPUS	(MEMLAT_CPU_WORDS * 64)	/* CPUs that a list can name */

static inline bool cpulist_has(const __u64 cpus[MEMLAT_CPU_WORDS], unsigned int cpu)
{
	return cpus[cpu / 64] >> cpu % 64 & 1;
}

static inline unsigned int cpulist_nr(const __u64 cpus[MEMLAT_CPU_WORDS])
{
	unsigned int i, nr = 0;

	for (i = 0; i < MEMLAT_CPU_WORDS; i++)
		nr += (unsigned int)__builtin_popcountll(cpus[i]);
	return nr;
}

enum cpulist_result {
	CPULIST_OK,
	CPULIST_NOT,	/* no list, or a list without a CPU */
	CPULIST_ORDER,	/* a falling range, or impossible parts of one */
	CPULIST_RANGE	/* a CPU number that is too large for a list */
};

/* Parse "0-3,8,10-11", or "0-31:2/4": the first 2 of every 4 CPUs. On an error nothing changes. */
enum cpulist_result cpulist_parse(const char *text, __u64 cpus[MEMLAT_CPU_WORDS]);

/* "0-3,8": as many whole items as fit into room, then "..."; returns out. */
char *cpulist_text(char *out, size_t room, const __u64 cpus[MEMLAT_CPU_WORDS]);

/*
 * The CPUs that this machine can ever have; false if sysfs does not tell. It prints at most 4 KiB:
 * if a list is longer, only whole items that are there count.
 */
bool cpulist_possible(__u64 cpus[MEMLAT_CPU_WORDS]);
/* The CPUs that it has now, online or not. */
bool cpulist_present(__u64 cpus[MEMLAT_CPU_WORDS]);
/* The CPUs that are online now. */
bool cpulist_online(__u64 cpus[MEMLAT_CPU_WORDS]);

#endif
