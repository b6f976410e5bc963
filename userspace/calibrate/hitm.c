// SPDX-License-Identifier: GPL-2.0
#define _GNU_SOURCE
#include "calibrate.h"

#include <pthread.h>
#include <sched.h>
#include <stdbool.h>

#include "../selftest/work.h"
#include "../util/clock.h"
#include "chase.h"

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
	__u64 began, ended, wall;

	pass(hitm, WRITER);
	if (wait_while(hitm, WRITER) == OVER)
		return false;
	wall = clock_now();
	began = clock_ticks(clock);
	chase_walk(hitm->first, LINES);
	ended = clock_ticks(clock);
	*ns = (double)(clock_now() - wall) / LINES;
	*cycles = clock_cycles(clock, began, ended) / LINES;
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

	ret = chase_pool_make(&pool, HITM_BYTES, -1);
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
