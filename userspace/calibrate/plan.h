/* SPDX-License-Identifier: GPL-2.0 */
/* How much memory shows which level, and what latencies say of the levels' edges. */
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
 * Lines that are beyond the cache before (0: there is none) and within this one, in
 * bytes; none where the two are so alike that neither can be had alone.
 */
void plan_cache(struct plan_sizes *sizes, __u64 before, __u64 cache);
/* Lines beyond the last cache, of at most so many bytes; none: they would not be. */
void plan_memory(struct plan_sizes *sizes, __u64 cache, __u64 most);

/* Where one level was measured. */
struct latency {
	enum memlat_source source;	/* MEMLAT_SRC_UNKNOWN: of a size that was asked for */
	int cpu;		/* that loads */
	int node;		/* of the memory; -1: not known, or it is in a cache */
	int writer;		/* of HITM: the CPU that wrote; else -1 */
	__u64 least, most;	/* bytes of lines: the smallest and the largest walk */
	unsigned int runs;
	double cycles;		/* of a load: the median of all runs, */
	double low, high;	/* and their quartiles */
	double ns;		/* the median by the wall clock */
};

/*
 * Of the measurements of one CPU, those from the given one on: a cache that is hardly
 * faster than the next one, or than this node's memory, cannot be told from that and is
 * taken out. Tells which, a bit for each source.
 */
__u32 plan_rising(struct latency *latencies, size_t from, size_t *nr);

/* Median and quartiles of what is sorted here; nr is not 0. */
void plan_median(double *values, size_t nr, double *low, double *median, double *high);

/* The median alone, of values that stay as they are; nr is odd, and not above 99. */
double plan_middle(const double *values, size_t nr);

/*
 * Upper edges in cycles by source, 0 where it was not measured: the geometric mean of a
 * level's latency and that of the next slower one, and no more than twice its own; the
 * slowest one's is that. Of several measurements of a source the slowest.
 */
void plan_edges(const struct latency *latencies, size_t nr, __u32 edge[MEMLAT_SRC_NR]);

#endif
