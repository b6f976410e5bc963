/* SPDX-License-Identifier: GPL-2.0 */
/* How long an interval has to be, so that watching takes little of what is watched. */
#ifndef MEMLAT_TOP_LENGTH_H
#define MEMLAT_TOP_LENGTH_H

#include <linux/types.h>

#define LENGTH_MOST_MS	60000	/* nobody waits for longer */

/* What the last two intervals cost. All zero: there was none. */
struct length {
	__u64 cpu_ns[2];	/* processor time, all that is done in one */
	__u64 own[2];		/* cost of memlat-ctl's own loads */
};

/* One interval that is over. */
struct length_cost {
	__u64 interval_ns;	/* as long as it was; 0: it is all since the session began */
	__u64 cpu_ns;
	unsigned int cpus;	/* that the machine has */
	__u64 own, all;		/* cost of memlat-ctl's own loads, and of all */
};

/*
 * Milliseconds that the next one needs at least. Of the last two the one that cost less is gone
 * by: what is rarely done, such as finding all names anew, has a bound of its own.
 */
__u64 length_next(struct length *length, const struct length_cost *cost);

#endif
