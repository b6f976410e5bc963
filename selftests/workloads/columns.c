// SPDX-License-Identifier: GPL-2.0
/*
 * Walks down the columns of a table. The length of its rows is a power of two, so all lines of a
 * column fall into one set of L1. Each cell contains the index of the next one, so the walk waits
 * for each load. With PADDED, which mends this, rows are a line longer.
 */
#include "workload.h"

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
	uint64_t rows = 16, steps = 400000, i;
	const struct workload_arg args[] = {
		{ "rows", 2, ROWS_MAX, .number = &rows },
		{ "steps", 1, UINT64_MAX / 2, .number = &steps },
		{ }
	};

	workload_name = NAME;
	workload_args(argc, argv, NAME " [--rows N] [--steps N]", args);
	for (i = 0; i < rows; i++)
		table[i].next = &table[(i + 1) % rows].next;
	printf("{\"start\":\"0x%" PRIxPTR "\",\"step\":%zu,\"rows\":%" PRIu64 ",\"pid\":%d}\n",
	       (uintptr_t)table, sizeof(table[0]), rows, (int)getpid());
	fflush(stdout);
	if (walk_down(&table[0].next, steps) != &table[steps % rows].next)
		workload_fail("came out at another place");
	return 0;
}
