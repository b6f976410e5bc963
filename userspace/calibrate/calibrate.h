/* SPDX-License-Identifier: GPL-2.0 */
/* This machine's latencies, by pointer chase. Needs neither the module nor a privilege. */
#ifndef MEMLAT_CALIBRATE_CALIBRATE_H
#define MEMLAT_CALIBRATE_CALIBRATE_H

#include <stdbool.h>

#include "../profile/machine.h"
#include "clock.h"
#include "plan.h"

struct calibrate_options {
	__u64 size;		/* bytes of lines, and nothing else; 0: every level */
	__u64 caches[PLAN_CACHES];	/* as told; 0: what sysfs says */
	__u64 cpus[MEMLAT_CPU_WORDS];
	bool some_cpus;		/* these; else the first that may be used */
	bool hitm;
};

struct calibration {
	struct machine machine;
	__u64 caches[PLAN_CACHES];	/* bytes, of the first CPU; 0: none, or not known */
	bool virtual;		/* a hypervisor is there */
	bool large_pages;	/* are what the TLB has: else order is kept to small blocks */
	enum clock_kind clock;
	struct latency *latencies;
	size_t nr, room;
	__u32 edge[MEMLAT_SRC_NR];
	char missing[512];	/* what could not be measured, or not in full, and why; "" */
};

/* What is under way, for who waits; "": no more. */
typedef void calibrate_progress(const char *what);

/*
 * machine.query has the name of the CPU's model. 0 or -errno with *what saying what
 * could not be done (static text); calibration_free() in any case.
 */
int calibrate(struct calibration *calibration, const struct calibrate_options *options,
	      const struct memlat_query *query, calibrate_progress *progress,
	      const char **what);
void calibration_free(struct calibration *calibration);

#endif
