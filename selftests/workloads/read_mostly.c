// SPDX-License-Identifier: GPL-2.0
/*
 * Many threads read one word all the time, and another thread writes it rarely. Each write makes
 * every reader miss once.
 */
#include "team.h"
#include "workload.h"

#include <inttypes.h>
#include <stdio.h>

#define SELDOM	64	/* passes of the writer's other work between two writes */

struct {
	volatile uint64_t limit;
	char rest[WORKLOAD_LINE - sizeof(uint64_t)];
} __attribute__((aligned(WORKLOAD_LINE))) settings = { .limit = 1 };

static uint64_t sums[TEAM_MAX][WORKLOAD_LINE / sizeof(uint64_t)];

__attribute__((noinline)) uint64_t read_limit(uint64_t iterations)
{
	uint64_t sum = 0;

	while (iterations--)
		sum += settings.limit;
	return sum;
}

__attribute__((noinline)) void change_limit(uint64_t iterations)
{
	uint64_t i;

	for (i = 0; i < iterations; i++) {
		if (i % SELDOM == 0)
			settings.limit = i;
		__asm__ volatile("");
	}
}

static void work(int index, uint64_t iterations)
{
	if (index)
		sums[index][0] = read_limit(iterations);
	else
		change_limit(iterations);
}

int main(int argc, char **argv)
{
	struct team team = { .iterations = 500000, .least = 2, .most = TEAM_MAX };

	workload_name = "read_mostly";
	team_options(&team, argc, argv, TEAM_ALL);
	printf("{\"line\":\"0x%" PRIxPTR "\",\"variable\":\"settings\",\"fields\":[\".limit\"],"
	       "\"slots\":[0],\"functions\":[\"read_limit\"],\"writer\":\"change_limit\","
	       "\"verdict\":\"read_mostly\",\"writes\":%" PRIu64 ",",
	       (uintptr_t)&settings, (team.iterations + SELDOM - 1) / SELDOM);
	team_print_rest(&team);
	team_run(&team, work);
	return 0;
}
