// SPDX-License-Identifier: GPL-2.0
/*
 * Walks down the columns of a table whose rows are a power of two long, so that all its lines fall
 * into one of L1's sets. Each cell tells where the next one is, which is why the walk waits for
 * it. With PADDED rows are a line longer, as one would mend it.
 */
#include "workload.h"

#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

#define ROWS_MAX	1024

#ifdef PADDED
#define PAD		WORKLOAD_LINE
#define NAME		"columns_padded"
#else
#define PAD		0
#define NAME		"columns"
#endif

struct row {
	void *next;
	char cells[4096 - sizeof(void *) + PAD];
};

static struct row table[ROWS_MAX] __attribute__((aligned(4096)));

__attribute__((noinline)) void *walk_down(void *at, uint64_t steps)
{
	__asm__ volatile("1:\n\tmov (%[at]), %[at]\n\tdec %[left]\n\tjnz 1b"
			 : [at] "+r" (at), [left] "+r" (steps) : : "memory", "cc");
	return at;
}

int main(int argc, char **argv)
{
	static const struct option options[] = {
		{ "rows", required_argument, NULL, 'r' }, { "steps", required_argument, NULL, 's' },
		{ "help", no_argument, NULL, 'h' }, { }
	};
	uint64_t rows = 16, steps = 400000, i;
	int option;

	workload_name = NAME;
	while ((option = workload_option(argc, argv, options, NAME " [--rows N] [--steps N]")) != -1)
		if (option == 'r')
			rows = workload_number("--rows", optarg, 2, ROWS_MAX);
		else
			steps = workload_number("--steps", optarg, 1, UINT64_MAX / 2);
	for (i = 0; i < rows; i++)
		table[i].next = &table[(i + 1) % rows].next;
	printf("{\"start\":\"0x%" PRIxPTR "\",\"step\":%zu,\"rows\":%" PRIu64 ",\"pid\":%d}\n",
	       (uintptr_t)table, sizeof(table[0]), rows, (int)getpid());
	fflush(stdout);
	if (walk_down(&table[0].next, steps) != &table[steps % rows].next)
		workload_fail("came out at another place");
	return 0;
}
