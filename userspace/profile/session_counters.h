/* SPDX-License-Identifier: GPL-2.0 */
/* The counters of a session, each with its meaning. Views, the schema and merge follow from it. */
#ifndef MEMLAT_SESSION_COUNTERS_H
#define MEMLAT_SESSION_COUNTERS_H

#include <stddef.h>

#include <linux/memlat.h>

/* What two sessions have together. */
enum counter_merge {
	COUNTER_SUM,
	COUNTER_MOST,
	COUNTER_OTHER	/* not from these two alone: see merge.c */
};

struct counter {
	const char *name;	/* of the member, and in JSON and CSV */
	size_t offset;		/* in struct memlat_status, of a __u64 */
	enum counter_merge merge;
	const char *unit;
	const char *meaning;
};

extern const struct counter counters[];	/* in the order of the text */
extern const size_t nr_counters;

__u64 counter_of(const struct memlat_status *status, const struct counter *counter);

/* All but COUNTER_OTHER. */
void counters_merge(struct memlat_status *into, const struct memlat_status *other);

#endif
