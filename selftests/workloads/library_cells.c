// SPDX-License-Identifier: GPL-2.0
/* A library with the thread-local variable NAME_cells and NAME_walk(), which walks it. */
#include <stddef.h>
#include <stdint.h>

#include "workload.h"

#define JOIN_(a, b)	a##b
#define JOIN(a, b)	JOIN_(a, b)
#define LINES		2048

struct cells {
	uint64_t head[LINES][WORKLOAD_LINE / sizeof(uint64_t)];
	uint64_t tail;
};

__thread struct cells JOIN(NAME, _cells) __attribute__((aligned(ALIGN)));

void JOIN(NAME, _walk)(uint64_t rounds);

void JOIN(NAME, _walk)(uint64_t rounds)
{
	volatile struct cells *mine = &JOIN(NAME, _cells);
	size_t i;

	mine->tail = rounds;
	while (rounds--)
		for (i = 0; i < LINES; i++)
			(void)mine->head[i][0];
}
