/* SPDX-License-Identifier: GPL-2.0 */
/* Which amount of memory shows which level, and which edges follow from the latencies. */
#ifndef MEMLAT_CALIBRATE_PLAN_H
#define MEMLAT_CALIBRATE_PLAN_H

#include <stddef.h>

#include <linux/memlat.h>

#define PLAN_SIZES	3	/* for one level */
#define PLAN_CACHES	3	/* L1, L2, L3 */

struct plan_sizes {
	unsigned int nr;
	__u64 bytes[PLAN_SIZES];
};

/*
 * Sizes that are beyond the cache before (0: there is none) and within this one, in bytes. There
 * are none if the two are so similar that neither can be measured alone.
 */
void plan_cache(struct plan_sizes *sizes, __u64 before, __u64 cache);
/* Sizes beyond the last cache, up to most bytes; none if most is too small. */
void plan_memory(struct plan_sizes *sizes, __u64 cache, __u64 most);

/* One measurement of a level. */
struct latency {
	enum memlat_source source;	/* MEMLAT_SRC_UNKNOWN: of a size that the user gave */
	int cpu;		/* the CPU that loads */
	int node;		/* of the memory; -1: not known, or in a cache */
	int writer;		/* for HITM, the CPU that wrote; otherwise -1 */
	__u64 least, most;	/* bytes of lines: the smallest and the largest walk */
	unsigned int runs;
	double cycles;		/* of a load: median of all runs, */
	double low, high;	/* and their quartiles */
	double ns;		/* the same median in wall-clock time */
};

/*
 * Among the measurements of one CPU, from index from on, remove caches that are hardly faster than
 * the next one or than this node's memory, since they cannot be told apart. Returns them as a bit
 * for each source.
 */
__u32 plan_rising(struct latency *latencies, size_t from, size_t *nr);

/* Sort the values and return median and quartiles; nr is not 0. */
void plan_median(double *values, size_t nr, double *low, double *median, double *high);

/* The median alone, without changing the values; nr is odd, and at most 99. */
double plan_middle(const double *values, size_t nr);

/*
 * Upper edges in cycles by source, 0 if the source was not measured. An edge is the geometric mean
 * of the level's latency and that of the next slower level, but at most twice its own, and exactly
 * that for the slowest level. Of several measurements of a source, the slowest counts.
 */
void plan_edges(const struct latency *latencies, size_t nr, __u32 edge[MEMLAT_SRC_NR]);

#endif
