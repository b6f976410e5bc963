/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Caliper's scale factor: events that were counted beside the samples, divided by the number of the
 * same events that the samples stand for. The CPU tags only some loads for sampling, so a sum of
 * weights is less than the number of loads.
 */
#ifndef MEMLAT_SCALE_H
#define MEMLAT_SCALE_H

#include <stdbool.h>

#include "../profile/snapshot.h"

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

#endif
