// SPDX-License-Identifier: GPL-2.0
/* The cache model against known answers: what fits where, TLBs, memory, odd accesses. */
#include "cache_test.h"

TEST_WITH(test_l1_set_pressure, setup, teardown)
{
	unsigned int i;

	for (i = 0; i < 8; i++)
		load(*state, 0, A + i * L1_ALIAS);
	settle(*state, 0);
	for (i = 0; i < 8; i++)
		assert_int_equal(load(*state, 0, A + i * L1_ALIAS).code, VP_L1);
	load(*state, 0, A);	/* so that the second is the one used longest ago */
	load(*state, 0, A + 8 * L1_ALIAS);
	settle(*state, 0);
	assert_int_equal(load(*state, 0, A).code, VP_L1);
	assert_int_equal(load(*state, 0, A + L1_ALIAS).code, VP_L2);
}

TEST_WITH(test_l2_set_pressure, setup, teardown)
{
	unsigned int i;

	for (i = 0; i < 16; i++)
		load(*state, 0, A + i * L2_ALIAS);
	for (i = 0; i < 16; i++)
		assert_int_equal(probe(*state, A + i * L2_ALIAS).holders, 1);
	load(*state, 0, A + 16 * L2_ALIAS);
	assert_int_equal(probe(*state, A).holders, 0);
	assert_int_equal(probe(*state, A).l3, 1);
	assert_int_equal(probe(*state, A + L2_ALIAS).holders, 1);
	settle(*state, 0);
	assert_int_equal(load(*state, 0, A).code, VP_L3);
}

/* A hit in L2 makes a line the youngest of its set again. */
TEST_WITH(test_l2_remembers_use, setup, teardown)
{
	unsigned int i;

	for (i = 0; i < 16; i++)
		load(*state, 0, A + i * L2_ALIAS);
	settle(*state, 0);
	assert_int_equal(load(*state, 0, A).code, VP_L2);
	load(*state, 0, A + 16 * L2_ALIAS);
	assert_int_equal(probe(*state, A).holders, 1);
	assert_int_equal(probe(*state, A + L2_ALIAS).holders, 0);
}

/* L2 includes L1: a line that is evicted from L2 cannot be hit in L1. */
TEST_WITH(test_inclusion, setup, teardown)
{
	unsigned int i;

	load(*state, 0, A);
	settle(*state, 0);
	for (i = 1; i <= 15; i++) {
		load(*state, 0, A + i * L2_ALIAS);
		/* These hits are in L1, so L2 does not know that the line is used. */
		assert_int_equal(load(*state, 0, A).code, VP_L1);
	}
	load(*state, 0, A + 16 * L2_ALIAS);
	assert_int_equal(probe(*state, A).holders, 0);
	assert_int_equal(load(*state, 0, A).code, VP_L3);
	assert_int_equal(probe(*state, A + L2_ALIAS).holders, 0);
}

/* Chase a pointer through all lines of some memory, in an order without a pattern. */
static void chase(struct vp_cache *cache, uint64_t bytes, unsigned int rounds, uint64_t *codes)
{
	uint32_t n = (uint32_t)(bytes / LINE), i, at = 0;
	uint32_t *next = malloc(n * sizeof(*next));
	uint64_t seed = 1;

	assert_non_null(next);
	/* Link all elements to one cycle (Sattolo's shuffle). */
	for (i = 0; i < n; i++)
		next[i] = i;
	for (i = n - 1; i > 0; i--) {
		uint32_t other, swap;

		seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
		other = (uint32_t)((seed >> 33) % i);
		swap = next[i];
		next[i] = next[other];
		next[other] = swap;
	}
	for (i = 0; i < n; i++, at = next[at])
		load(cache, 0, 0x4000000 + at * LINE);
	memset(codes, 0, VP_CODES * sizeof(*codes));
	for (i = 0; i < n * rounds; i++, at = next[at])
		codes[load(cache, 0, 0x4000000 + at * LINE).code]++;
	free(next);
}

