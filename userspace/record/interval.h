/* SPDX-License-Identifier: GPL-2.0 */
/* Intervals of a running session: what was sampled in each. */
#ifndef MEMLAT_RECORD_INTERVAL_H
#define MEMLAT_RECORD_INTERVAL_H

#include "../profile/intervals.h"

struct interval_run {
	int device;
	__u64 started_ns;	/* identifies the session */
	struct intervals *kept;	/* NULL: no intervals are wanted */
	struct snapshot last;	/* snapshot at the begin of the current interval */
	bool begun;		/* last is valid */
	int error;		/* errno that stopped the taking of intervals; 0: none */
};

/* End the current interval. Returns 0 or -errno. */
int interval_take(struct interval_run *run);
/* Add the last interval, from the session's final snapshot. */
void interval_finish(struct interval_run *run, const struct snapshot *end);
void interval_free(struct interval_run *run);

#endif
