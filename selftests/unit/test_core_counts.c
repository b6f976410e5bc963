// SPDX-License-Identifier: GPL-2.0
/* module/core: buckets and exact counts. */
#include "bucket.h"
#include "core_test.h"
#include "counts.h"

static void test_bucket_edges(void **state)
{
	static const u32 edge[] = {
		32, 45, 64, 90, 128, 180, 256, 360, 512, 724, 1024, 2048, 4096,
	};
	unsigned int i;

	assert_int_equal(memlat_bucket_of(0), 0);
	for (i = 0; i < sizeof(edge) / sizeof(edge[0]); i++) {
		assert_int_equal(memlat_bucket_of(edge[i]), i);
		assert_int_equal(memlat_bucket_of(edge[i] + 1), i + 1);
	}
	assert_int_equal(memlat_bucket_of(UINT32_MAX), MEMLAT_BUCKETS - 1);
}

static void test_loads(void **state)
{
	struct memlat_sample a = sample(0x1008, 100, MEMLAT_SRC_RHITM);
	struct memlat_sample b = sample(0x103f, 300, MEMLAT_SRC_DRAM);
	struct memlat_counts c = { 0 };

	a.weight = 10;
	a.raw = 0x2d;
	memlat_counts_add(&c, &a);
	memlat_counts_add(&c, &a);
	memlat_counts_add(&c, &b);

	assert_int_equal(c.count[MEMLAT_COUNT_SAMPLES], 3);
	assert_int_equal(c.count[MEMLAT_COUNT_LOADS], 3);
	assert_int_equal(c.count[MEMLAT_COUNT_STORES], 0);
	assert_int_equal(c.count[MEMLAT_COUNT_WEIGHT_LOADS], 10 + 10 + 1009);
	assert_int_equal(c.count[MEMLAT_COUNT_LATENCY_SUM], 500);
	assert_int_equal(c.latency_max, 300);
	assert_int_equal(c.latency[MEMLAT_SRC_RHITM], 200);
	assert_int_equal(c.bucket[4][MEMLAT_SRC_RHITM].samples, 2);
	assert_int_equal(c.bucket[4][MEMLAT_SRC_RHITM].weight, 20);
	assert_int_equal(c.bucket[7][MEMLAT_SRC_DRAM].samples, 1);
	assert_int_equal(c.raw[0x2d], 2);
	assert_int_equal(c.raw[MEMLAT_SRC_DRAM], 1);
}

/* A store has no latency: it is in no bucket, and in no source. */
static void test_stores(void **state)
{
	struct memlat_sample s = sample(0x1008, 0, MEMLAT_SRC_L1);
	struct memlat_counts c = { 0 }, want = { 0 };

	s.store = true;
	s.l1_hit = true;
	s.weight = 10007;
	memlat_counts_add(&c, &s);
	want.count[MEMLAT_COUNT_SAMPLES] = 1;
	want.count[MEMLAT_COUNT_STORES] = 1;
	want.count[MEMLAT_COUNT_WEIGHT_STORES] = 10007;
	assert_memory_equal(&c, &want, sizeof(c));
}

static void test_merge(void **state)
{
	struct memlat_counts a = { 0 }, b = { 0 }, whole = { 0 };
	u64 seed = 5;
	unsigned int i;

	for (i = 0; i < 5000; i++) {
		u64 r = random_next(&seed);
		struct memlat_sample s = sample(r, 3 + r % 5000, r % MEMLAT_SRC_NR);

		s.raw = r >> 8;
		s.store = r % 5 == 0;
		memlat_counts_add(i % 3 ? &a : &b, &s);
		memlat_counts_add(&whole, &s);
	}
	memlat_counts_merge(&a, &b);
	assert_memory_equal(&a, &whole, sizeof(a));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_bucket_edges),
		cmocka_unit_test(test_loads),
		cmocka_unit_test(test_stores),
		cmocka_unit_test(test_merge),
	};

	return cmocka_run_group_tests_name("core counts", tests, NULL, NULL);
}
