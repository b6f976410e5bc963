// SPDX-License-Identifier: GPL-2.0
/* Bits of the register that turns prefetchers off: whose they are, and what is put back. */
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
	/* All eight there are. */
	assert_int_equal(apply(OTHERS | 0xf, 0xff), OTHERS | 0xff);
	assert_int_equal(apply(OTHERS | 0xff, 0xf), OTHERS | 0xf);
	/* Asked again: nothing changes. */
	assert_int_equal(apply(OTHERS | 0xf, 0xf), OTHERS | 0xf);
	assert_int_equal(held, 0xf);
	assert_int_equal(apply(OTHERS | 0xf, 0x2), OTHERS | 0x2);
	assert_int_equal(held, 0x2);
	assert_int_equal(apply(OTHERS | 0x2, 0), OTHERS);
	assert_int_equal(held, 0);
	assert_int_equal(lost, 0);
}

/* What was off when memlat came is not memlat's to turn on. */
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

/* Someone else turned one on: told, and left; one more off: theirs. */
TEST(others)
{
	held = 0;
	apply(0, 0x3);
	assert_int_equal(apply(0x8 | 0x1, 0), 0x8);
	assert_int_equal(held, 0);
	assert_int_equal(lost, 0x2);
	/* Wanted still: off again, and memlat's. */
	apply(0, 0x3);
	assert_int_equal(apply(0x1, 0x3), 0x3);
	assert_int_equal(lost, 0x2);
	assert_int_equal(held, 0x3);
}

/* By the rule, for all there are: memlat's bits go, all others stay. */
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
				/* Put back: what was there, without what memlat had set. */
				assert_int_equal(apply(next, 0), value & ~was);
				assert_int_equal(held, 0);
				assert_int_equal(lost, 0);
			}
}
