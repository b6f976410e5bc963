// SPDX-License-Identifier: GPL-2.0
/*
 * A queue between two threads, written without thinking of cache lines: a ring of slots, and the
 * indexes of both ends side by side. The producer publishes often, but reads the consumer's end
 * only once in a round, and the other way round. With APART, each end has a line of its own.
 */
#include "team.h"
#include "workload.h"

#include <inttypes.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

#define SLOTS	4096u		/* more than fit in flight */

#ifdef APART
#define OWN_LINE	_Alignas(2 * WORKLOAD_LINE)
#define NAME		"queue_ends_apart"
#define VERDICT		"one_thread"
#else
#define OWN_LINE
#define NAME		"queue_ends"
#define VERDICT		"false_sharing"
#endif

typedef struct {
	OWN_LINE _Atomic uint64_t head;	/* taken out up to here */
	uint64_t taken_sum;
	OWN_LINE _Atomic uint64_t tail;	/* put in up to here */
	uint64_t put_sum;
} Ends;

static struct {
	_Alignas(2 * WORKLOAD_LINE) Ends ends;
} q;

static uint64_t *ring;

/* What a thread does between two messages. */
static uint64_t mix(uint64_t x)
{
	int i;

	for (i = 0; i < 12; i++)
		x = x * 6364136223846793005u + 1442695040888963407u;
	return x;
}

static void producer(uint64_t n)
{
	uint64_t i, room = SLOTS;

	for (i = 0; i < n; i++) {
		while (!room)
			room = SLOTS - (i - atomic_load_explicit(&q.ends.head, memory_order_acquire));
		ring[i % SLOTS] = mix(i);
		q.ends.put_sum += ring[i % SLOTS];
		atomic_store_explicit(&q.ends.tail, i + 1, memory_order_release);
		room--;
	}
}

static void consumer(uint64_t n)
{
	uint64_t i = 0, there = 0;

	while (i < n) {
		while (there == i)
			there = atomic_load_explicit(&q.ends.tail, memory_order_acquire);
		for (; i < there; i++) {
			q.ends.taken_sum += ring[i % SLOTS];
			mix(i);
			atomic_store_explicit(&q.ends.head, i + 1, memory_order_release);
		}
	}
}

static void either_end(int index, uint64_t n)
{
	if (index)
		consumer(n);
	else
		producer(n);
}

int main(int argc, char **argv)
{
	struct team team = { .iterations = 100000, .least = 2, .most = 2 };

	workload_name = NAME;
	team_options(&team, argc, argv, TEAM_PAIR);
	ring = calloc(SLOTS, sizeof(*ring));
	if (!ring)
		workload_fail("no memory");
	printf("{\"line\":\"0x%" PRIxPTR "\",\"variable\":\"q\",\"verdict\":\"" VERDICT "\",",
	       (uintptr_t)&q);
	team_print_rest(&team);
	team_run(&team, either_end);
	if (q.ends.put_sum != q.ends.taken_sum)
		workload_fail("took %" PRIu64 ", put %" PRIu64, q.ends.taken_sum, q.ends.put_sum);
	return 0;
}
