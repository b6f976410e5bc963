// SPDX-License-Identifier: GPL-2.0
/*
 * False sharing of two objects of the heap, which malloc() has put into one line: each thread
 * counts in its own object. With --apart, each object has a line of its own.
 */
#include "team.h"
#include "workload.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#define TRIES	16	/* objects of 16 bytes lie 32 apart, so of two that follow each other every second pair is in one line */

struct counter {
	volatile uint64_t events;
	uint64_t name;
};

static struct counter *counters[2];

__attribute__((noinline)) static struct counter *make_counter(int apart)
{
	struct counter *counter = apart ? aligned_alloc(WORKLOAD_LINE, WORKLOAD_LINE) : malloc(sizeof(*counter));

	if (!counter)
		workload_fail("no memory");
	counter->events = 0;
	return counter;
}

__attribute__((noinline)) void count_event(struct counter *counter, uint64_t iterations)
{
	while (iterations--)
		counter->events = counter->events + 1;
}

static void work(int index, uint64_t iterations)
{
	count_event(counters[index], iterations);
}

static uintptr_t line_of(const struct counter *counter)
{
	return (uintptr_t)counter / WORKLOAD_LINE;
}

int main(int argc, char **argv)
{
	struct team team = { .iterations = 500000, .least = 2, .most = 2, .flag = "apart" };
	int tries = TRIES;

	workload_name = "heap_pair";
	team_options(&team, argc, argv, TEAM_PAIR);
	counters[0] = make_counter(team.flagged);
	counters[1] = make_counter(team.flagged);
	/* If whoever runs this spreads objects (memlat-ctl try heap-align), no two share a line. */
	while (!team.flagged && line_of(counters[0]) != line_of(counters[1]) && tries--) {
		counters[0] = counters[1];
		counters[1] = make_counter(0);
	}
	printf("{\"line\":\"0x%" PRIxPTR "\",\"apart\":%s,\"functions\":[\"count_event\"],\"verdict\":%s,",
	       line_of(counters[0]) * WORKLOAD_LINE,
	       line_of(counters[0]) == line_of(counters[1]) ? "false" : "true",
	       line_of(counters[0]) == line_of(counters[1]) ? "\"false_sharing\"" : "null");
	team_print_rest(&team);
	team_run(&team, work);
	if (counters[0]->events != team.iterations || counters[1]->events != team.iterations)
		workload_fail("the counts are wrong");
	return 0;
}
