/* SPDX-License-Identifier: GPL-2.0 */
/* The counters of a session and their meanings. Views, the schema and merge use this list. */
#ifndef MEMLAT_SESSION_COUNTERS_H
#define MEMLAT_SESSION_COUNTERS_H

#include <stddef.h>

#include <linux/memlat.h>

/* How the values of two sessions are merged. */
enum counter_merge {
	COUNTER_SUM,
	COUNTER_MOST,
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

/* Merge all counters but COUNTER_OTHER. */
void counters_merge(struct memlat_status *into, const struct memlat_status *other);

#endif
