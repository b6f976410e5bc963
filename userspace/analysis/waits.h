/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The share of busy cycles in which loads wait for memory, as an interval. All views ask here, so
 * that they say the same of a session.
 *
 * Stalls by loads that missed L1 are counted where a counter is free, and by record --counts. Then
 * the share is known. Otherwise the sampled latency, scaled to the counted misses, bounds it from
 * above only: latencies overlap each other and other work.
 */
#ifndef MEMLAT_WAITS_H
#define MEMLAT_WAITS_H

#include <stdbool.h>

#include "../profile/snapshot.h"
#include "scale.h"

enum waits_why {
	WAITS_COUNTED,
	WAITS_ESTIMATED,
	WAITS_NO_LATENCY,	/* no load was sampled, or without latency */
	WAITS_NO_BUSY,		/* busy cycles were not counted */
	WAITS_NO_FACTOR		/* it is not known how many loads a sample stands for */
};

struct waits {
	enum waits_why why;
	double low, high;	/* parts of the busy cycles; 0 and 1 if they are not known */
	double each;		/* the most that a cycle of sampled cost adds; 0: not known */
	struct scale scale;
};

#define WAITS_LITTLE	0.05	/* with less at most, memory is hardly the problem */
#define WAITS_MOST	0.5	/* with more at least, memory is what the CPUs wait for */

/* counted: the run of record --counts; NULL: there was none. */
void waits_compute(struct waits *waits, const struct snapshot *snap,
		   const struct snapshot *counted);
/* Does anything bound the share? */
static inline bool waits_known(const struct waits *waits)
{
	return waits->why <= WAITS_ESTIMATED;
}

#endif
