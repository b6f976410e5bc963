/* SPDX-License-Identifier: GPL-2.0 */
/* What measurements share: where they run, the loads that they run, and a clock. */
#ifndef MEMLAT_MEASURE_WORK_H
#define MEMLAT_MEASURE_WORK_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include <linux/types.h>

/* Choose CPUs, and the amount of memory for each level. */

enum chase_level {
	LEVEL_L1,
	LEVEL_L2,
	LEVEL_L3,
	LEVEL_DRAM,
	LEVELS
};

struct place {
	int cpu;		/* the first that this process may use */
	int near;		/* on another core of the same socket; -1: none */
	int far;		/* on another socket; -1: none */
	__u64 cache[LEVEL_DRAM];	/* in bytes, from sysfs; 0: not known */
	__u64 bytes[LEVELS];	/* for the chase; 0: this level cannot be hit alone */
	bool emulated;		/* there is a hypervisor, which may make up sizes and the clock */
};

/* root: of the file system; "" except in tests. False: no CPU can be used. */
bool place_find(struct place *place, const char *root);
/* Choose the sizes of the chases, from the caches' sizes and the memory limit most. */
void place_sizes(struct place *place, __u64 most);

/* Memory for pointer chases: the address of each load is the value of the previous one. */

#define CHASE_LINE	64

/*
 * Only one line of each pair is used, either the first or the second. So a prefetcher that fetches
 * the next line, or the other line of a pair, fetches an unused one.
 */
#define CHASE_PAIR	(2 * CHASE_LINE)

struct chase_line {
	struct chase_line *next;
	__u64 written;		/* written by another CPU, if the line should be modified there */
	char pad[CHASE_LINE - sizeof(void *) - sizeof(__u64)];
};

struct chase_pool {
	char *memory;
	size_t bytes, apart;	/* all, and from one line, or pair of lines, to the next */
	char *mapped;
	size_t mapped_bytes;
};

/*
 * Allocate room for lines of so many bytes, in large pages if possible, on a node (-1: wherever this
 * CPU's memory is allocated). apart: CHASE_PAIR, or CHASE_LINE for lines without gaps. 0 or -errno.
 */
int chase_pool_make(struct chase_pool *pool, __u64 line_bytes, size_t apart, int node);
void chase_pool_free(struct chase_pool *pool);

/*
 * Lay one circle through lines of so many bytes, at least 16 lines, in an irregular order that is
 * always the same. block: visit all lines of such a block before any other, so that their pages
 * stay in the TLB; 0: no blocks.
 */
struct chase_line *chase_lay(struct chase_pool *pool, __u64 line_bytes, __u64 block);

/* The same with one line in each page of 4 KiB, at varying places of the page. */
struct chase_line *chase_lay_pages(struct chase_pool *pool, __u64 pages);

/* Walk a multiple of 16 steps. No other instruction accesses memory. */
struct chase_line *chase_walk(struct chase_line *at, __u64 steps);

/* A clock of core cycles, as far as user space can have one. */

enum clock_kind {
	CLOCK_PERF,	/* perf's count of this thread's cycles in user mode: exact */
	CLOCK_TSC	/* TSC ticks, divided by the ticks of an addition, which takes a cycle */
};

struct clock {
	enum clock_kind kind;
	int fd;			/* of perf's event, or -1 */
	double cycle;		/* ticks in a core cycle; 1 unless the TSC is used */
	double overhead;	/* ticks between two readings in sequence */
};

/* Set up the clock of the calling thread, which must stay on its CPU from now on. Never fails. */
void clock_begin(struct clock *clock);
void clock_end(struct clock *clock);

/* The ticks now: all earlier instructions are finished, no later one has begun. */
__u64 clock_ticks(const struct clock *clock);

/* Measure the length of a cycle again, because the frequency may have changed. */
void clock_adjust(struct clock *clock);

/* Walk, and store the cycles and ns of a step. */
struct chase_line *chase_time(struct chase_line *at, __u64 steps, const struct clock *clock,
			      double *cycles, double *ns);

/* "perf", "tsc" */
const char *clock_name(enum clock_kind kind);

/*
 * Built-in programs with known results. Each runs pinned in a process of its own, and works between
 * two signs from its parent.
 */

#define WORK_APART	4096	/* bytes between words that must not share anything */

enum work_kind {
	WORK_CHASE,	/* one thread; the address of each load is the value of the previous one */
	WORK_SHARED,	/* two threads increment two words of one line */
	WORK_PRIVATE	/* the same with a line for each word */
};

/* The memory that both processes share. */
struct work_shared {
	int stop;
	int failed;		/* errno of a failure before the work */
	__u64 steps;		/* number of steps of the chase */
	double cycles;		/* of a step, as timed before the session */
};

struct work {
	enum work_kind kind;
	int cpu[2];
	__u64 bytes;		/* of the chase's memory */
	struct work_shared *shared;
	/* of the two threads; at the same address in both processes */
	volatile __u64 *words[2];
	pid_t pid;
	int wire;		/* a byte each way: ready, and go */
};

/*
 * Fork the child, and wait until its memory is laid out and a chase is timed. Returns 0 or -errno.
 * work_go() then starts the work, and work_end() is needed in any case.
 */
int work_begin(struct work *work);
int work_go(struct work *work);
/* Let the child finish. Was it still alive? */
bool work_finish(struct work *work);
void work_end(struct work *work);

/* Bind this thread to one CPU. 0 or -errno */
int work_pin(int cpu);

#endif
