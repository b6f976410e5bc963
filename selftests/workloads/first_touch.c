// SPDX-License-Identifier: GPL-2.0
/*
 * Memory is allocated on the node of the thread that writes it first. main: main() fills the table,
 * and each thread walks a part of its own; all threads but one are on other nodes. each: every
 * thread fills its own part. all: main() fills the table, and all threads walk all of it.
 */
#include "team.h"
#include "workload.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#define BYTES	(16ULL << 20)	/* more than the caches of two nodes */
#define WORDS	(BYTES / sizeof(uint64_t))
#define STEP	(WORKLOAD_LINE / sizeof(uint64_t))

static uint64_t table[WORDS] __attribute__((aligned(WORKLOAD_LARGE)));
static enum { MAIN, EACH, ALL } who;
static int threads;
static volatile uint64_t sums[TEAM_MAX];

static void part_of(int index, uint64_t *from, uint64_t *to)
{
	*from = who == ALL ? 0 : WORDS / threads / 512 * 512 * index;
	*to = who == ALL || index == threads - 1 ? WORDS : WORDS / threads / 512 * 512 * (index + 1);
}

static void fill(uint64_t from, uint64_t to)
{
	uint64_t i;

	for (i = from; i < to; i += STEP)
		table[i] = i;
}

static uint64_t walk(uint64_t from, uint64_t to)
{
	uint64_t i, sum = 0;

	for (i = from; i < to; i += STEP)
		sum += table[i];
	return sum;
}

static void fill_and_walk(int index, uint64_t rounds)
{
	uint64_t from, to, start;

	part_of(index, &from, &to);
	if (who == EACH)
		fill(from, to);
	/*
	 * If all threads walk everything, each begins at another place. Otherwise the first one
	 * would load it for all of them.
	 */
	start = who == ALL ? WORDS / threads / 512 * 512 * index : from;
	while (rounds--)
		sums[index] = walk(start, to) + walk(from, start);
}

int main(int argc, char **argv)
{
	static const char *const names[] = { "main", "each", "all" };
	struct team team = { .iterations = 4, .least = 2, .most = 8 };

	workload_name = "first_touch";
	while (argc > 1 && who <= ALL && strcmp(argv[1], names[who]))
		who++;
	if (argc < 2 || who > ALL)
		workload_usage("give main, each or all");
	team_options(&team, argc - 1, argv + 1, TEAM_PAIR);
	threads = team.nr;
	/* Use pages of 4 KiB, even if the machine prefers large ones. */
	madvise(table, sizeof(table), MADV_NOHUGEPAGE);
	printf("{\"start\":\"0x%" PRIxPTR "\",\"bytes\":%llu,\"variable\":\"table\",\"move\":%s,",
	       (uintptr_t)table, BYTES, who == MAIN ? "\"first_touch\"" : who == ALL ? "\"copy\"" : "null");
	team_print_rest(&team);
	workload_pin(team.cpus[0]);
	if (who != EACH)
		fill(0, WORDS);
	team_run(&team, fill_and_walk);
	return 0;
}
