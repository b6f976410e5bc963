// SPDX-License-Identifier: GPL-2.0
/*
 * module/core: from the bytes of a record to a sample, in every format. What counter a record is of,
 * and what is malformed, is compared by the fuzz target "record".
 */
#include <stddef.h>
#include <stdlib.h>

#include <uapi/linux/memlat.h>

#include "harness.h"
#include "record.h"

#define COUNTER0 1
#define COUNTER1 2

/* Loads on one counter, stores on another. */
static const struct memlat_record_counters both = { .loads = COUNTER0, .stores = COUNTER1 };

/* Offsets as the SDM prints them, not as core has them. */
static const struct format {
	unsigned int number;
	bool baseline;
	unsigned int size, ip, status, address, source, latency;
	bool after, global;
} formats[] = {
	{ 1, false, 176, 0x08, 0x90, 0x98, 0xa0, 0xa8, true, true },
	{ 2, false, 192, 0xb0, 0x90, 0x98, 0xa0, 0xa8, false, true },
	{ 3, false, 200, 0xb0, 0x90, 0x98, 0xa0, 0xa8, false, false },
	{ 4, true, 64, 8, 16, 32, 40, 48, false, false },
	{ 5, true, 64, 8, 16, 32, 40, 48, false, false },
	{ 6, true, 64, 8, 16, 32, 40, 48, false, false },
	{ 0xf, true, 128, 16, 24, 64, 104, 112, false, false },
};

#define FORMATS (formats + sizeof(formats) / sizeof(formats[0]))

/* A record alone in its memory, so that a read beyond its end is noticed. */
static const struct format *format;
static const struct memlat_record_layout *layout;
static u8 *record;

static void put(unsigned int offset, u64 value)
{
	memcpy(record + offset, &value, sizeof(value));
}

static u64 first_word(u64 groups, u64 size)
{
	return groups | size << 48;
}

/* A fragment's first word: groups, 64-bit mode, size. */
#define BASIC	(1ULL << 63)
#define AUX	(1ULL << 62)
#define ARCH(groups, size) ((groups) | 1ULL << 30 | (size))

static void fill(void)
{
	unsigned int i;

	/* A wrong offset reads one of these values. */
	for (i = 0; i < format->size; i += 8)
		put(i, 0xbad0000000000000 | i);
	/* The record may contain a retire latency, which memlat does not use. */
	if (format->number == 0xf)
		put(0, ARCH(BASIC | AUX, 128));
	else if (format->number >= 4)
		put(0, first_word(1, 64) | 0x123400000000);
	put(format->status, COUNTER0);
	put(format->address, 0x7f0012345678);
	put(format->source, 0x3d);
	put(format->latency, 371);
	put(format->ip, 0x401234);
}

/* A store's record, with a value in the field of the latency. */
static void fill_store(u64 source)
{
	fill();
	put(format->status, COUNTER1);
	put(format->source, source);
	put(format->latency, 0);
}

static void use(const struct format *f)
{
	format = f;
	layout = memlat_record_layout_of(f->number, f->baseline);
	assert_non_null(layout);
	record = malloc(f->size);
	assert_non_null(record);
	fill();
}

static void leave(void)
{
	free(record);
	record = NULL;
}

static enum memlat_verdict decode(struct memlat_sample *s)
{
	memset(s, 0xa5, sizeof(*s));
	return memlat_record_decode(layout, &memlat_source_skx, &both, record, s);
}

static void fields(void)
{
	struct memlat_sample s;

	assert_int_equal(decode(&s), MEMLAT_VERDICT_SAMPLE);
	assert_int_equal(s.addr, 0x7f0012345678);
	assert_int_equal(s.ip, 0x401234);
	assert_int_equal(s.latency, 371);
	assert_int_equal(s.use_latency, 0);
	assert_false(s.not_memory);
	assert_int_equal(s.raw, 0xd << MEMLAT_SOURCE_FLAG_BITS | 3);
	assert_int_equal(s.source, MEMLAT_SRC_RHITM);
	assert_false(s.store);
	assert_false(s.l1_hit);
	assert_true(s.stlb_miss);
	assert_true(s.locked);
	assert_int_equal(layout->format, format->number);
	assert_int_equal(layout->size, format->size);
	assert_int_equal(layout->ip_after, format->after);
	assert_int_equal(layout->status_is_global, format->global);
	assert_int_equal(layout->adaptive, format->number >= 4 && format->number < 0xf);
	assert_int_equal(layout->arch, format->number == 0xf);
}

