/* SPDX-License-Identifier: GPL-2.0 */
/* The kernel's own events for the latency of loads and for stores, as sysfs describes them. */
#ifndef MEMLAT_PMU_H
#define MEMLAT_PMU_H

#include <stdbool.h>
#include <stddef.h>

#include <linux/memlat.h>

#define PMUS_MAX	4	/* kinds of cores */

struct pmu_event {
	bool there;
	__u64 config[3];	/* config, config1 and config2 of struct perf_event_attr */
};

/* The PMU of one kind of core. */
struct pmu {
	char name[32];
	__u32 type;
	unsigned int precise;	/* the highest precise_ip; 3 if it is not known */
	bool everywhere;	/* the only one here; otherwise it is on these CPUs */
	__u64 cpus[MEMLAT_CPU_WORDS];
	struct pmu_event loads, stores;
	/* What has to count beside the loads, as the leader of their group. */
	struct pmu_event aux;
};

/* Find the PMUs that can sample loads. sys: where /sys is. ldlat: their threshold. */
size_t pmu_find(struct pmu pmus[PMUS_MAX], const char *sys, __u32 ldlat);
/* That of a CPU; NULL: none can sample its loads. */
const struct pmu *pmu_of(const struct pmu *pmus, size_t nr, unsigned int cpu);

#endif
