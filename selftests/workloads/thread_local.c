// SPDX-License-Identifier: GPL-2.0
/*
 * Each thread walks memory of its own in thread-local storage: one line of every page, which are
 * too many for their sets of the L2 cache. That is slow, but no other thread takes part in it.
 */
#include "team.h"
#include "workload.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define PAGE	4096
#define PAGES	384

struct scratch {
	uint64_t cells[PAGES][PAGE / sizeof(uint64_t)];
};

static __thread struct scratch scratch __attribute__((aligned(PAGE)));

static struct {
	int tid;
	uintptr_t start;
} answers[TEAM_MAX];
static struct team team = { .iterations = 800, .least = 1, .most = TEAM_MAX };
static pthread_barrier_t all;

__attribute__((noinline)) void walk_scratch(uint64_t rounds)
{
	volatile struct scratch *mine = &scratch;
	int i;

	while (rounds--)
		for (i = 0; i < PAGES; i++)
			(void)mine->cells[i][0];
}

static void print_answer(void)
{
	int i;

	printf("{\"variable\":\"scratch\",\"kind\":\"tls\",\"bytes\":%zu,\"stride\":%d,\"functions\":[\"walk_scratch\"],"
	       "\"verdict\":\"one_thread\",\"threads\":[", sizeof(struct scratch), PAGE);
	for (i = 0; i < team.nr; i++)
		printf("%s{\"tid\":%d,\"start\":\"0x%" PRIxPTR "\"}", i ? "," : "",
		       answers[i].tid, answers[i].start);
	printf("],");
	team_print_rest(&team);
}

static void work(int index, uint64_t iterations)
{
	answers[index].tid = (int)syscall(SYS_gettid);
	answers[index].start = (uintptr_t)&scratch;
	/*
	 * Write the memory, because the thread that created this one has cleared it, and so has it
	 * in its cache.
	 */
	memset(&scratch, index + 1, sizeof(scratch));
	if (pthread_barrier_wait(&all) == PTHREAD_BARRIER_SERIAL_THREAD)
		print_answer();
	pthread_barrier_wait(&all);
	walk_scratch(iterations);
}

int main(int argc, char **argv)
{
	workload_name = "thread_local";
	team_options(&team, argc, argv, TEAM_PAIR);
	pthread_barrier_init(&all, NULL, team.nr);
	team_run(&team, work);
	return 0;
}
