/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Measure this machine's latencies by pointer chases. Neither the module nor a privilege is needed.
 */
#ifndef MEMLAT_CALIBRATE_CALIBRATE_H
#define MEMLAT_CALIBRATE_CALIBRATE_H

#include <stdbool.h>
#include <stddef.h>

#include <linux/memlat.h>

#include "../profile/file.h"
#include "../profile/machine.h"
#include "work.h"

/* Which amount of memory shows which level, and which edges follow from the latencies. */

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

struct calibrate_options {
	__u64 size;		/* bytes of lines: measure only this size; 0: every level */
	__u64 caches[PLAN_CACHES];	/* as the user gave them; 0: what sysfs says */
	__u64 cpus[MEMLAT_CPU_WORDS];
	/* CPUs were given; otherwise take the first that this process may use */
	bool some_cpus;
	bool hitm;
};

struct calibration {
	struct machine machine;
	__u64 caches[PLAN_CACHES];	/* bytes, of the first CPU; 0: none, or not known */
	bool virtual;		/* a hypervisor is there */
	/* the TLB holds large pages; otherwise the order is kept within small blocks */
	bool large_pages;
	enum clock_kind clock;
	struct latency *latencies;
	size_t nr, room;
	__u32 edge[MEMLAT_SRC_NR];
	char missing[512];	/* what could not be measured fully, and why; "" */
};

/* Tells the user what is being measured; "": nothing any more. */
typedef void calibrate_progress(const char *what);

/*
 * machine.query has the name of the CPU's model. Returns 0 or -errno; *what says what could not be
 * done (static text). calibration_free() is needed in both cases.
 */
int calibrate(struct calibration *calibration, const struct calibrate_options *options,
	      const struct memlat_query *query, calibrate_progress *progress,
	      const char **what);
void calibration_free(struct calibration *calibration);

/* The latency of a load of a line that another CPU has just modified. */

#define HITM_BYTES	(16 * 1024)	/* of lines, which stay in the writer's L1 */

/*
 * The calling thread, which is bound to its CPU, walks lines that a thread on the CPU writer
 * modifies before each run. Stores the cycles and ns of a load for each run. 0 or -errno.
 */
int hitm_measure(const struct clock *clock, int writer, unsigned int runs, double *cycles,
		 double *ns);

/* The file that machine_edges_find() reads. */

struct json_object;

/* Why the path cannot be written (static text); NULL: it can. */
const char *store_wrong(const char *path);

/*
 * Write the document and free it. folders: make the folders above it. The old file stays until the
 * new one is complete. Returns 0 or -errno; why says what could not be done.
 */
int store_write(const char *path, bool folders, struct json_object *document,
		char why[FILE_NEW_WHY_MAX]);

#endif
