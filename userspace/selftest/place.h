/* SPDX-License-Identifier: GPL-2.0 */
/* Choose CPUs, and the amount of memory for each level. */
#ifndef MEMLAT_SELFTEST_PLACE_H
#define MEMLAT_SELFTEST_PLACE_H

#include <stdbool.h>

#include <linux/types.h>

enum chase_level {
	LEVEL_L1,
	LEVEL_L2,
	LEVEL_L3,
	LEVEL_DRAM,
	LEVELS
};

struct place {
	int cpu;		/* the first that this process may use */
	int near;		/* on another core of the same socket; -1: none */
	int far;		/* on another socket; -1: none */
	__u64 cache[LEVEL_DRAM];	/* in bytes, from sysfs; 0: not known */
	__u64 bytes[LEVELS];	/* for the chase; 0: this level cannot be hit alone */
	bool emulated;		/* there is a hypervisor, which may make up sizes and the clock */
};

/* root: of the file system; "" except in tests. False: no CPU can be used. */
bool place_find(struct place *place, const char *root);
/* Choose the sizes of the chases, from the caches' sizes and the memory limit most. */
void place_sizes(struct place *place, __u64 most);

#endif
