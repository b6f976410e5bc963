/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Latency buckets under the names of the levels that usually answer within them: the rows of the
 * latency table, joined by the machine's edges.
 */
#ifndef MEMLAT_LEVELS_H
#define MEMLAT_LEVELS_H

#include <stdbool.h>

#include "../profile/machine.h"
#include "../profile/snapshot.h"
#include "../util/source.h"

#define LEVELS_MAX	MEMLAT_BUCKETS
#define LEVEL_NAME_MAX	64

struct level {
	char name[LEVEL_NAME_MAX];	/* "L3", "DRAM/rmt cache"; "" if none is known */
	__u64 above, to;	/* cycles: (above, to]; to 0: open-ended */
	unsigned int first, last;	/* rows of the latency table */
	char title[32];		/* "<=90" */
	char key[32];		/* "misses_to_90", "misses_above_1024" */
};

struct levels {
	unsigned int nr;
	struct level level[LEVELS_MAX];
	bool known;		/* the machine's edges are known */
	bool measured;
};

void levels_find(struct levels *levels, const struct machine *machine,
		 const struct snapshot *snap);

/*
 * The rows of a latency table without loads that hit L1. The table does not tell these apart, but
 * their average latency shows in which row they are.
 */
void levels_misses(const struct snapshot *snap, const __u64 bucket[MEMLAT_BUCKETS],
		   __u64 hits, __u64 hits_latency, __u64 misses[MEMLAT_BUCKETS]);

/* The sum of the rows that belong to the level. */
__u64 level_sum(const struct level *level, const __u64 row[MEMLAT_BUCKETS]);

/* A source's heading: "L1", "rmt HITM"; and that of a column of several. */
const char *level_source_name(enum memlat_source source);
const char *level_column_name(enum source_column column);

#endif
