// SPDX-License-Identifier: GPL-2.0
/* The bits of the register that turns prefetchers off: which are memlat's, and what is restored. */
#include "core_test.h"
#include "prefetch.h"

#define OTHERS	0x8000000000001100ull	/* bits that are none of memlat's business */

static u8 held, lost;

static u64 apply(u64 value, u8 want)
{
	return memlat_prefetch_apply(value, want, &held, &lost);
}

TEST(off_and_back)
{
	held = 0;
	assert_int_equal(apply(OTHERS, 0xf), OTHERS | 0xf);
	assert_int_equal(held, 0xf);
	assert_int_equal(lost, 0);
	/* All eight prefetchers. */
	assert_int_equal(apply(OTHERS | 0xf, 0xff), OTHERS | 0xff);
	assert_int_equal(apply(OTHERS | 0xff, 0xf), OTHERS | 0xf);
	/* The same request again changes nothing. */
	assert_int_equal(apply(OTHERS | 0xf, 0xf), OTHERS | 0xf);
	assert_int_equal(held, 0xf);
	assert_int_equal(apply(OTHERS | 0xf, 0x2), OTHERS | 0x2);
	assert_int_equal(held, 0x2);
	assert_int_equal(apply(OTHERS | 0x2, 0), OTHERS);
	assert_int_equal(held, 0);
	assert_int_equal(lost, 0);
}

/* memlat does not turn on what was off at first. */
TEST(found_off)
{
	held = 0;
	assert_int_equal(apply(0x5, 0xf), 0xf);
	assert_int_equal(held, 0xa);
	assert_int_equal(apply(0xf, 0), 0x5);
	assert_int_equal(held, 0);
	assert_int_equal(apply(0xf, 0xf), 0xf);
	assert_int_equal(held, 0);
	assert_int_equal(apply(0xf, 0), 0xf);
}

/*
 * If someone else turns a prefetcher on, that is reported and left so. One that they turn off is
 * theirs.
 */
TEST(others)
{
	held = 0;
	apply(0, 0x3);
	assert_int_equal(apply(0x8 | 0x1, 0), 0x8);
	assert_int_equal(held, 0);
	assert_int_equal(lost, 0x2);
	/* It is still requested, so it is off again, and memlat's. */
	apply(0, 0x3);
	assert_int_equal(apply(0x1, 0x3), 0x3);
	assert_int_equal(lost, 0x2);
	assert_int_equal(held, 0x3);
}

/* By the rule, for all values: memlat's bits are restored, and all others stay. */
TEST(every)
{
	unsigned int value, was, want;

	for (value = 0; value < 16; value++)
		for (was = 0; was < 16; was++)
			for (want = 0; want < 16; want++) {
				u64 next;

				held = was;
				next = apply(value, want);
				assert_int_equal(next & want, want);
				assert_int_equal(lost, was & ~value);
				/* Restored: the old value, without what memlat had set. */
				assert_int_equal(apply(next, 0), value & ~was);
				assert_int_equal(held, 0);
				assert_int_equal(lost, 0);
			}
}
