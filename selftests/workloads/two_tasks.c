// SPDX-License-Identifier: GPL-2.0
/*
 * Two processes on one CPU take turns, with a switch after every short walk. Each walks a buffer of
 * its own at an address that only it has, and a buffer at an address that both have. There the
 * first process touches only even 8-byte slots and the second one only odd ones. So a sample that
 * is attributed to the wrong process is noticed whatever its address.
 */
#define _GNU_SOURCE
#include "workload.h"

#include <errno.h>
#include <inttypes.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#ifndef MAP_FIXED_NOREPLACE
#define MAP_FIXED_NOREPLACE	0x100000
#endif

#define BUFFER_BYTES	4096ul
#define COMMON_ADDRESS	0x100000000000ul
#define OWN_ADDRESS	0x110000000000ul
#define OWN_STRIDE	0x010000000000ul

struct task {
	int index;		/* 0 or 1 */
	int token_in, token_out;
	uint64_t rounds;
	volatile uint64_t *common, *own;
};

static uint64_t own_address(int index)
{
	return OWN_ADDRESS + index * OWN_STRIDE;
}

static volatile uint64_t *map_at(uint64_t address)
{
	void *map = mmap((void *)address, BUFFER_BYTES, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE |
			 MAP_POPULATE, -1, 0);

	if (map != (void *)address)
		workload_fail("no buffer at 0x%" PRIx64 ": %s", address,
			      strerror(errno));
	return map;
}

/* Load from the slots index, index + 2, index + 4, … of a buffer. */
__attribute__((noinline)) void walk(volatile uint64_t *buffer, int index)
{
	size_t i;

	for (i = index; i < BUFFER_BYTES / sizeof(*buffer); i += 2)
		(void)buffer[i];
}

static void take_turns(struct task *task)
{
	char token = 0;

	for (uint64_t round = 0; round < task->rounds; round++) {
		if (read(task->token_in, &token, 1) != 1)
			workload_fail("the other task is gone");
		walk(task->common, task->index);
		walk(task->own, task->index);
		if (write(task->token_out, &token, 1) != 1)
			workload_fail("the other task is gone");
	}
}

/* With apart, start the task in a namespace of its own, in which its pid is 1. */
static pid_t start(struct task *task, int cpu, bool apart)
{
	pid_t pid;

	if (apart && unshare(CLONE_NEWPID))
		workload_fail("no namespace of pids: %s", strerror(errno));
	pid = fork();
	if (pid < 0)
		workload_fail("cannot fork: %s", strerror(errno));
	if (pid)
		return pid;
	workload_pin(cpu);
	task->common = map_at(COMMON_ADDRESS);
	task->own = map_at(own_address(task->index));
	take_turns(task);
	exit(0);
}

int main(int argc, char **argv)
{
	int ring[2][2], cpu = 0, i, status, failed = 0, apart = 0;
	uint64_t rounds = 2000;
	struct task tasks[2];
	pid_t pids[2], ended;
	char token = 0;
	const struct workload_arg args[] = {
		{ "cpu", 0, CPU_SETSIZE - 1, .integer = &cpu },
		{ "rounds", 1, UINT64_MAX / 2, .number = &rounds },
		{ "namespace", .flag = &apart },
		{ }
	};

	workload_name = "two_tasks";
	workload_args(argc, argv, "two_tasks [--cpu N] [--rounds N] [--namespace]", args);

	for (i = 0; i < 2; i++)
		if (pipe(ring[i]))
			workload_fail("cannot make a pipe: %s", strerror(errno));
	for (i = 0; i < 2; i++) {
		tasks[i] = (struct task){ .index = i, .rounds = rounds,
					  .token_in = ring[i][0],
					  .token_out = ring[1 - i][1] };
		pids[i] = start(&tasks[i], cpu, apart && i);
	}
	printf("{\"cpu\":%d,\"bytes\":%lu,\"common\":\"0x%lx\",\"rounds\":%" PRIu64 ",\"tasks\":["
	       "{\"pid\":%d,\"own\":\"0x%" PRIx64 "\",\"slots\":[0,2,4,6]},"
	       "{\"pid\":%d,\"own\":\"0x%" PRIx64 "\",\"slots\":[1,3,5,7]}]}\n",
	       cpu, BUFFER_BYTES, COMMON_ADDRESS, rounds, (int)pids[0],
	       own_address(0), (int)pids[1], own_address(1));
	fflush(stdout);

	/* Whoever waits for the answer gets it before the first walk. */
	if (write(ring[0][1], &token, 1) != 1)
		workload_fail("cannot pass the first token");
	/* If a task fails, the other one would wait for a token forever. */
	for (i = 0; i < 2; i++) {
		ended = wait(&status);
		if (ended < 0 || !status)
			continue;
		failed = 1;
		if (!i)
			kill(ended == pids[0] ? pids[1] : pids[0], SIGKILL);
	}
	return failed;
}
