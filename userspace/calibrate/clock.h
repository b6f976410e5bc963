/* SPDX-License-Identifier: GPL-2.0 */
/* A clock of core cycles, as far as user space can have one. */
#ifndef MEMLAT_CALIBRATE_CLOCK_H
#define MEMLAT_CALIBRATE_CLOCK_H

#include <linux/types.h>

enum clock_kind {
	CLOCK_PERF,	/* perf's count of this thread's cycles in user mode: exact */
	CLOCK_TSC	/* TSC ticks, divided by the ticks of an addition, which takes a cycle */
};

struct clock {
	enum clock_kind kind;
	int fd;			/* of perf's event, or -1 */
	double cycle;		/* ticks in a core cycle; 1 unless the TSC is used */
	double overhead;	/* ticks between two readings in sequence */
};

/* Set up the clock of the calling thread, which must stay on its CPU from now on. Never fails. */
void clock_begin(struct clock *clock);
void clock_end(struct clock *clock);

/* The ticks now: all earlier instructions are finished, no later one has begun. */
__u64 clock_ticks(const struct clock *clock);

/* Measure the length of a cycle again, because the frequency may have changed. */
void clock_adjust(struct clock *clock);

/* The cycles between two readings. */
double clock_cycles(const struct clock *clock, __u64 from, __u64 to);

/* "perf", "tsc" */
const char *clock_name(enum clock_kind kind);

#endif
