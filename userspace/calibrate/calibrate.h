/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Measure this machine's latencies by pointer chases. Neither the module nor a privilege is needed.
 */
#ifndef MEMLAT_CALIBRATE_CALIBRATE_H
#define MEMLAT_CALIBRATE_CALIBRATE_H

#include <stdbool.h>

#include "../profile/machine.h"
#include "clock.h"
#include "plan.h"

struct calibrate_options {
	__u64 size;		/* bytes of lines: measure only this size; 0: every level */
	__u64 caches[PLAN_CACHES];	/* as the user gave them; 0: what sysfs says */
	__u64 cpus[MEMLAT_CPU_WORDS];
	/* CPUs were given; otherwise take the first that this process may use */
	bool some_cpus;
	bool hitm;
};

struct calibration {
	struct machine machine;
	__u64 caches[PLAN_CACHES];	/* bytes, of the first CPU; 0: none, or not known */
	bool virtual;		/* a hypervisor is there */
	/* the TLB holds large pages; otherwise the order is kept within small blocks */
	bool large_pages;
	enum clock_kind clock;
	struct latency *latencies;
	size_t nr, room;
	__u32 edge[MEMLAT_SRC_NR];
	char missing[512];	/* what could not be measured fully, and why; "" */
};

/* Tells the user what is being measured; "": nothing any more. */
typedef void calibrate_progress(const char *what);

/*
 * machine.query has the name of the CPU's model. Returns 0 or -errno; *what says what could not be
 * done (static text). calibration_free() is needed in both cases.
 */
int calibrate(struct calibration *calibration, const struct calibrate_options *options,
	      const struct memlat_query *query, calibrate_progress *progress,
	      const char **what);
void calibration_free(struct calibration *calibration);

#endif
