// SPDX-License-Identifier: GPL-2.0
/*
 * A counter that all threads share on purpose: they add to it with atomic instructions. Padding
 * would not help.
 */
#include "team.h"
#include "workload.h"

#include <inttypes.h>
#include <stdio.h>

struct {
	uint64_t total;
	char rest[WORKLOAD_LINE - sizeof(uint64_t)];
} __attribute__((aligned(WORKLOAD_LINE))) shared_total;

__attribute__((noinline)) void add_one(int index, uint64_t iterations)
{
	(void)index;
	while (iterations--)
		__atomic_fetch_add(&shared_total.total, 1, __ATOMIC_RELAXED);
}

int main(int argc, char **argv)
{
	struct team team = { .iterations = 300000, .least = 2, .most = TEAM_MAX };

	workload_name = "true_sharing";
	team_options(&team, argc, argv, TEAM_PAIR);
	printf("{\"line\":\"0x%" PRIxPTR "\",\"variable\":\"shared_total\",\"fields\":[\".total\"],"
	       "\"slots\":[0],\"functions\":[\"add_one\"],\"verdict\":\"true_sharing\",",
	       (uintptr_t)&shared_total);
	team_print_rest(&team);
	team_run(&team, add_one);
	if (shared_total.total != team.iterations * team.nr)
		workload_fail("counted %" PRIu64, shared_total.total);
	return 0;
}
