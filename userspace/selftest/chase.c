// SPDX-License-Identifier: GPL-2.0
/* A pointer chase through so much memory, timed by the clock. */
#define _GNU_SOURCE
#include "work.h"

#include <errno.h>
#include <stddef.h>
#include <sys/mman.h>

#include "../util/chain.h"

#define CHUNK		65536ULL	/* steps between two checks of the parent's sign */
#define TRIES		5

struct chase {
	struct chase *next;
	char pad[WORK_LINE - sizeof(void *)];
};

/* The loads of the chase and nothing else: the compiler cannot add any. */
__attribute__((noinline))
static struct chase *walk(struct chase *at, __u64 steps)
{
	return chain_walk(at, steps / CHAIN_STEPS);
}

/* Sattolo's shuffle: one cycle through all lines, in an order that no prefetcher knows. */
static void shuffle(struct chase *lines, __u64 nr)
{
	__u64 seed = 0x9e3779b97f4a7c15ULL, i;

	for (i = 0; i < nr; i++)
		lines[i].next = &lines[i];
	for (i = nr - 1; i > 0; i--) {
		struct chase *one = &lines[i], *other = &lines[chain_draw(&seed) % i];
		struct chase *next = one->next;

		one->next = other->next;
		other->next = next;
	}
}

int chase_prepare(struct chase **chase, const struct work *work)
{
	__u64 nr = work->bytes / sizeof(struct chase), began, i;
	struct chase *lines, *at;
	double cycle, best = 0;

	lines = mmap(NULL, work->bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
		     -1, 0);
	if (lines == MAP_FAILED)
		return -errno;
	/* The chase should show caches and not the TLB. */
	madvise(lines, work->bytes, MADV_HUGEPAGE);
	shuffle(lines, nr);
	cycle = chain_cycle();
	/* After one turn, a cache holds everything that fits. */
	at = walk(lines, nr < CHUNK ? nr : CHUNK);
	for (i = 0; i < TRIES; i++) {
		double taken;

		began = chain_ticks();
		at = walk(at, CHUNK);
		taken = (double)(chain_ticks() - began) / (double)CHUNK;
		if (!i || taken < best)
			best = taken;
	}
	work->shared->cycles = cycle > 0 ? best / cycle : 0;
	*chase = at;
	return 0;
}

void chase_work(struct chase *chase, struct work_shared *shared)
{
	while (!__atomic_load_n(&shared->stop, __ATOMIC_ACQUIRE)) {
		chase = walk(chase, CHUNK);
		shared->steps += CHUNK;
	}
}
