// SPDX-License-Identifier: GPL-2.0
/*
 * module/core: which formats there are, and where the next record begins. What a record says is compared
 * by the fuzz targets "record" and "source".
 */
#include <stdlib.h>

#include <uapi/linux/memlat.h>

#include "harness.h"
#include "record.h"

/* A record without address, source or latency is not used, and nothing is guessed. */
TEST(test_formats)
{
	unsigned int number;

	assert_null(memlat_record_layout_of(0, false));
	assert_null(memlat_record_layout_of(0, true));
	/* What a driver has to know of the oldest ones. */
	for (number = 1; number <= 3; number++) {
		assert_int_equal(memlat_record_layout_of(number, false)->ip_after, number == 1);
		assert_int_equal(memlat_record_layout_of(number, false)->status_is_global, number < 3);
	}
	for (number = 4; number <= 6; number++) {
		assert_null(memlat_record_layout_of(number, false));
		assert_non_null(memlat_record_layout_of(number, true));
	}
	/* Architectural PEBS has no such bit to check. */
	assert_non_null(memlat_record_layout_of(0xf, false));
	assert_ptr_equal(memlat_record_layout_of(0xf, true), memlat_record_layout_of(0xf, false));
	for (number = 7; number < 300; number++) {
		if (number == 0xf)
			continue;
		assert_null(memlat_record_layout_of(number, false));
		assert_null(memlat_record_layout_of(number, true));
	}
}

/*
 * A hit in L1 that waited longer for something else than for memory: the edge, which inputs by chance
 * miss. A store has no use latency.
 */
TEST(test_not_memory)
{
	static const struct memlat_record_counters counters = { .loads = 1, .stores = 2 };
	const struct memlat_record_layout *layout = memlat_record_layout_of(4, true);
	u64 use, record[8] = { 1 | 64ULL << 48, 0x401234, 1, 0, 0x7f0012345678, 1 };
	struct memlat_sample s;

	for (use = 9; use < 13; use++) {
		record[6] = 5ULL << 32 | use;
		assert_int_equal(memlat_record_decode(layout, &memlat_source_spr, &counters, record, &s),
				 MEMLAT_VERDICT_SAMPLE);
		assert_int_equal(s.not_memory, use > 10);
	}
	record[2] = 2;
	assert_int_equal(memlat_record_decode(layout, &memlat_source_spr, &counters, record, &s),
			 MEMLAT_VERDICT_SAMPLE);
	assert_int_equal(s.use_latency, 0);
}

TEST(test_adaptive_steps)
{
	static const struct {
		u64 size, left;
		unsigned int step;
	} cases[] = {
		{ 64, 64, 64 }, { 64, 128, 64 }, { 64, 63, 0 },
		/* Groups for somebody else: longer or shorter, but the next record is found. */
		{ 32, 64, 32 }, { 40, 64, 40 }, { 208, 208, 208 }, { 208, 4096, 208 },
		{ 0xfff8, 65536, 0xfff8 },
		/* Longer than what was written. */
		{ 208, 200, 0 }, { 72, 64, 0 }, { 0xfff8, 64, 0 },
		/* The walk would never end. */
		{ 0, 64, 0 }, { 0, 65536, 0 },
		/* Shorter than a record can be. */
		{ 8, 64, 0 }, { 24, 64, 0 },
		/* No multiple of 8. */
		{ 33, 64, 0 }, { 60, 64, 0 }, { 65, 128, 0 }, { 0xffff, 0x10000, 0 },
	};
	const struct memlat_record_layout *layout = memlat_record_layout_of(4, true);
	u64 left, first;
	unsigned int i;

	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		/* Nothing behind it is read. */
		u8 *record = malloc(32);

		assert_non_null(record);
		first = 1 | cases[i].size << 48;
		memcpy(record, &first, sizeof(first));
		assert_int_equal(memlat_record_step(layout, record, cases[i].left),
				 cases[i].step);
		free(record);
	}
	/* If less than a record is left, nothing may be read, because there may be nothing. */
	for (left = 0; left < 32; left++) {
		u8 *tail = malloc(left ? left : 1);

		assert_non_null(tail);
		memset(tail, 0x40, left ? left : 1);
		assert_int_equal(memlat_record_step(layout, tail, left), 0);
		free(tail);
	}
}
