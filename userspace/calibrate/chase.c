// SPDX-License-Identifier: GPL-2.0
#define _GNU_SOURCE
#include "chase.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>

#include <numaif.h>

#include "../util/chain.h"
#include "../util/xalloc.h"

#define LARGE_PAGE	(2UL << 20)
#define SMALL_PAGE	4096
#define NODES		1024
#define BITS		64
#define SEED		0x9e3779b97f4a7c15ULL

void chase_pool_free(struct chase_pool *pool)
{
	if (pool->mapped)
		munmap(pool->mapped, pool->mapped_bytes);
	pool->mapped = NULL;
}

/* Memory of another node would give a wrong latency for this one. */
static int bind_to(struct chase_pool *pool, int node)
{
	unsigned long nodes[NODES / BITS] = { 0 };
	int error;

	if (node >= NODES)
		return -EINVAL;
	nodes[node / BITS] = 1UL << node % BITS;
	if (!mbind(pool->memory, pool->bytes, MPOL_BIND, nodes, NODES + 1, 0))
		return 0;
	error = errno;
	chase_pool_free(pool);
	return -error;
}

int chase_pool_make(struct chase_pool *pool, __u64 line_bytes, int node)
{
	size_t bytes = 2 * (size_t)line_bytes, apart;

	bytes += LARGE_PAGE - 1;
	bytes -= bytes % LARGE_PAGE;
	pool->mapped_bytes = bytes + LARGE_PAGE;
	pool->mapped = mmap(NULL, pool->mapped_bytes, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (pool->mapped == MAP_FAILED) {
		pool->mapped = NULL;
		return -errno;
	}
	apart = (LARGE_PAGE - (uintptr_t)pool->mapped % LARGE_PAGE) % LARGE_PAGE;
	pool->memory = pool->mapped + apart;
	pool->bytes = bytes;
	/* Advice only. If it is not followed, look_at_pages() notices by the cost of the TLB. */
	madvise(pool->memory, bytes, MADV_HUGEPAGE);
	return node < 0 ? 0 : bind_to(pool, node);
}

/* The numbers from 0 in random order. */
static __u32 *shuffled(__u64 nr, __u64 *seed)
{
	__u32 *order = xmallocarray(nr, sizeof(*order));
	__u64 i;

	for (i = 0; i < nr; i++) {
		/* Fisher and Yates, from the inside out. */
		__u64 other = chain_draw(seed) % (i + 1);

		order[i] = order[other];
		order[other] = (__u32)i;
	}
	return order;
}

/* Choose one of a pair, seemingly at random, but always the same one. */
static struct chase_line *line_of(const struct chase_pool *pool, __u64 pair)
{
	__u64 mixed = (pair + 1) * SEED;

	return (void *)(pool->memory + pair * CHASE_PAIR + (mixed >> 63) * CHASE_LINE);
}

/* Lines in the order of the walk; the last one points to the first. */
struct circle {
	struct chase_line *first, *last;
};

static void circle_add(struct circle *circle, struct chase_line *line)
{
	if (circle->last)
		circle->last->next = line;
	else
		circle->first = line;
	circle->last = line;
}

static struct chase_line *circle_close(struct circle *circle)
{
	if (circle->last)
		circle->last->next = circle->first;
	return circle->first;
}

struct chase_line *chase_lay(struct chase_pool *pool, __u64 line_bytes, __u64 block)
{
	__u64 nr = line_bytes / CHASE_LINE, seed = SEED, done = 0;
	struct circle circle = { 0 };

	if (nr > pool->bytes / CHASE_PAIR)
		nr = pool->bytes / CHASE_PAIR;
	while (done < nr) {
		__u64 some = block && block < nr - done ? block : nr - done, i;
		__u32 *order = shuffled(some, &seed);

		for (i = 0; i < some; i++) {
			struct chase_line *line = line_of(pool, done + order[i]);

			circle_add(&circle, line);
		}
		free(order);
		done += some;
	}
	return circle_close(&circle);
}

struct chase_line *chase_lay_pages(struct chase_pool *pool, __u64 pages)
{
	const __u64 lines = SMALL_PAGE / CHASE_LINE;
	struct circle circle = { 0 };
	__u64 seed = SEED, i;
	__u32 *order;

	if (pages > pool->bytes / SMALL_PAGE)
		pages = pool->bytes / SMALL_PAGE;
	order = shuffled(pages, &seed);
	for (i = 0; i < pages; i++) {
		struct chase_line *line = (void *)(pool->memory + order[i] * SMALL_PAGE +
						   order[i] % lines * CHASE_LINE);

		circle_add(&circle, line);
	}
	free(order);
	return circle_close(&circle);
}

__attribute__((noinline))
struct chase_line *chase_walk(struct chase_line *at, __u64 steps)
{
	__u64 turns = steps / CHAIN_STEPS;

	if (!turns)
		return at;
	return chain_walk(at, turns);
}
