/* SPDX-License-Identifier: GPL-2.0 */
/* What core cycles are counted with, as far as user space has something for it. */
#ifndef MEMLAT_CALIBRATE_CLOCK_H
#define MEMLAT_CALIBRATE_CLOCK_H

#include <linux/types.h>

enum clock_kind {
	CLOCK_PERF,	/* perf's cycles of this thread in user mode: exact */
	CLOCK_TSC	/* ticks, divided by those of an addition, which takes a cycle */
};

struct clock {
	enum clock_kind kind;
	int fd;			/* of perf's event, else -1 */
	double cycle;		/* ticks of a core cycle; 1 but with the TSC */
	double overhead;	/* ticks between two readings with nothing between */
};

/* For the thread that calls, which stays on its CPU from now on. Never fails. */
void clock_begin(struct clock *clock);
void clock_end(struct clock *clock);

/* Ticks now: all that came before is done, nothing that follows has begun. */
__u64 clock_ticks(const struct clock *clock);

/* The frequency may have moved: how long a cycle is now. */
void clock_adjust(struct clock *clock);

/* Cycles that passed between two readings. */
double clock_cycles(const struct clock *clock, __u64 from, __u64 to);

/* "perf", "tsc" */
const char *clock_name(enum clock_kind kind);

#endif
