/* SPDX-License-Identifier: GPL-2.0 */
/* While a session runs: what came in each interval. */
#ifndef MEMLAT_RECORD_INTERVAL_H
#define MEMLAT_RECORD_INTERVAL_H

#include "../profile/intervals.h"

struct interval_run {
	int device;
	__u64 started_ns;	/* of the session, to know it by */
	struct intervals *kept;	/* NULL: none are wanted */
	struct snapshot last;	/* where the one begins that is under way */
	bool begun;		/* there is such a one */
	int error;		/* why none are kept any more */
};

/* One is over: 0 or -errno. */
int interval_take(struct interval_run *run);
/* The last one, from what the session has at its end. */
void interval_finish(struct interval_run *run, const struct snapshot *end);
void interval_free(struct interval_run *run);

#endif