TEST_WITH(test_capacity, setup, teardown)
{
	uint64_t codes[VP_CODES], n;

	chase(*state, 16 << 10, 10, codes);
	assert_int_equal(codes[VP_L1], 10 * (16 << 10) / LINE);

	chase(*state, 512 << 10, 4, codes);
	n = 4 * (512 << 10) / LINE;
	assert_int_equal(codes[VP_L1] + codes[VP_L2], n);
	assert_true(codes[VP_L2] > n * 9 / 10);

	/* More than L2 has, less than L2 and this socket's L3 (2 x 1.375 MiB) together. */
	chase(*state, 2 * MIB, 4, codes);
	n = 4 * 2 * MIB / LINE;
	assert_true(codes[VP_L3] > n * 9 / 10);
	assert_true(codes[VP_DRAM] < n / 100);

	chase(*state, 8 * MIB, 2, codes);
	n = 2 * 8 * MIB / LINE;
	assert_true(codes[VP_DRAM] > n * 9 / 10);
	assert_int_equal(codes[VP_RDRAM], 0);
}

/* Offsets that differ from page to page, so that no two pages' lines share a cache set. */
static uint64_t page(unsigned int i)
{
	return 0x2000000 + i * 4096ULL + i % 64 * LINE;
}

static unsigned int stlb_misses(struct vp_cache *cache, unsigned int pages)
{
	unsigned int i, misses = 0;

	for (i = 0; i < pages; i++)
		misses += load(cache, 0, page(i)).stlb_miss;
	return misses;
}

TEST_WITH(test_tlb, setup, teardown)
{
	unsigned int i;

	/* 64 pages fit into the DTLB (nothing else is touched). */
	assert_int_equal(stlb_misses(*state, 64), 64);
	for (i = 0; i < 64; i++)
		load(*state, 0, page(i));
	for (i = 0; i < 64; i++)
		assert_int_equal(load(*state, 0, page(i)).latency, 5);

	/* The DTLB does not hold twice as many, but the STLB does. */
	assert_int_equal(stlb_misses(*state, 128), 64);
	stlb_misses(*state, 128);
	for (i = 0; i < 128; i++) {
		struct vp_outcome outcome = load(*state, 0, page(i));

		assert_int_equal(outcome.code, VP_L1);
		assert_int_equal(outcome.latency, 5 + 9);
		assert_false(outcome.stlb_miss);
	}
	/* 1536 fill the STLB to its last entry. */
	assert_int_equal(stlb_misses(*state, 1536), 1536 - 128);
	assert_int_equal(stlb_misses(*state, 1536), 0);
	/* One more page than ways in every set: each page evicts the next one, in each round. */
	assert_int_equal(stlb_misses(*state, 1536 + 128), 128);
	assert_int_equal(stlb_misses(*state, 1536 + 128), 1536 + 128);
}

TEST_WITH(test_tlb_walk_latency, setup, teardown)
{
	struct vp_outcome outcome;

	load(*state, 0, A);
	settle(*state, 0);
	/* The line is in L1, but the page of this address has not been used. */
	outcome = access_at(*state, 0, 0x7f0000000000ULL + A, A, 8, false, false);
	assert_int_equal(outcome.code, VP_L1);
	assert_true(outcome.l1_hit);
	assert_true(outcome.stlb_miss);
	assert_in_range(outcome.latency, 5 + 30, 5 + 40);
	outcome = access_at(*state, 0, 0x7f0000000000ULL + A, A, 8, false, false);
	assert_int_equal(outcome.latency, 5);
	assert_false(outcome.stlb_miss);
	/* The same address in another process. */
	outcome = access_at(*state, 0, 0x7f0000000000ULL + A, A + L2_ALIAS, 8, false, false);
	assert_true(outcome.stlb_miss);
	/* Each core has TLBs of its own. */
	assert_true(load(*state, 1, A).stlb_miss);
	/* A kernel address, whose upper bits are all ones. */
	outcome = access_at(*state, 0, 0xffffffff81000000ULL, A, 8, false, false);
	assert_true(outcome.stlb_miss);
	outcome = access_at(*state, 0, 0xffffffff81000000ULL, A, 8, false, false);
	assert_false(outcome.stlb_miss);
}

