// SPDX-License-Identifier: GPL-2.0
#include <stdlib.h>

#include "ctl_test.h"

#include "names/symbols.h"

#define SPAN	64
#define TRIES	500
#define MANY	200000

/* The range that starts last of those that hold the address, and of these the shortest. */
static const struct range *slowly(const struct ranges *ranges, __u64 address)
{
	const struct range *found = NULL;
	size_t i;

	for (i = 0; i < ranges->nr; i++) {
		const struct range *row = &ranges->rows[i];

		if (address >= row->start && address < row->end &&
		    (!found || row->start > found->start ||
		     (row->start == found->start && row->end <= found->end)))
			found = row;
	}
	return found;
}

/* Ranges that are apart, nested, the same, and across each other. */
TEST(innermost)
{
	unsigned int try, i, nr;
	__u64 at;

	srandom(5);
	for (try = 0; try < TRIES; try++) {
		struct ranges ranges = { 0 };

		nr = (unsigned int)random() % 12;
		for (i = 0; i < nr; i++) {
			at = (__u64)random() % SPAN;
			ranges_add(&ranges, at, at + (__u64)random() % (SPAN - at), i);
		}
		ranges_settle(&ranges);
		for (at = 0; at <= SPAN; at++)
			assert_ptr_equal(ranges_find(&ranges, at), slowly(&ranges, at));
		ranges_free(&ranges);
	}
}

/* One range holds all others, as a symbol of a hostile file may. */
TEST(in_a_large_one)
{
	struct ranges ranges = { 0 };
	__u64 i;

	ranges_add(&ranges, 0, 4 * MANY, MANY);
	for (i = 0; i < MANY; i++)
		ranges_add(&ranges, 4 * i, 4 * i + 2, i);
	ranges_settle(&ranges);
	endless_begin();
	for (i = 0; i < MANY; i++) {
		assert_int_equal(ranges_find(&ranges, 4 * i + 1)->what, i);
		assert_int_equal(ranges_find(&ranges, 4 * i + 3)->what, MANY);
	}
	endless_end();
	assert_null(ranges_find(&ranges, 4 * MANY));
	ranges_free(&ranges);
}
