/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A profile whose samples the kernel's perf took: from another tool's file (memlat-ctl import), or
 * while memlat-ctl recorded without the module (perf's engine). Bits of the status' flags that no
 * module sets say so, and say which facts are missing.
 */
#ifndef MEMLAT_IMPORTED_H
#define MEMLAT_IMPORTED_H

#include <stdbool.h>

#include <linux/memlat.h>

#define IMPORTED		(1U << 31)	/* it was imported */
#define IMPORTED_NO_LATENCY	(1U << 30)	/* unknown: how long loads took */
#define IMPORTED_NO_CPU		(1U << 29)	/* unknown: the CPUs, and so the nodes */
#define IMPORTED_NO_NODE	(1U << 28)	/* unknown: the node of each CPU */
/* unknown: how many loads a sample stands for; counted as one */
#define IMPORTED_NO_PERIOD	(1U << 27)
/* unknown: the time, so processes with one number are one */
#define IMPORTED_NO_TIME	(1U << 26)
#define IMPORTED_THROTTLED	(1U << 25)	/* perf paused now and then */
#define IMPORTED_L3_MISSES	(1U << 24)	/* only loads that missed L3 were sampled */
#define IMPORTED_STREAMING	(1U << 23)	/* only streaming stores were sampled */
#define IMPORTED_NO_HITM	(1U << 22)	/* these cores cannot report HITM */
/* unknown: the user space part of call chains, which are in records of their own */
#define IMPORTED_DEFERRED	(1U << 21)

#define SAMPLED_BY_PERF		(1U << 20)	/* perf's engine took the samples */

#define IMPORTED_ALL		(~0U << 20)

static inline bool imported(const struct memlat_status *status)
{
	return status->flags & IMPORTED;
}

/* Did perf take the samples? */
static inline bool imported_by_perf(const struct memlat_status *status)
{
	return status->flags & (IMPORTED | SAMPLED_BY_PERF);
}

/* How often perf paused its events. Where the module finds a full buffer, records are missing too. */
static inline __u64 imported_throttled(const struct memlat_status *status)
{
	return status->flags & SAMPLED_BY_PERF ? status->full_pmis : 0;
}

/* The loads to divide a latency by: none if the file did not tell how long loads took. */
static inline __u64 imported_timed(const struct memlat_status *status, __u64 loads)
{
	return status->flags & IMPORTED_NO_LATENCY ? 0 : loads;
}

#endif
