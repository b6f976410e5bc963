/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The share of busy cycles in which loads wait for memory, as an interval. All views ask here, so
 * that they say the same of a session.
 *
 * Stalls by loads that missed L1 are counted where a counter is free, and by record --counts. Then
 * the share is known, but for locked instructions: these wait elsewhere, and the event leaves them
 * out (Intel's top-down method has them under "L1 bound", wherever their line is). Otherwise the
 * sampled latency, scaled to the counted misses, bounds it from above only: latencies overlap each
 * other and other work.
 */
#ifndef MEMLAT_WAITS_H
#define MEMLAT_WAITS_H

#include <stdbool.h>

#include "../profile/snapshot.h"

/*
 * Caliper's scale factor: events that were counted beside the samples, divided by the number of the
 * same events that the samples stand for. The CPU tags only some loads for sampling, so a sum of
 * weights is less than the number of loads.
 */

/* Why there is a factor, or none. */
enum scale_why {
	SCALE_GOOD,
	SCALE_NOT_COUNTED,	/* nothing was counted beside the samples */
	SCALE_NO_EVENT,		/* no free counter, or this CPU has no such event */
	SCALE_PARTLY,		/* not counted on all CPUs that ran */
	SCALE_LDLAT,		/* the threshold excludes some of the counted events */
	SCALE_NO_SAMPLES	/* no samples of it, or nothing was counted */
};

struct scale_count {
	bool known;
	__u64 value;		/* on all CPUs */
};

struct scale {
	enum scale_why why;
	unsigned int event;	/* that samples are compared with; MEMLAT_EVENT_NR: none */
	__u64 counted;		/* number of these events */
	__u64 sampled;		/* number that the samples stand for */
	double factor;		/* 1 if there is none */
	struct scale_count count[MEMLAT_EVENT_NR];	/* known only if all CPUs counted it */
};

void scale_compute(struct scale *scale, const struct snapshot *snap);

/* A sum of weights times the factor. */
__u64 scale_up(const struct scale *scale, __u64 weight);

/* "good", "not_counted" and so on */
const char *scale_why_name(enum scale_why why);

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
	double locked;		/* with WAITS_COUNTED: the part of the latency that locked loads have */
	bool still;		/* stalls were counted, and none came although loads were slow */
	struct scale scale;
};

#define WAITS_LITTLE	0.05	/* with less at most, memory is hardly the problem */
#define WAITS_LOCKED	0.1	/* with more of the latency of locked loads, the count is only a part */
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
