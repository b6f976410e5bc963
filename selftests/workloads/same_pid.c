// SPDX-License-Identifier: GPL-2.0
/*
 * Two processes with the same pid, one after the other: the second one requests this pid as soon as
 * the first one has ended. Each walks an array of its own at an address that only it has.
 */
#define _GNU_SOURCE
#include "workload.h"

#include <errno.h>
#include <inttypes.h>
#include <linux/sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define FIRST	0x210000000000ul
#define STRIDE	0x001000000000ul
#define BYTES	(2ul << 20)

static uint64_t rounds = 10;

__attribute__((noinline)) void walk(volatile uint64_t *array)
{
	uint64_t round, i;

	for (round = 0; round < rounds; round++)
		for (i = 0; i < BYTES / sizeof(*array);
		     i += WORKLOAD_LINE / sizeof(*array))
			(void)array[i];
}

static int child(int index)
{
	void *address = (void *)(FIRST + index * STRIDE);
	void *map = mmap(address, BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE |
			 MAP_ANONYMOUS | MAP_FIXED_NOREPLACE | MAP_POPULATE,
			 -1, 0);

	if (map != address)
		return 1;
	walk(map);
	return 0;
}

/* Fork. If a pid is given, the child gets it. */
static pid_t fork_as(pid_t pid)
{
	struct clone_args args = {
		.exit_signal = SIGCHLD,
		.set_tid = pid ? (uintptr_t)&pid : 0,
		.set_tid_size = pid ? 1 : 0,
	};

	return syscall(SYS_clone3, &args, sizeof(args));
}

int main(int argc, char **argv)
{
	pid_t pid = 0, got;
	int i, status;
	const struct workload_arg args[] = {
		{ "rounds", 1, UINT64_MAX / 2, .number = &rounds },
		{ }
	};

	workload_name = "same_pid";
	workload_args(argc, argv, "same_pid [--rounds N]", args);
	for (i = 0; i < 2; i++) {
		got = fork_as(pid);
		if (!got)
			_exit(child(i));
		if (got < 0 || (pid && got != pid))
			workload_fail("cannot fork as %d: %s", (int)pid,
				      strerror(errno));
		pid = got;
		if (waitpid(pid, &status, 0) != pid || status)
			workload_fail("child %d failed", i);
	}
	printf("{\"pid\":%d,\"bytes\":%lu,\"arrays\":[\"0x%lx\",\"0x%lx\"],\"loads\":%" PRIu64 "}\n",
	       (int)pid, BYTES, FIRST, FIRST + STRIDE,
	       BYTES / WORKLOAD_LINE * rounds);
	return 0;
}
