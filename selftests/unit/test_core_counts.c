// SPDX-License-Identifier: GPL-2.0
/* module/core: buckets and exact counts. */
#include "core_test.h"
#include "counts.h"

TEST(test_bucket_edges)
{
	static const u32 edge[] = {
		32, 45, 64, 90, 128, 180, 256, 360, 512, 724, 1024, 2048, 4096,
	};
	unsigned int i, row = 0;
	u32 latency;

	for (latency = 1; latency < 10000; latency++) {
		row += row < sizeof(edge) / sizeof(edge[0]) && latency > edge[row];
		assert_int_equal(memlat_bucket_of(latency), row);
	}
	for (i = 0; i < sizeof(edge) / sizeof(edge[0]); i++) {
		assert_int_equal(memlat_bucket_of(edge[i]), i);
		assert_int_equal(memlat_bucket_of(edge[i] + 1), i + 1);
		/* The edges that users see. */
		assert_int_equal(memlat_bucket_edge[i], edge[i]);
	}
	for (latency = 1U << 31; latency > 4096; latency /= 2) {
		assert_int_equal(memlat_bucket_of(latency - 1), MEMLAT_BUCKETS - 1);
		assert_int_equal(memlat_bucket_of(latency), MEMLAT_BUCKETS - 1);
		assert_int_equal(memlat_bucket_of(latency + 1), MEMLAT_BUCKETS - 1);
	}
	assert_int_equal(memlat_bucket_of(UINT32_MAX), MEMLAT_BUCKETS - 1);
}

TEST(test_loads)
{
	struct memlat_sample a = sample(0x1008, 100, MEMLAT_SRC_RHITM);
	struct memlat_sample b = sample(0x103f, 300, MEMLAT_SRC_DRAM);
	struct memlat_counts c = { 0 };

	a.weight = 10;
	a.raw = 0x12d;
	a.use_latency = 170;
	a.blocked_data = true;
	b.use_latency = 301;
	b.blocked_addr = true;
	counts_add(&c, &a);
	counts_add(&c, &a);
	counts_add(&c, &b);

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
	assert_int_equal(c.cache_latency[MEMLAT_SRC_RHITM], 200);
	assert_int_equal(c.cache_latency[MEMLAT_SRC_DRAM], 300);
	assert_int_equal(memlat_counts_cache_latency(&c), 500);
	assert_int_equal(c.use_latency[MEMLAT_SRC_RHITM], 340);
	assert_int_equal(c.use_latency[MEMLAT_SRC_DRAM], 301);
	assert_int_equal(memlat_counts_use_latency(&c), 641);
	/* A sample without a use latency is in neither. */
	a.use_latency = 0;
	counts_add(&c, &a);
	assert_int_equal(c.latency[MEMLAT_SRC_RHITM], 300);
	assert_int_equal(memlat_counts_cache_latency(&c), 500);
	assert_int_equal(memlat_counts_use_latency(&c), 641);
	assert_int_equal(c.count[MEMLAT_COUNT_BLOCKED_DATA], 3);
	assert_int_equal(c.count[MEMLAT_COUNT_BLOCKED_ADDR], 1);
	assert_int_equal(c.raw[0x12d], 3);
	assert_int_equal(c.raw[MEMLAT_SRC_DRAM], 1);
}

/* A part is counted with its source, and once more on its own. */
TEST(test_parts)
{
	struct memlat_sample s = sample(0x1008, 100, MEMLAT_SRC_L3_SNOOP);
	struct memlat_counts c = { 0 };

	s.weight = 10;
	counts_add(&c, &s);
	s.xsnp_fwd = true;
	s.latency = 300;
	counts_add(&c, &s);
	counts_add(&c, &s);
	assert_int_equal(c.bucket[7][MEMLAT_SRC_L3_SNOOP].samples, 2);
	assert_int_equal(c.part[MEMLAT_PART_XSNP_FWD][7].samples, 2);
	assert_int_equal(c.part[MEMLAT_PART_XSNP_FWD][7].weight, 20);
	assert_int_equal(c.part[MEMLAT_PART_XSNP_FWD][4].samples, 0);
	assert_int_equal(c.part_latency[MEMLAT_PART_XSNP_FWD], 600);
	assert_int_equal(c.count[MEMLAT_COUNT_LOADS], 3);

	s = sample(0x1008, 5, MEMLAT_SRC_L1);
	s.not_memory = true;
	s.use_latency = 218;
	counts_add(&c, &s);
	assert_int_equal(c.bucket[0][MEMLAT_SRC_L1].samples, 1);
	assert_int_equal(c.part[MEMLAT_PART_NOT_MEMORY][0].samples, 1);
	assert_int_equal(c.part_latency[MEMLAT_PART_NOT_MEMORY], 5);
	assert_int_equal(c.part[MEMLAT_PART_XSNP_FWD][0].samples, 0);
}

