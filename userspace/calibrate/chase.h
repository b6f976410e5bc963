/* SPDX-License-Identifier: GPL-2.0 */
/* Memory that pointers are chased through: each load's address is the value of the last. */
#ifndef MEMLAT_CALIBRATE_CHASE_H
#define MEMLAT_CALIBRATE_CHASE_H

#include <stddef.h>

#include <linux/types.h>

#define CHASE_LINE	64

/*
 * Of each two lines that lie together one is used, whichever: a prefetcher that fetches
 * the next line, or a pair's other one, fetches what nobody asks for.
 */
#define CHASE_PAIR	(2 * CHASE_LINE)

struct chase_line {
	struct chase_line *next;
	__u64 written;		/* by another CPU, where it is to be modified there */
	char pad[CHASE_LINE - sizeof(void *) - sizeof(__u64)];
};

struct chase_pool {
	char *memory;
	size_t bytes;		/* twice those of the lines that fit in */
	int node;		/* where it is; -1: wherever this CPU's memory comes from */
	char *mapped;
	size_t mapped_bytes;
};

/* Room for lines of so many bytes, on a node, in large pages where there are. 0 or -errno. */
int chase_pool_make(struct chase_pool *pool, __u64 line_bytes, int node);
void chase_pool_free(struct chase_pool *pool);

/*
 * One circle through lines of so many bytes, at least 16 of them, in an order that is
 * the same each time and follows no rule. block: lines that are all visited before any
 * other is, so that their pages stay in the TLB; 0: no such bound.
 */
struct chase_line *chase_lay(struct chase_pool *pool, __u64 line_bytes, __u64 block);

/* Like that, of one line in each page of 4 KiB, each at another place of its page. */
struct chase_line *chase_lay_pages(struct chase_pool *pool, __u64 pages);

/* Walk a multiple of 16 steps; these loads and nothing else touch memory. */
struct chase_line *chase_walk(struct chase_line *at, __u64 steps);

#endif
