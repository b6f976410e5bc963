/* SPDX-License-Identifier: GPL-2.0 */
/* How long an interval has to be so that watching it takes little of the machine. */
#ifndef MEMLAT_TOP_LENGTH_H
#define MEMLAT_TOP_LENGTH_H

#include <linux/types.h>

#define LENGTH_MOST_MS	60000	/* longest interval */

/* The cost of reading the last two intervals. All zero: there were none. */
struct length {
	__u64 cpu_ns[2];	/* processor time of reading, naming and drawing */
	__u64 own[2];		/* latency of memlat-ctl's own loads */
};

/* The cost of one interval that has ended. */
struct length_cost {
	/* length of the interval; 0: it is everything since the session began */
	__u64 interval_ns;
	__u64 cpu_ns;
	unsigned int cpus;	/* CPUs of the machine */
	__u64 own, all;		/* latency of memlat-ctl's own loads, and of all loads */
};

/*
 * The least milliseconds of the next interval. Go by the cheaper of the last two intervals. What is
 * done rarely, such as finding all names anew, is limited elsewhere.
 */
__u64 length_next(struct length *length, const struct length_cost *cost);

#endif
