// SPDX-License-Identifier: GPL-2.0
#define _GNU_SOURCE
#include "calibrate.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include <numaif.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <linux/perf_event.h>

#include "../util/chain.h"
#include "../util/clock.h"
#include "../util/order.h"
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

int chase_pool_make(struct chase_pool *pool, __u64 line_bytes, size_t apart, int node)
{
	size_t bytes = line_bytes / CHASE_LINE * apart, unaligned;

	bytes += LARGE_PAGE - 1;
	bytes -= bytes % LARGE_PAGE;
	pool->mapped_bytes = bytes + LARGE_PAGE;
	pool->mapped = mmap(NULL, pool->mapped_bytes, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (pool->mapped == MAP_FAILED) {
		pool->mapped = NULL;
		return -errno;
	}
	unaligned = (uintptr_t)pool->mapped % LARGE_PAGE;
	pool->memory = pool->mapped + (LARGE_PAGE - unaligned) % LARGE_PAGE;
	pool->bytes = bytes;
	pool->apart = apart;
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

	return (void *)(pool->memory + pair * pool->apart + (mixed >> 63) * (pool->apart - CHASE_LINE));
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

	if (nr > pool->bytes / pool->apart)
		nr = pool->bytes / pool->apart;
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

#define TURNS		1250ULL
#define READINGS	65

static int perf_open(void)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_HARDWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_HW_CPU_CYCLES,
		/* count always, or not at all */
		.pinned = 1,
		/* Do not count interrupts. Without the kernel, no privilege is needed either. */
		.exclude_kernel = 1,
		.exclude_hv = 1,
	};

	return (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
}

/* Does the event count? Without a counter, reading returns nothing or a constant. */
static int perf_counts(int fd)
{
	__u64 before, after;

	if (read(fd, &before, sizeof(before)) != sizeof(before))
		return 0;
	chain_add(TURNS);
	return read(fd, &after, sizeof(after)) == sizeof(after) &&
	       after - before >= CHAIN_ADDITIONS * TURNS / 2;
}

__u64 clock_ticks(const struct clock *clock)
{
	__u64 now = 0;

	if (clock->kind == CLOCK_TSC)
		return chain_ticks();
	/* The system call waits for all instructions before it. */
	if (read(clock->fd, &now, sizeof(now)) != sizeof(now))
		return 0;
	return now;
}

void clock_adjust(struct clock *clock)
{
	if (clock->kind == CLOCK_TSC)
		clock->cycle = chain_cycle() ?: 1;
}

void clock_begin(struct clock *clock)
{
	__u64 apart[READINGS];
	int i;

	memset(clock, 0, sizeof(*clock));
	clock->kind = CLOCK_PERF;
	clock->cycle = 1;
	clock->fd = perf_open();
	if (clock->fd < 0 || !perf_counts(clock->fd)) {
		clock_end(clock);
		clock->kind = CLOCK_TSC;
	}
	clock_adjust(clock);
	for (i = 0; i < READINGS; i++) {
		__u64 began = clock_ticks(clock);

		apart[i] = clock_ticks(clock) - began;
	}
	qsort(apart, READINGS, sizeof(*apart), order_u64);
	clock->overhead = (double)apart[READINGS / 2];
}

void clock_end(struct clock *clock)
{
	if (clock->fd >= 0)
		close(clock->fd);
	clock->fd = -1;
}

static double clock_cycles(const struct clock *clock, __u64 from, __u64 to)
{
	double ticks = (double)(to - from) - clock->overhead;

	return ticks > 0 ? ticks / clock->cycle : 0;
}

struct chase_line *chase_time(struct chase_line *at, __u64 steps, const struct clock *clock,
			      double *cycles, double *ns)
{
	__u64 wall = clock_now(), began = clock_ticks(clock), ended;

	at = chase_walk(at, steps);
	ended = clock_ticks(clock);
	*ns = (double)(clock_now() - wall) / (double)steps;
	*cycles = clock_cycles(clock, began, ended) / (double)steps;
	return at;
}

const char *clock_name(enum clock_kind kind)
{
	return kind == CLOCK_PERF ? "perf" : "tsc";
}

#define LINES		(HITM_BYTES / CHASE_LINE)
#define SPINS		1000

enum turn { READER, WRITER, OVER };

/* Shared by the two threads. Each is on a line of its own, away from the lines that are walked. */
struct hitm {
	int turn __attribute__((aligned(2 * CHASE_PAIR)));
	int failed __attribute__((aligned(2 * CHASE_PAIR)));
	int cpu;
	struct chase_line *first;
};

/* Wait while it is the other thread's turn. Returns whose turn it is then. */
static enum turn wait_while(struct hitm *hitm, enum turn other)
{
	unsigned int spins = 0;
	int turn;

	while ((turn = __atomic_load_n(&hitm->turn, __ATOMIC_ACQUIRE)) == (int)other) {
		__builtin_ia32_pause();
		/* Yield, because there may be fewer real CPUs than it seems. */
		if (++spins % SPINS == 0)
			sched_yield();
	}
	return (enum turn)turn;
}

static void pass(struct hitm *hitm, enum turn to)
{
	__atomic_store_n(&hitm->turn, (int)to, __ATOMIC_RELEASE);
}

static void *write_lines(void *context)
{
	struct hitm *hitm = context;

	hitm->failed = -work_pin(hitm->cpu);
	if (hitm->failed && wait_while(hitm, READER) == WRITER) {
		pass(hitm, OVER);
		return NULL;
	}
	while (wait_while(hitm, READER) == WRITER) {
		struct chase_line *line = hitm->first;

		do {
			__atomic_store_n(&line->written, line->written + 1, __ATOMIC_RELAXED);
			line = line->next;
		} while (line != hitm->first);
		pass(hitm, READER);
	}
	return NULL;
}

static bool run(struct hitm *hitm, const struct clock *clock, double *cycles, double *ns)
{
	pass(hitm, WRITER);
	if (wait_while(hitm, WRITER) == OVER)
		return false;
	chase_time(hitm->first, LINES, clock, cycles, ns);
	return true;
}

int hitm_measure(const struct clock *clock, int writer, unsigned int runs, double *cycles,
		 double *ns)
{
	struct hitm hitm = { .turn = READER, .cpu = writer };
	struct chase_pool pool;
	pthread_t thread;
	bool good;
	unsigned int i;
	int ret;

	ret = chase_pool_make(&pool, HITM_BYTES, CHASE_PAIR, -1);
	if (ret)
		return ret;
	hitm.first = chase_lay(&pool, HITM_BYTES, 0);
	ret = -pthread_create(&thread, NULL, write_lines, &hitm);
	if (ret) {
		chase_pool_free(&pool);
		return ret;
	}
	/* The first run fills the TLBs and is not counted. */
	good = run(&hitm, clock, cycles, ns);
	for (i = 0; good && i < runs; i++)
		good = run(&hitm, clock, &cycles[i], &ns[i]);
	if (good)
		pass(&hitm, OVER);
	pthread_join(thread, NULL);
	chase_pool_free(&pool);
	return -hitm.failed;
}
