// SPDX-License-Identifier: GPL-2.0
/*
 * A library of plugins.c: two threads count in NAME_cells, in NAME_count(). PAGES makes it larger.
 */
#include <stdint.h>

#define JOINED(a, b)	a##b
#define OF(name, what)	JOINED(name, what)

uint64_t OF(NAME, _cells)[2] __attribute__((aligned(64)));
const char OF(NAME, _pages)[PAGES << 12] = { 1 };

void OF(NAME, _count)(int index, uint64_t n)
{
	volatile uint64_t *cell = &OF(NAME, _cells)[index];

	while (n--)
		*cell = *cell + 1;
}
