// SPDX-License-Identifier: GPL-2.0
/* module/core: from record bytes to a sample. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <uapi/linux/memlat.h>

#include "record.h"

/* Offsets as the SDM prints them, not as core spells them. */
enum { STATUS = 0x90, ADDRESS = 0x98, SOURCE = 0xa0, LATENCY = 0xa8, EVENTING_IP = 0xb0 };

#define COUNTER0 1
#define COUNTER1 2

/* Loads on one counter, stores on the other. */
static const struct memlat_record_counters both = { .loads = COUNTER0, .stores = COUNTER1 };

static u8 record[200];

static void put(unsigned int offset, u64 value)
{
	memcpy(record + offset, &value, sizeof(value));
}

static void fill(void)
{
	unsigned int i;

	/* A wrong offset reads one of these. */
	for (i = 0; i < sizeof(record); i += 8)
		put(i, 0xbad0000000000000 | i);
	put(STATUS, COUNTER0);
	put(ADDRESS, 0x7f0012345678);
	put(SOURCE, 0x3d);
	put(LATENCY, 371);
	put(EVENTING_IP, 0x401234);
}

/* A store's record, which has something in the place of the latency. */
static void fill_store(u64 source)
{
	fill();
	put(STATUS, COUNTER1);
	put(SOURCE, source);
	put(LATENCY, 0);
}

static enum memlat_verdict decode_of(const struct memlat_record_counters *counters,
				     struct memlat_sample *s)
{
	memset(s, 0xa5, sizeof(*s));
	return memlat_record_decode(&memlat_record_fmt3, &memlat_source_skx, counters, record, s);
}

static enum memlat_verdict decode(struct memlat_sample *s)
{
	return decode_of(&both, s);
}

static void test_fields(void **state)
{
	struct memlat_sample s;

	fill();
	assert_int_equal(decode(&s), MEMLAT_VERDICT_SAMPLE);
	assert_int_equal(s.addr, 0x7f0012345678);
	assert_int_equal(s.ip, 0x401234);
	assert_int_equal(s.latency, 371);
	assert_int_equal(s.raw, 0x3d);
	assert_int_equal(s.source, MEMLAT_SRC_RHITM);
	assert_false(s.store);
	assert_false(s.l1_hit);
	assert_true(s.stlb_miss);
	assert_true(s.locked);
	assert_int_equal(memlat_record_fmt3.size, sizeof(record));
}

static void test_latency_is_32_bits(void **state)
{
	struct memlat_sample s;

	fill();
	put(LATENCY, 0xdead00000000 | 99);
	assert_int_equal(decode(&s), MEMLAT_VERDICT_SAMPLE);
	assert_int_equal(s.latency, 99);
}

static void test_store(void **state)
{
	struct memlat_sample s;

	/* Only bit 0 means anything. */
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

	/* Whatever stands in the place of the latency is none. */
	fill_store(1);
	put(LATENCY, 77);
	assert_int_equal(decode(&s), MEMLAT_VERDICT_SAMPLE);
	assert_int_equal(s.latency, 0);
}

static void test_other_counter(void **state)
{
	struct memlat_sample s;

	fill();
	put(STATUS, 4);
	assert_int_equal(decode(&s), MEMLAT_VERDICT_COLLISION);
	/* One record may stand for several counters. */
	put(STATUS, 4 | COUNTER0);
	assert_int_equal(decode(&s), MEMLAT_VERDICT_SAMPLE);
	/* But not for both of memlat's: is this a load's source or a store's? */
	put(STATUS, COUNTER0 | COUNTER1);
	assert_int_equal(decode(&s), MEMLAT_VERDICT_COLLISION);
}

/* A kind that is not sampled has no counter: its bit is somebody else's. */
static void test_one_kind(void **state)
{
	static const struct memlat_record_counters loads = { .loads = COUNTER0 };
	static const struct memlat_record_counters stores = { .stores = COUNTER1 };
	struct memlat_sample s;

	fill();
	assert_int_equal(decode_of(&loads, &s), MEMLAT_VERDICT_SAMPLE);
	assert_false(s.store);
	assert_int_equal(decode_of(&stores, &s), MEMLAT_VERDICT_COLLISION);
	put(STATUS, COUNTER0 | COUNTER1);
	assert_int_equal(decode_of(&loads, &s), MEMLAT_VERDICT_SAMPLE);
	assert_false(s.store);

	fill_store(1);
	assert_int_equal(decode_of(&stores, &s), MEMLAT_VERDICT_SAMPLE);
	assert_true(s.store);
	assert_int_equal(decode_of(&loads, &s), MEMLAT_VERDICT_COLLISION);
}

static void test_malformed(void **state)
{
	struct memlat_sample s;

	fill();
	put(STATUS, 0);
	assert_int_equal(decode(&s), MEMLAT_VERDICT_MALFORMED);
	fill();
	put(LATENCY, 0);
	assert_int_equal(decode(&s), MEMLAT_VERDICT_MALFORMED);
	fill();
	put(EVENTING_IP, 0);
	assert_int_equal(decode(&s), MEMLAT_VERDICT_MALFORMED);
	fill_store(1);
	put(EVENTING_IP, 0);
	assert_int_equal(decode(&s), MEMLAT_VERDICT_MALFORMED);
}

/* Every code of hw-facts C.2 for Skylake servers, in order. */
static void test_sources(void **state)
{
	static const enum memlat_source want[16] = {
		MEMLAT_SRC_UNKNOWN, MEMLAT_SRC_L1, MEMLAT_SRC_LFB, MEMLAT_SRC_L2,
		MEMLAT_SRC_L3, MEMLAT_SRC_L3_SNOOP, MEMLAT_SRC_L3_SNOOP, MEMLAT_SRC_L3_HITM,
		MEMLAT_SRC_PMEM, MEMLAT_SRC_RPMEM, MEMLAT_SRC_DRAM, MEMLAT_SRC_RDRAM,
		MEMLAT_SRC_RCACHE, MEMLAT_SRC_RHITM, MEMLAT_SRC_IO, MEMLAT_SRC_UNC,
	};
	struct memlat_sample s = { .store = false };
	unsigned int word;

	for (word = 0; word < 256; word++) {
		memlat_source_decode(&memlat_source_skx, word, &s);
		assert_int_equal(s.source, want[word & 15]);
		assert_int_equal(s.stlb_miss, word >> 4 & 1);
		assert_int_equal(s.locked, word >> 5 & 1);
		assert_int_equal(s.raw, word);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_fields),
		cmocka_unit_test(test_latency_is_32_bits),
		cmocka_unit_test(test_store),
		cmocka_unit_test(test_other_counter),
		cmocka_unit_test(test_one_kind),
		cmocka_unit_test(test_malformed),
		cmocka_unit_test(test_sources),
	};

	return cmocka_run_group_tests_name("core record", tests, NULL, NULL);
}