/* A load on a core with both latencies, from L1 (1), L3 (4) or a fill buffer (2). */
static enum memlat_verdict two_latencies(struct memlat_sample *s, u64 source, u64 cache, u64 use)
{
	memset(s, 0xa5, sizeof(*s));
	put(format->source, source);
	put(format->latency, 0xbad00000bad00000 | cache << 32 | use);
	return memlat_record_decode(layout, &memlat_source_spr, &both, record, s);
}

/* One latency of 32 bits until Ice Lake, two of 16 bits since then. */
static void latencies(void)
{
	struct memlat_sample s;
	u64 source;

	memcpy(&source, record + format->source, sizeof(source));
	put(format->latency, 0xdead00012345);
	assert_int_equal(decode(&s), MEMLAT_VERDICT_SAMPLE);
	assert_int_equal(s.latency, 0x12345);
	assert_int_equal(s.use_latency, 0);

	/* The latency is that of memory. The threshold is compared with the other one. */
	assert_int_equal(two_latencies(&s, 4, 0x12c, 0x190), MEMLAT_VERDICT_SAMPLE);
	assert_int_equal(s.latency, 0x12c);
	assert_int_equal(s.use_latency, 0x190);
	assert_int_equal(two_latencies(&s, 4, 0x12c, 0), MEMLAT_VERDICT_MALFORMED);
	/* It is at least a cycle, whatever the CPU says. */
	assert_int_equal(two_latencies(&s, 4, 0, 40), MEMLAT_VERDICT_SAMPLE);
	assert_int_equal(s.latency, 1);
	assert_int_equal(s.use_latency, 40);

	/* A hit in L1 that waited longer for something else than for memory. */
	assert_int_equal(two_latencies(&s, 1, 5, 33), MEMLAT_VERDICT_SAMPLE);
	assert_int_equal(s.latency, 5);
	assert_true(s.not_memory);
	assert_int_equal(two_latencies(&s, 1, 5, 10), MEMLAT_VERDICT_SAMPLE);
	assert_false(s.not_memory);
	assert_int_equal(two_latencies(&s, 1, 5, 11), MEMLAT_VERDICT_SAMPLE);
	assert_true(s.not_memory);
	/* The latency is memory's as well, or the hit was not in L1. */
	assert_int_equal(two_latencies(&s, 1, 60, 70), MEMLAT_VERDICT_SAMPLE);
	assert_false(s.not_memory);
	assert_int_equal(two_latencies(&s, 2, 5, 240), MEMLAT_VERDICT_SAMPLE);
	assert_false(s.not_memory);
	put(format->source, source);
}

