/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Caliper's scale factor: events that were counted beside the samples, over the same
 * events that the samples stand for. The facility that samples loads looks at some of
 * them only, so that a sum of weights says less than there were.
 */
#ifndef MEMLAT_SCALE_H
#define MEMLAT_SCALE_H

#include <stdbool.h>

#include "../profile/snapshot.h"

/* Why there is a factor, or none. */
enum scale_why {
	SCALE_GOOD,
	SCALE_NOT_COUNTED,	/* nothing was counted beside the samples */
	SCALE_NO_EVENT,		/* the event found no counter, or this CPU has none such */
	SCALE_PARTLY,		/* not on all CPUs on which there was something */
	SCALE_LDLAT,		/* the threshold leaves out some that are counted */
	SCALE_NO_SAMPLES	/* none to hold the count against */
};

struct scale_count {
	bool known;
	__u64 value;		/* on all CPUs */
};

struct scale {
	enum scale_why why;
	unsigned int event;	/* that samples are held against; MEMLAT_EVENT_NR: none */
	__u64 counted;		/* of these, how many there were */
	__u64 sampled;		/* how many the samples stand for */
	double factor;		/* 1 where there is none */
	struct scale_count count[MEMLAT_EVENT_NR];	/* known only where all CPUs tell */
};

void scale_compute(struct scale *scale, const struct snapshot *snap);

/* What a sum of weights comes to. */
__u64 scale_up(const struct scale *scale, __u64 weight);

/* "good", "not_counted" and so on */
const char *scale_why_name(enum scale_why why);

#endif
