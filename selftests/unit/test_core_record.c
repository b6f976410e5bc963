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

static enum memlat_verdict decode(struct memlat_sample *s)
{
	return memlat_record_decode(&memlat_record_fmt3, &memlat_source_skx, COUNTER0, record, s);
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

static void test_other_counter(void **state)
{
	struct memlat_sample s;

	fill();
	put(STATUS, 2);
	assert_int_equal(decode(&s), MEMLAT_VERDICT_COLLISION);
	/* One record may stand for several counters. */
	put(STATUS, 2 | COUNTER0);
	assert_int_equal(decode(&s), MEMLAT_VERDICT_SAMPLE);
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
	struct memlat_sample s;
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
		cmocka_unit_test(test_other_counter),
		cmocka_unit_test(test_malformed),
		cmocka_unit_test(test_sources),
	};

	return cmocka_run_group_tests_name("core record", tests, NULL, NULL);
}
