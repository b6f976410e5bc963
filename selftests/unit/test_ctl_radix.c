// SPDX-License-Identifier: GPL-2.0

#include "ctl_test.h"

#include "util/order.h"

#define MOST	3000

static __u64 next(void)
{
	static __u64 state = 88172645463325252ULL;

	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state;
}

/* Each number is there once, sorted by key. Numbers with equal keys keep their order. */
static void check(const struct radix_row *rows, const __u64 *keys, size_t nr)
{
	static bool seen[MOST];
	size_t i;

	memset(seen, 0, sizeof(seen));
	for (i = 0; i < nr; i++) {
		assert_true(rows[i].row < nr && !seen[rows[i].row]);
		seen[rows[i].row] = true;
		assert_int_equal(rows[i].key, keys[rows[i].row]);
		if (!i)
			continue;
		assert_true(rows[i - 1].key <= rows[i].key);
		if (rows[i - 1].key == rows[i].key)
			assert_true(rows[i - 1].row < rows[i].row);
	}
}

TEST(sorted_and_stable)
{
	/* All bits of a word, some digits in the middle, the highest one, and no bit at all. */
	static const __u64 masks[] = { ~0ULL, 0xffff000ULL, 0xff00000000ff00ULL, 1ULL << 63, 7, 0 };
	static const size_t numbers[] = { 0, 1, 2, 255, MOST };
	static struct radix_row rows[MOST], spare[MOST];
	static __u64 keys[MOST];
	unsigned int mask, number;
	size_t i;

	for (mask = 0; mask < sizeof(masks) / sizeof(masks[0]); mask++)
		for (number = 0; number < sizeof(numbers) / sizeof(numbers[0]); number++) {
			for (i = 0; i < numbers[number]; i++) {
				keys[i] = (next() & masks[mask]) | 0x10;
				rows[i] = (struct radix_row){ keys[i], i };
			}
			radix_sort(rows, spare, numbers[number]);
			check(rows, keys, numbers[number]);
		}
}
