// SPDX-License-Identifier: GPL-2.0
/*
 * Several problems of different weight in one program. In each round, both threads count in the
 * first line, in one of 4 rounds also in the second, in one of 16 in the third, and in one of 128
 * in the last, which is too rare to be a problem. Both threads draw the same rounds. The number of
 * each thread's own stores between two rounds is drawn as well, so that no loop is in step with the
 * sampling period. If every round had an even number of stores, a period of 508 would always sample
 * the same half of them. Between rounds, each thread does something else, so that the other one can
 * run. With --turns, the threads take turns, and every count finds its line modified.
 */
#include "team.h"
#include "workload.h"

#include <inttypes.h>
#include <stdio.h>

#define ELSEWHERE	600	/* passes of an empty loop */
#define OWN_STORES	8	/* fewer than these between two rounds */

struct graded {
	volatile uint64_t left;
	volatile uint64_t right;
	char rest[2 * WORKLOAD_LINE - 2 * sizeof(uint64_t)];
} __attribute__((aligned(2 * WORKLOAD_LINE)));

struct graded severe, medium, mild, small;

static struct grade {
	const char *name;
	struct graded *line;
	uint64_t every;
} grades[] = {
	{ "severe", &severe, 1 },
	{ "medium", &medium, 4 },
	{ "mild", &mild, 16 },
	{ "small", &small, 128 },
};

#define GRADES	(sizeof(grades) / sizeof(grades[0]))

static struct {
	volatile int whose;
	char rest[2 * WORKLOAD_LINE - sizeof(int)];
} turn __attribute__((aligned(2 * WORKLOAD_LINE)));

static int by_turns;

__attribute__((noinline)) void take_turn(int index)
{
	while (turn.whose != index)
		__builtin_ia32_pause();
}

__attribute__((noinline)) void elsewhere(uint64_t stores)
{
	volatile __attribute__((unused)) uint64_t own;
	int i;

	for (i = 0; i < ELSEWHERE; i++)
		__asm__ volatile("");
	while (stores--)
		own = stores;
}

__attribute__((noinline)) void count_left(struct graded *line)
{
	line->left = line->left + 1;
}

__attribute__((noinline)) void count_right(struct graded *line)
{
	line->right = line->right + 1;
}

static void work(int index, uint64_t iterations)
{
	uint64_t state = WORKLOAD_SEED;
	size_t i;

	while (iterations--) {
		if (by_turns)
			take_turn(index);
		for (i = 0; i < GRADES; i++) {
			if (workload_draw(&state) % grades[i].every)
				continue;
			if (index)
				count_right(grades[i].line);
			else
				count_left(grades[i].line);
		}
		if (by_turns)
			turn.whose = !index;
		else
			elsewhere(workload_draw(&state) % OWN_STORES);
	}
}

int main(int argc, char **argv)
{
	struct team team = { .iterations = 20000, .least = 2, .most = 2, .flag = "turns" };
	size_t i;

	workload_name = "graded";
	team_options(&team, argc, argv, TEAM_PAIR);
	by_turns = team.flagged;
	printf("{\"lines\":[");
	for (i = 0; i < GRADES; i++)
		printf("%s{\"line\":\"0x%" PRIxPTR "\",\"variable\":\"%s\",\"every\":%" PRIu64 "}",
		       i ? "," : "", (uintptr_t)grades[i].line, grades[i].name,
		       grades[i].every);
	printf("],\"fields\":[\".left\",\".right\"],\"slots\":[0,1],"
	       "\"functions\":[\"count_left\",\"count_right\"],\"turns\":%d,"
	       "\"turn\":\"0x%" PRIxPTR "\",\"verdict\":\"false_sharing\",",
	       by_turns, (uintptr_t)&turn);
	team_print_rest(&team);
	team_run(&team, work);
	return 0;
}
