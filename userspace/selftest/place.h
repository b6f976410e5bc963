/* SPDX-License-Identifier: GPL-2.0 */
/* Which CPUs, and how much memory for each level. */
#ifndef MEMLAT_SELFTEST_PLACE_H
#define MEMLAT_SELFTEST_PLACE_H

#include <stdbool.h>

#include <linux/types.h>

enum level {
	LEVEL_L1,
	LEVEL_L2,
	LEVEL_L3,
	LEVEL_DRAM,
	LEVELS
};

struct place {
	int cpu;		/* the first that this process may use */
	int near;		/* on another core of its socket; -1: there is none */
	int far;		/* on another socket; -1 */
	__u64 cache[LEVEL_DRAM];	/* bytes, as sysfs says; 0: it does not */
	__u64 bytes[LEVELS];	/* for a chase; 0: this level cannot be hit alone */
	bool emulated;		/* a hypervisor is there: sizes and the clock may be made up */
};

/* root: of the file system, "" but in tests. False: no CPU to be had. */
bool place_find(struct place *place, const char *root);
/* From cache sizes and the memory that may be taken to what chases go through. */
void place_sizes(struct place *place, __u64 most);

#endif
