// SPDX-License-Identifier: GPL-2.0
#define _GNU_SOURCE
#include "team.h"

#include <inttypes.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "workload.h"

struct member {
	pthread_t thread;
	int index, cpu;
	uint64_t iterations;
	void (*work)(int index, uint64_t iterations);
};

static pthread_barrier_t together;

static void cpu_list(struct team *team, const char *text)
{
	char *copy = strdup(text), *rest = copy, *word;

	team->nr = 0;
	while (copy && (word = strsep(&rest, ","))) {
		if (team->nr == TEAM_MAX)
			workload_usage("--cpus takes at most %d CPUs", TEAM_MAX);
		team->cpus[team->nr++] = workload_number("--cpus", word, 0, CPU_SETSIZE - 1);
	}
	free(copy);
}

static void all_cpus(struct team *team)
{
	cpu_set_t set;
	int cpu;

	if (sched_getaffinity(0, sizeof(set), &set))
		workload_fail("cannot tell which CPUs there are");
	for (cpu = 0; cpu < CPU_SETSIZE && team->nr < TEAM_MAX; cpu++)
		if (CPU_ISSET(cpu, &set))
			team->cpus[team->nr++] = cpu;
}

static void check(const struct team *team)
{
	if (team->nr >= team->least && team->nr <= team->most)
		return;
	if (team->least == team->most)
		workload_usage("give %d CPUs with --cpus, not %d", team->least, team->nr);
	workload_usage("give %d to %d CPUs with --cpus, not %d", team->least, team->most, team->nr);
}

void team_options(struct team *team, int argc, char **argv, enum team_default which)
{
	const char *cpus = NULL;
	/* The last entry before the end is the program's own option, if it has one. */
	const struct workload_arg args[] = {
		{ "cpus", .text = &cpus },
		{ "iterations", 1, UINT64_MAX / 2, .number = &team->iterations },
		{ team->flag, .flag = &team->flagged },
		{ }
	};
	char usage[128];

	snprintf(usage, sizeof(usage), "%s [--cpus A,B,...] [--iterations N]%s%s%s", workload_name,
		 team->flag ? " [--" : "", team->flag ? team->flag : "", team->flag ? "]" : "");
	workload_args(argc, argv, usage, args);
	if (cpus)
		cpu_list(team, cpus);
	if (!team->nr && which == TEAM_ALL) {
		all_cpus(team);
	} else if (!team->nr && which == TEAM_PAIR) {
		workload_cpus_of_two_nodes(team->cpus);
		team->nr = 2;
	}
	if (team->nr || which != TEAM_NONE)
		check(team);
}

static void *begin(void *data)
{
	struct member *member = data;

	workload_pin(member->cpu);
	pthread_barrier_wait(&together);
	member->work(member->index, member->iterations);
	return NULL;
}

void team_run(const struct team *team, void (*work)(int index, uint64_t iterations))
{
	struct member members[TEAM_MAX];
	int i, error;

	pthread_barrier_init(&together, NULL, team->nr);
	for (i = 0; i < team->nr; i++) {
		members[i] = (struct member){
			.index = i, .cpu = team->cpus[i],
			.iterations = team->iterations, .work = work,
		};
		error = pthread_create(&members[i].thread, NULL, begin, &members[i]);
		if (error)
			workload_fail("cannot start a thread: %s", strerror(error));
	}
	for (i = 0; i < team->nr; i++)
		pthread_join(members[i].thread, NULL);
	pthread_barrier_destroy(&together);
}

void team_print_rest(const struct team *team)
{
	int i;

	printf("\"cpus\":[");
	for (i = 0; i < team->nr; i++)
		printf("%s%d", i ? "," : "", team->cpus[i]);
	printf("],\"nodes\":[");
	for (i = 0; i < team->nr; i++)
		printf("%s%d", i ? "," : "", workload_node_of(team->cpus[i]));
	printf("],\"iterations\":%" PRIu64 ",\"pid\":%d}\n", team->iterations,
	       (int)getpid());
	fflush(stdout);
}
