/* SPDX-License-Identifier: GPL-2.0 */
/* Instructions added up by load module, function, source line: rows of dcache. */
#ifndef MEMLAT_DCACHE_ROWS_H
#define MEMLAT_DCACHE_ROWS_H

#include <stddef.h>

#include "../analysis/floor.h"
#include "../names/namer.h"
#include "../profile/profile.h"

enum dcache_by {
	DCACHE_MODULE,
	DCACHE_FUNCTION,
	DCACHE_LINE,
	DCACHE_INSTRUCTION,
	DCACHE_BY
};

/* What the samples of some instructions add up to. */
struct dcache_sum {
	__u64 samples, stores;
	__u64 hits, misses;		/* loads served from L1, and all others */
	__u64 latency;			/* cycles of the misses */
	__u64 hits_latency;
	__u64 weight, cost;		/* of all samples */
	__u64 est_misses;		/* that the sampled ones stand for */
	__u64 bucket[MEMLAT_BUCKETS];	/* misses by latency */
	__u64 source[MEMLAT_SRC_NR];
	__u64 part[MEMLAT_PART_NR];
};

struct dcache_row {
	const struct memlat_rec_site *site;	/* the most costly of them */
	const struct code_name *name;		/* of that */
	size_t nr_sites;
	__u64 cost_before;			/* of the rows above */
	struct dcache_sum sum;
};

struct dcache_rows {
	enum dcache_by by;
	size_t nr;		/* rows held, the most costly first */
	size_t total;		/* rows there are */
	struct floor_fold few;	/* of these below the floor, which are the last ones */
	struct dcache_row *rows;
};

/*
 * show: hold so many at most, 0: all; fold: and none below the floor, where there are
 * others.
 */
void dcache_rows_find(struct dcache_rows *rows, const struct profile *profile,
		      struct namer *namer, enum dcache_by by, size_t show, bool fold);
void dcache_rows_free(struct dcache_rows *rows);

/* Of everything, what was evicted from the table of instructions too. */
void dcache_totals(struct dcache_sum *sum, const struct snapshot *snap);

#endif
