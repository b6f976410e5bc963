// SPDX-License-Identifier: GPL-2.0
/* Two latencies: memory's, and in addition what the instruction waited for otherwise. */
#include "../model.h"
#include "cache_test.h"

#define HITS	20000
#define QUEUE	26			/* cycles: the least that the tail adds */

static struct vp_cache *machine(uint64_t waits, uint64_t seed)
{
	struct vp_config config = vp_config_skx;

	config.waits = waits;
	config.seed = seed;
	return vp_cache_new_config(&two_by_two, &config);
}

/*
 * Hits in L1 take 5 cycles of memory's latency. Most do not wait otherwise. One in 64 waits, and
 * some for long.
 */
TEST(hits)
{
	struct vp_cache *cache = machine(1, 1);
	unsigned int i, queued = 0, longest = 0, over_100 = 0;

	warm_tlb(cache, 0, A);
	load(cache, 0, A);
	settle(cache, 0);
	for (i = 0; i < HITS; i++) {
		struct vp_outcome o = load(cache, 0, A);

		assert_int_equal(o.code, VP_L1);
		assert_int_equal(o.latency, 5);
		assert_true(o.wait >= 2 && (o.wait <= 5 || o.wait >= QUEUE));
		queued += o.wait >= QUEUE;
		over_100 += o.wait > 100;
		longest = o.wait > longest ? o.wait : longest;
	}
	/* 312 are expected, within 4 sigma. Each 32 cycles more are half as frequent. */
	assert_in_range(queued, 242, 382);
	assert_in_range(over_100, queued / 16, queued / 2);
	assert_in_range(longest, 150, 500);
	vp_cache_free(cache);
}

/* The same seed gives the same waits, another one others. A CPU that is not named has none. */
TEST(seeds)
{
	struct vp_cache *a = machine(3, 7), *b = machine(3, 7), *c = machine(2, 8);
	unsigned int i, same = 0;

	for (i = 0; i < 1000; i++) {
		struct vp_outcome of_a = load(a, 1, A), of_b = load(b, 1, A), of_c = load(c, 1, A);

		assert_int_equal(of_a.wait, of_b.wait);
		assert_int_equal(of_a.latency, of_b.latency);
		assert_int_equal(of_a.latency, of_c.latency);
		same += of_a.wait == of_c.wait;
		assert_int_equal(load(c, 0, A + LINE).wait, 0);
		load(a, 0, A + LINE);
		load(b, 0, A + LINE);
	}
	assert_in_range(same, 150, 400);
	vp_cache_free(a);
	vp_cache_free(b);
	vp_cache_free(c);
}

TEST(cores)
{
	assert_int_equal(vp_model_two_latencies(vp_model_find("skx"), 4), 0);
	assert_int_equal(vp_model_two_latencies(vp_model_find("icx"), 4), 0);
	assert_int_equal(vp_model_two_latencies(vp_model_find("spr"), 4), 0xf);
	assert_int_equal(vp_model_two_latencies(vp_model_find("adl"), 2), 3);
}
