/* SPDX-License-Identifier: GPL-2.0 */
/* Memory for pointer chases: the address of each load is the value of the previous one. */
#ifndef MEMLAT_CALIBRATE_CHASE_H
#define MEMLAT_CALIBRATE_CHASE_H

#include <stddef.h>

#include <linux/types.h>

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
	size_t bytes;		/* twice the bytes of the lines that fit in */
	char *mapped;
	size_t mapped_bytes;
};

/*
 * Allocate room for lines of so many bytes, in large pages if possible, on a node (-1: wherever this
 * CPU's memory is allocated). 0 or -errno.
 */
int chase_pool_make(struct chase_pool *pool, __u64 line_bytes, int node);
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

/* The cycles between two readings. */
double clock_cycles(const struct clock *clock, __u64 from, __u64 to);

/* "perf", "tsc" */
const char *clock_name(enum clock_kind kind);

#endif
