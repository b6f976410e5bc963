// SPDX-License-Identifier: GPL-2.0
/*
 * False sharing of two CPUs of one socket, and then of two CPUs on two sockets: the same mistake in
 * the same kind of line at different costs.
 */
#include "team.h"
#include "workload.h"

#include <inttypes.h>
#include <stdio.h>

struct pair {
	volatile uint64_t first;
	volatile uint64_t second;
	char rest[2 * WORKLOAD_LINE - 2 * sizeof(uint64_t)];
} __attribute__((aligned(2 * WORKLOAD_LINE)));

struct pair near_pair, far_pair;

static struct pair *now;

__attribute__((noinline)) void count_first(struct pair *pair, uint64_t iterations)
{
	while (iterations--)
		pair->first = pair->first + 1;
}

__attribute__((noinline)) void count_second(struct pair *pair, uint64_t iterations)
{
	while (iterations--)
		pair->second = pair->second + 1;
}

static void work(int index, uint64_t iterations)
{
	if (index)
		count_second(now, iterations);
	else
		count_first(now, iterations);
}

/*
 * Find the first CPU of the machine's first node, another CPU of that node, and one of another
 * node.
 */
static void find_cpus(struct team *team)
{
	int cpu;

	team->cpus[0] = 0;
	team->cpus[2] = workload_cpu_not_on(workload_node_of(0));
	for (cpu = 1; cpu < team->cpus[2]; cpu++)
		if (workload_node_of(cpu) == workload_node_of(0))
			break;
	if (cpu == team->cpus[2])
		workload_usage("give three CPUs with --cpus: two of one node, one of another");
	team->cpus[1] = cpu;
	team->nr = 3;
}

int main(int argc, char **argv)
{
	struct team team = { .iterations = 300000, .least = 3, .most = 3 }, pair;

	workload_name = "sockets";
	team_options(&team, argc, argv, TEAM_NONE);
	if (!team.nr)
		find_cpus(&team);
	if (workload_node_of(team.cpus[0]) != workload_node_of(team.cpus[1]) ||
	    workload_node_of(team.cpus[0]) == workload_node_of(team.cpus[2]))
		workload_usage("--cpus: the first two have to be of one node, the third of another");
	printf("{\"near\":{\"line\":\"0x%" PRIxPTR "\",\"variable\":\"near_pair\",\"source\":\"l3hitm\"},"
	       "\"far\":{\"line\":\"0x%" PRIxPTR "\",\"variable\":\"far_pair\",\"source\":\"rhitm\"},"
	       "\"fields\":[\".first\",\".second\"],\"slots\":[0,1],"
	       "\"functions\":[\"count_first\",\"count_second\"],\"verdict\":\"false_sharing\",",
	       (uintptr_t)&near_pair, (uintptr_t)&far_pair);
	team_print_rest(&team);

	pair = team;
	pair.nr = 2;
	now = &near_pair;
	team_run(&pair, work);
	pair.cpus[1] = team.cpus[2];
	now = &far_pair;
	team_run(&pair, work);
	return 0;
}
