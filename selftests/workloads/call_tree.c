// SPDX-License-Identifier: GPL-2.0
/*
 * A known call tree: main, outer, middle, and then left or right, each of which walks an array. And
 * reader, which makes system calls without the C library, so that its own frame is the first user
 * frame.
 */
#define _GNU_SOURCE
#include "workload.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#define BYTES	(2ul << 20)

static volatile uint64_t *arrays[2];
static uint64_t sum;
static char bytes[4096];

#define KEEP	__attribute__((noinline, noclone))

/*
 * Compilers omit the frame of a function that calls nothing, whatever the option for frame pointers
 * says. Then its caller is missing from the chain. So each function calls something, and does
 * something after the call, so that it is not a tail call.
 */
KEEP void nothing(void)
{
	__asm__ volatile("");
}

KEEP void left(uint64_t rounds)
{
	uint64_t i;

	while (rounds--) {
		nothing();
		for (i = 0; i < BYTES / sizeof(uint64_t); i += 8)
			sum += arrays[0][i];
	}
}

KEEP void right(uint64_t rounds)
{
	uint64_t i;

	while (rounds--) {
		nothing();
		for (i = 0; i < BYTES / sizeof(uint64_t); i += 8)
			sum += arrays[1][i];
	}
}

KEEP void middle(uint64_t rounds)
{
	left(rounds);
	sum++;
	right(rounds);
	sum++;
}

KEEP void outer(uint64_t rounds)
{
	middle(rounds);
	sum++;
}

KEEP void reader(int fd, uint64_t calls)
{
	long result;

	while (calls--) {
		register long offset __asm__("r10");

		nothing();
		/* Set this last, because a call in between may use the register. */
		offset = 0;
		__asm__ volatile("syscall" : "=a" (result)
				 : "0" ((long)SYS_pread64), "D" ((long)fd), "S" (bytes),
				   "d" (sizeof(bytes)), "r" (offset)
				 : "rcx", "r11", "memory");
		sum += result;
	}
}

KEEP void caller(int fd, uint64_t calls)
{
	reader(fd, calls);
	sum++;
}

int main(int argc, char **argv)
{
	uint64_t rounds = 10, calls = 0;
	int i, fd;
	const struct workload_arg args[] = {
		{ "rounds", 0, UINT64_MAX / 2, .number = &rounds },
		{ "calls", 0, UINT64_MAX / 2, .number = &calls },
		{ }
	};

	workload_name = "call_tree";
	workload_args(argc, argv, "call_tree [--rounds N] [--calls N]", args);
	for (i = 0; i < 2; i++) {
		arrays[i] = mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE |
				 MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
		if (arrays[i] == MAP_FAILED)
			workload_fail("no memory: %s", strerror(errno));
	}
	fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		workload_fail("cannot open this program: %s", strerror(errno));
	printf("{\"pid\":%d,\"bytes\":%lu,\"arrays\":[\"0x%" PRIxPTR "\",\"0x%" PRIxPTR
	       "\"],\"functions\":{\"main\":\"0x%" PRIxPTR "\",\"outer\":\"0x%" PRIxPTR
	       "\",\"middle\":\"0x%" PRIxPTR "\",\"left\":\"0x%" PRIxPTR "\",\"right\":\"0x%" PRIxPTR
	       "\",\"reader\":\"0x%" PRIxPTR "\",\"caller\":\"0x%" PRIxPTR "\"}}\n",
	       (int)getpid(), BYTES, (uintptr_t)arrays[0], (uintptr_t)arrays[1],
	       (uintptr_t)&main, (uintptr_t)&outer, (uintptr_t)&middle,
	       (uintptr_t)&left, (uintptr_t)&right, (uintptr_t)&reader,
	       (uintptr_t)&caller);
	fflush(stdout);
	outer(rounds);
	caller(fd, calls);
	return sum == 0;
}