/* Nothing waits for a store, so it is in no bucket and in no load's source. */
TEST(test_stores)
{
	struct memlat_sample s = sample(0x1008, 0, MEMLAT_SRC_L1);
	struct memlat_counts c = { 0 }, want = { 0 };

	s.store = true;
	s.l1_hit = true;
	s.weight = 10007;
	counts_add(&c, &s);
	want.count[MEMLAT_COUNT_SAMPLES] = want.count[MEMLAT_COUNT_STORES] = 1;
	want.count[MEMLAT_COUNT_WEIGHT_STORES] = 10007;
	want.store[MEMLAT_SRC_L1] = (struct memlat_tally){ 1, 10007 };
	assert_memory_equal(&c, &want, sizeof(c));
	/* Stores of some cores report more. */
	s.l1_hit = false;
	s.source = MEMLAT_SRC_L3_SNOOP;
	s.xsnp_fwd = true;
	s.latency = 200;
	s.weight = 128;
	counts_add(&c, &s);
	want.count[MEMLAT_COUNT_SAMPLES] = want.count[MEMLAT_COUNT_STORES] = 2;
	want.count[MEMLAT_COUNT_WEIGHT_STORES] = 10135;
	want.store[MEMLAT_SRC_L3_SNOOP] = (struct memlat_tally){ 1, 128 };
	want.store_latency[MEMLAT_SRC_L3_SNOOP] = 200;
	want.store_xsnp_fwd = 1;
	assert_memory_equal(&c, &want, sizeof(c));
}

/* Counts of several CPUs add up to what one CPU would have counted. */
TEST(test_merge)
{
	struct memlat_counts a = { 0 }, b = { 0 }, whole = { 0 };
	struct memlat_core_counts core = { 0 }, twice = { 0 };
	u64 seed = 5;
	unsigned int i;

	for (i = 0; i < 5000; i++) {
		u64 r = random_next(&seed);
		struct memlat_sample s = sample(r, 3 + r % 5000, r % MEMLAT_SRC_NR);

		/* A few words, among them the first and the last one. */
		s.raw = (r >> 8) % 3 ? (r >> 8) % 3 * (MEMLAT_RAWS - 1) / 2 : (r >> 8) % 40;
		s.store = r % 5 == 0;
		s.use_latency = r % 300;
		s.not_memory = r % 17 == 0;
		s.blocked_data = r % 7 == 0;
		s.blocked_addr = r % 11 == 0;
		s.xsnp_fwd = r % 13 == 0;
		counts_add(i % 3 ? &a : &b, &s);
		counts_add(&whole, &s);
	}
	memlat_core_counts_add(&core, &a, MEMLAT_RAWS);
	memlat_core_counts_add(&core, &b, MEMLAT_RAWS);
	assert_int_equal(core.loads, whole.count[MEMLAT_COUNT_LOADS]);
	assert_int_equal(core.stores, whole.count[MEMLAT_COUNT_STORES]);
	assert_memory_equal(core.raw, whole.raw, sizeof(core.raw));

	memlat_core_counts_merge(&twice, &core, MEMLAT_RAWS);
	memlat_core_counts_merge(&twice, &core, MEMLAT_RAWS);
	assert_int_equal(twice.loads, 2 * core.loads);
	assert_int_equal(twice.stores, 2 * core.stores);
	for (i = 0; i < MEMLAT_RAWS; i++)
		assert_int_equal(twice.raw[i], 2 * core.raw[i]);

	memlat_counts_merge(&a, &b);
	memlat_counts_raws_merge(a.raw, b.raw, MEMLAT_RAWS);
	assert_memory_equal(&a, &whole, sizeof(a));
}

/* The words of all CPUs add up to the loads, whatever the words are. */
TEST(test_raws)
{
	struct memlat_counts c = { 0 };
	struct memlat_core_counts core = { 0 };
	unsigned int i;
	u64 sum = 0;

	for (i = 0; i < MEMLAT_RAWS; i++) {
		struct memlat_sample s = sample(i, 100, MEMLAT_SRC_L3);

		s.raw = i;
		counts_add(&c, &s);
	}
	memlat_core_counts_add(&core, &c, MEMLAT_RAWS);
	for (i = 0; i < MEMLAT_RAWS; i++) {
		assert_int_equal(core.raw[i], 1);
		sum += core.raw[i];
	}
	assert_int_equal(sum, core.loads);
}