static void store(void)
{
	struct memlat_sample s;

	/* Only bit 0 has a meaning. */
	fill_store(0x3f);
	assert_int_equal(decode(&s), MEMLAT_VERDICT_SAMPLE);
	assert_true(s.store);
	assert_true(s.l1_hit);
	assert_int_equal(s.source, MEMLAT_SRC_L1);
	assert_int_equal(s.addr, 0x7f0012345678);
	assert_int_equal(s.ip, 0x401234);
	assert_int_equal(s.latency, 0);
	assert_int_equal(s.raw, 0);
	assert_false(s.stlb_miss);
	assert_false(s.locked);

	fill_store(0x3e);
	assert_int_equal(decode(&s), MEMLAT_VERDICT_SAMPLE);
	assert_true(s.store);
	assert_false(s.l1_hit);
	assert_int_equal(s.source, MEMLAT_SRC_UNKNOWN);

	/* The field of the latency has no meaning. */
	fill_store(1);
	put(format->latency, 0x4d0000004d);
	assert_int_equal(decode(&s), MEMLAT_VERDICT_SAMPLE);
	assert_int_equal(s.latency, 0);
	memset(&s, 0xa5, sizeof(s));
	assert_int_equal(memlat_record_decode(layout, &memlat_source_spr, &both, record, &s),
			 MEMLAT_VERDICT_SAMPLE);
	/* Since Golden Cove it is the time until the store was done, and the word has a code. */
	assert_int_equal(s.latency, 0x4d);
	assert_int_equal(s.use_latency, 0);
	assert_int_equal(s.source, MEMLAT_SRC_L1);
	fill_store(0xd);
	put(format->latency, 0xbad0012cbad00190);
	assert_int_equal(memlat_record_decode(layout, &memlat_source_spr, &both, record, &s),
			 MEMLAT_VERDICT_SAMPLE);
	assert_true(s.store);
	assert_false(s.l1_hit);
	assert_int_equal(s.source, MEMLAT_SRC_RHITM);
	assert_int_equal(s.latency, 0x12c);
	assert_int_equal(s.raw, 0);
	put(format->latency, 0);
	assert_int_equal(memlat_record_decode(layout, &memlat_source_spr, &both, record, &s),
			 MEMLAT_VERDICT_SAMPLE);
	assert_int_equal(s.latency, 0);
}

static void each(void (*test)(void))
{
	const struct format *f;

	for (f = formats; f < FORMATS; f++) {
		use(f);
		test();
		leave();
	}
}

#define EACH(name) TEST(test_##name) { each(name); }

EACH(fields)
EACH(latencies)
EACH(store)

/* A record without address, source or latency is not used, and nothing is guessed. */
TEST(test_formats)
{
	unsigned int number;

	assert_null(memlat_record_layout_of(0, false));
	assert_null(memlat_record_layout_of(0, true));
	for (number = 1; number <= 3; number++)
		assert_non_null(memlat_record_layout_of(number, false));
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

/* An adaptive record says which groups it has. Records with other groups are no samples. */
TEST(test_groups)
{
	struct memlat_sample s;
	u64 groups;

	use(&formats[3]);
	for (groups = 0; groups < 64; groups++) {
		put(0, first_word(groups, 64));
		assert_int_equal(decode(&s), groups == 1 ? MEMLAT_VERDICT_SAMPLE :
							   MEMLAT_VERDICT_MALFORMED);
	}
	put(0, first_word(1 | 1 << 20, 64));
	assert_int_equal(decode(&s), MEMLAT_VERDICT_MALFORMED);
	/* Entries of a branch record that is not there. */
	put(0, first_word(1 | 0x1fU << 24, 64));
	assert_int_equal(decode(&s), MEMLAT_VERDICT_SAMPLE);
	put(0, first_word(3, 208));
	assert_int_equal(decode(&s), MEMLAT_VERDICT_MALFORMED);
	leave();
}

/* A basic record alone has 32 bytes, and no more may be read. */
TEST(test_basic_record)
{
	struct memlat_sample s;
	u8 *whole;

	use(&formats[5]);
	whole = record;
	record = malloc(32);
	assert_non_null(record);
	memcpy(record, whole, 32);
	put(0, first_word(0, 32));
	assert_int_equal(memlat_record_step(layout, record, 32), 32);
	assert_int_equal(decode(&s), MEMLAT_VERDICT_MALFORMED);
	free(whole);
	leave();
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
	unsigned int i;
	u64 left;

	use(&formats[3]);
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		put(0, first_word(1, cases[i].size));
		assert_int_equal(memlat_record_step(layout, record, cases[i].left),
				 cases[i].step);
	}
	/* If less than a record is left, nothing may be read, because there may be nothing. */
	for (left = 0; left < 32; left++) {
		u8 *tail = malloc(left ? left : 1);

		assert_non_null(tail);
		memset(tail, 0x40, left ? left : 1);
		assert_int_equal(memlat_record_step(layout, tail, left), 0);
		free(tail);
	}
	leave();
}
