// SPDX-License-Identifier: GPL-2.0
/*
 * Each CPU counts in an element of its own of an array, as a program does to avoid
 * a lock. But four elements share a cache line. All threads run the same function,
 * so only the fields distinguish them. PADDED mends this: each element has a line
 * of its own.
 */
#include "team.h"
#include "workload.h"

#include <inttypes.h>
#include <stdio.h>

#ifdef PADDED
#define ELEMENT	__attribute__((aligned(WORKLOAD_LINE)))
#define SLOT(i)	0
#define NAME	"field_sharing_padded"
#define VERDICT	"one_thread"
#else
#define ELEMENT
#define SLOT(i)	(2 * (i))
#define NAME	"field_sharing"
#define VERDICT	"false_sharing"
#endif

struct cpu_stats {
	uint64_t hits;
	uint64_t misses;
} ELEMENT;

struct stats {
	uint64_t epoch;
	char name[WORKLOAD_LINE - sizeof(uint64_t)];
	struct cpu_stats per_cpu[4];
} __attribute__((aligned(WORKLOAD_LINE)));

struct stats stats = { .epoch = 1, .name = "requests" };

__attribute__((noinline)) void count_hit(int cpu, uint64_t iterations)
{
	volatile uint64_t *hits = &stats.per_cpu[cpu].hits;

	while (iterations--)
		*hits = *hits + 1;
}

int main(int argc, char **argv)
{
	struct team team = { .iterations = 500000, .least = 2, .most = 4 };
	int i;

	workload_name = NAME;
	team_options(&team, argc, argv, TEAM_PAIR);
	printf("{\"line\":\"0x%" PRIxPTR "\",\"variable\":\"stats\",\"fields\":[",
	       (uintptr_t)&stats.per_cpu[0]);
	for (i = 0; i < team.nr; i++)
		printf("%s\".per_cpu[%d].hits\"", i ? "," : "", i);
	printf("],\"slots\":[");
	for (i = 0; i < team.nr; i++)
		printf("%s%d", i ? "," : "", SLOT(i));
	printf("],\"functions\":[\"count_hit\"],\"verdict\":\"" VERDICT "\",");
	team_print_rest(&team);
	team_run(&team, count_hit);
	for (i = 0; i < team.nr; i++)
		if (stats.per_cpu[i].hits != team.iterations)
			workload_fail("counted %" PRIu64 ", not %" PRIu64,
				      stats.per_cpu[i].hits, team.iterations);
	return 0;
}
