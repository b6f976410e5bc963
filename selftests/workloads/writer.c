// SPDX-License-Identifier: GPL-2.0
/*
 * Stores to the lines of memory that is larger than the caches, one after the other, and nothing
 * else. The stores are faster than the lines, so the store buffer is full nearly all the time.
 */
#define _GNU_SOURCE
#include "workload.h"

#include <inttypes.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define LINES	(65536ULL)	/* 4 MiB */

static char memory[LINES * WORKLOAD_LINE] __attribute__((aligned(4096)));

static __attribute__((noinline)) void write_lines(char *at, uint64_t lines)
{
	__asm__ volatile("1:\n\tmov %[lines], (%[at])\n\tadd $64, %[at]\n\tdec %[lines]\n\tjnz 1b"
			 : [at] "+r" (at), [lines] "+r" (lines) : : "cc", "memory");
}

int main(int argc, char **argv)
{
	uint64_t rounds = 4;
	int cpu = 0, wait = 0;
	char byte;
	const struct workload_arg args[] = {
		{ "rounds", 1, 1ull << 32, .number = &rounds },
		{ "cpu", 0, CPU_SETSIZE - 1, .integer = &cpu },
		{ "wait", .flag = &wait },
		{ }
	};

	workload_name = "writer";
	workload_args(argc, argv, "writer [--rounds N] [--cpu N] [--wait]", args);
	workload_pin(cpu);
	write_lines(memory, LINES);
	printf("{\"start\":\"0x%" PRIxPTR "\",\"bytes\":%zu,\"stores\":%" PRIu64 ",\"cpu\":%d,\"pid\":%d}\n",
	       (uintptr_t)memory, sizeof(memory), rounds * (uint64_t)LINES, cpu, (int)getpid());
	fflush(stdout);
	if (wait && read(STDIN_FILENO, &byte, 1) < 0)
		workload_fail("standard input can't be read");
	while (rounds--)
		write_lines(memory, LINES);
	return 0;
}
