/* SPDX-License-Identifier: GPL-2.0 */
/* The counters of a session and their meanings. Views, the schema and merge use this list. */
#ifndef MEMLAT_SESSION_COUNTERS_H
#define MEMLAT_SESSION_COUNTERS_H

#include <stdbool.h>
#include <stddef.h>

#include <linux/memlat.h>

/* How the values of two sessions are merged. */
enum counter_merge {
	COUNTER_SUM,
	COUNTER_MOST,
	COUNTER_BOUND,	/* the sum; the larger one of two parts of one session */
	COUNTER_OTHER	/* not from these two values alone: see merge.c */
};

struct counter {
	const char *name;	/* of the member; it is also the key in JSON and CSV */
	size_t offset;		/* of the __u64 in struct memlat_status */
	enum counter_merge merge;
	const char *unit;
	const char *meaning;
};

extern const struct counter counters[];	/* in the order of the text */
extern const size_t nr_counters;

__u64 counter_of(const struct memlat_status *status, const struct counter *counter);

/* Are both of one session, as its intervals are? Its bounds then already hold for all before. */
static inline bool counters_of_one(const struct memlat_status *a, const struct memlat_status *b)
{
	return a->started_ns && a->started_ns == b->started_ns;
}

/* Merge all counters but COUNTER_OTHER. started_ns is still unmerged. */
void counters_merge(struct memlat_status *into, const struct memlat_status *other);

#endif
