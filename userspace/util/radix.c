// SPDX-License-Identifier: GPL-2.0
#include "order.h"

#include <string.h>

#define DIGITS	8
#define VALUES	256

static unsigned int digit_of(const struct radix_row *row, unsigned int digit)
{
	return row->key >> 8 * digit & (VALUES - 1);
}

/* Sort by one digit into the other array. */
static void sort_digit(const struct radix_row *from, struct radix_row *to, size_t nr,
		       unsigned int digit)
{
	size_t at[VALUES] = { 0 }, before = 0, i;

	for (i = 0; i < nr; i++)
		at[digit_of(&from[i], digit)]++;
	for (i = 0; i < VALUES; i++) {
		size_t count = at[i];

		at[i] = before;
		before += count;
	}
	for (i = 0; i < nr; i++)
		to[at[digit_of(&from[i], digit)]++] = from[i];
}

void radix_sort(struct radix_row *rows, struct radix_row *spare, size_t nr)
{
	struct radix_row *from = rows, *to = spare, *last;
	__u64 varies = 0;
	unsigned int digit;
	size_t i;

	for (i = 1; i < nr; i++)
		varies |= rows[i].key ^ rows[0].key;
	for (digit = 0; digit < DIGITS; digit++) {
		/*
		 * Skip a digit that is the same everywhere, as most digits of addresses and ids
		 * are.
		 */
		if (!(varies >> 8 * digit & (VALUES - 1)))
			continue;
		sort_digit(from, to, nr, digit);
		last = from;
		from = to;
		to = last;
	}
	if (from != rows)
		memcpy(rows, from, nr * sizeof(*rows));
}