TEST(test_home)
{
	static const struct vp_topology three = {
		.cpus = 3, .nodes = 3, .node_mem = { 256 * MIB, 128 * MIB, 64 * MIB },
	};
	struct vp_cache *cache = vp_cache_new(&three);

	assert_non_null(cache);
	assert_int_equal(vp_cache_home(cache, 0), 0);
	assert_int_equal(vp_cache_home(cache, 256 * MIB - 1), 0);
	assert_int_equal(vp_cache_home(cache, 256 * MIB), 1);
	assert_int_equal(vp_cache_home(cache, 384 * MIB - 1), 1);
	assert_int_equal(vp_cache_home(cache, 384 * MIB), 2);
	assert_int_equal(vp_cache_home(cache, 448 * MIB), 2);
	assert_int_equal(load(cache, 0, 256 * MIB - 64).code, VP_DRAM);
	assert_int_equal(load(cache, 0, 256 * MIB).code, VP_RDRAM);
	assert_int_equal(load(cache, 1, 256 * MIB + 64).code, VP_DRAM);
	assert_int_equal(load(cache, 1, 384 * MIB).code, VP_RDRAM);
	assert_int_equal(load(cache, 2, 384 * MIB + 64).code, VP_DRAM);
	warm_tlb(cache, 0, 384 * MIB);
	assert_latency(load(cache, 0, 384 * MIB + 640), VP_RDRAM);
	vp_cache_free(cache);
}

TEST_WITH(test_straddle, setup, teardown)
{
	struct vp_outcome outcome;

	/* Both lines are filled. */
	access_at(*state, 0, A + 60, A + 60, 8, false, false);
	assert_int_equal(probe(*state, A).holders, 1);
	assert_int_equal(probe(*state, A + LINE).holders, 1);
	settle(*state, 0);
	outcome = access_at(*state, 0, A + 60, A + 60, 8, false, false);
	assert_int_equal(outcome.code, VP_L1);
	assert_true(outcome.l1_hit);
	/* The latency is that of the slower line, whether it is the first or the second one. */
	store(*state, 2, A + LINE);
	outcome = access_at(*state, 0, A + 60, A + 60, 8, false, false);
	assert_int_equal(outcome.code, VP_RHITM);
	assert_false(outcome.l1_hit);
	settle(*state, 0);
	store(*state, 2, A);
	assert_int_equal(access_at(*state, 0, A + 60, A + 60, 8, false, false).code, VP_RHITM);
	/* A store makes both modified. */
	access_at(*state, 1, A + 63, A + 63, 2, true, false);
	assert_int_equal(probe(*state, A).state, 'M');
	assert_int_equal(probe(*state, A + LINE).state, 'M');
	/* An access up to the last byte of a line does not cross the line's end. */
	access_at(*state, 0, A + 8 * LINE + 56, A + 8 * LINE + 56, 8, false, false);
	assert_int_equal(probe(*state, A + 9 * LINE).state, 'I');
	/* The next page may be anywhere in memory. */
	access_at(*state, 0, 0x101ffc, 0x101ffc, 8, false, false);
	assert_int_equal(probe(*state, 0x101fc0).state, 'E');
	assert_int_equal(probe(*state, 0x102000).state, 'I');
}

TEST_WITH(test_flush, setup, teardown)
{
	store(*state, 0, A);
	load(*state, 2, A + LINE);
	vp_cache_flush(*state);
	assert_int_equal(probe(*state, A).state, 'I');
	assert_int_equal(probe(*state, A + LINE).state, 'I');
	assert_int_equal(load(*state, 0, A).code, VP_DRAM);
	assert_true(load(*state, 2, A + LINE).stlb_miss);
}

TEST(test_bad_topology)
{
	struct vp_topology topology = two_by_two;
	struct vp_config config = vp_config_skx;

	errno = 0;
	topology.cpus = 0;
	assert_null(vp_cache_new(&topology));
	assert_int_equal(errno, EINVAL);
	topology.cpus = VP_MAX_CPUS + 1;
	assert_null(vp_cache_new(&topology));
	topology = two_by_two;
	topology.nodes = 0;
	assert_null(vp_cache_new(&topology));
	topology.nodes = VP_MAX_NODES + 1;
	assert_null(vp_cache_new(&topology));
	errno = 0;
	config.l2.sets = 1000;
	assert_null(vp_cache_new_config(&two_by_two, &config));
	assert_int_equal(errno, EINVAL);
	config = vp_config_skx;
	config.l1.sets = 32;	/* lines of one set would be in two stripes */
	assert_null(vp_cache_new_config(&two_by_two, &config));
	config = vp_config_skx;
	config.fill_buffers = 0;
	assert_null(vp_cache_new_config(&two_by_two, &config));
}
