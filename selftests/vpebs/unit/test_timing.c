// SPDX-License-Identifier: GPL-2.0
/* The timing model: what waits for what, how much fits, and what is counted. */
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "../../unit/harness.h"
#include "../config.h"
#include "../timing.h"

#define MIB	(1ULL << 20)
#define REG(n)	(1u << (n))

struct env {
	struct vp_cache *cache;
	struct vp_timing *t;
	struct vp_counts counts;
	uint32_t seed;
};

/* One socket with one core, with latencies that do not vary. */
static struct env *make(unsigned int fills)
{
	static const struct vp_topology one = {
		.cpus = 1, .nodes = 1, .node_mem = { 1024 * MIB },
	};
	struct vp_config config = vp_config_skx;
	struct env *e = calloc(1, sizeof(*e));
	unsigned int i;

	assert_non_null(e);
	for (i = 0; i < VP_CODES; i++)
		config.latency[i].spread = 0;
	config.walk.spread = 0;
	e->cache = vp_cache_new_config(&one, &config);
	e->t = vp_timing_new(fills, &e->counts);
	assert_non_null(e->cache);
	assert_non_null(e->t);
	e->seed = 1;
	vp_cache_set_clock(e->cache, 0, vp_timing_clock(e->t));
	return e;
}

static void done(struct env *e)
{
	vp_timing_free(e->t);
	vp_cache_free(e->cache);
	free(e);
}

/* With twelve fill buffers. */
BEGIN_END(*state = make(12), done(*state))

static uint64_t count(struct env *e, enum vp_count what)
{
	return atomic_load(&e->counts.by[0][what]);
}

static struct vp_outcome touch(struct env *e, uint64_t addr, bool store, bool locked)
{
	const struct vp_access a = {
		.store = store, .locked = locked, .size = 8, .vaddr = addr, .paddr = addr,
	};
	struct vp_outcome o;

	vp_timing_access(e->t, &a);
	vp_cache_access(e->cache, &a, &o);
	vp_timing_accessed(e->t, &a, &o);
	return o;
}

/* Run an instruction. With addr 0 it does not access memory. */
static void run(struct env *e, struct insn_regs regs, uint64_t addr, bool store)
{
	vp_timing_begin(e->t, &regs);
	if (addr)
		touch(e, addr, store, false);
	vp_timing_end(e->t, &regs);
}

static void load(struct env *e, unsigned int base, unsigned int to, uint64_t addr)
{
	run(e, (struct insn_regs) { .addr = REG(base), .out = REG(to), .moves = true }, addr,
	    false);
}

static void store(struct env *e, uint64_t addr)
{
	run(e, (struct insn_regs) { .addr = REG(15), .in = REG(14) }, addr, true);
}

static void work(struct env *e, unsigned int n)
{
	while (n--)
		run(e, (struct insn_regs) { .in = REG(13), .out = REG(13) }, 0, false);
}

/* Another line of memory each time, in a few pages, so that there is no page walk. */
static uint64_t fresh(struct env *e)
{
	return 16 * MIB + VP_LINE_BYTES * (uint64_t)e->seed++;
}

static void start(struct env *e)
{
	unsigned int i;

	vp_timing_drain(e->t);
	for (i = 0; i < VP_COUNTS; i++)
		atomic_store(&e->counts.by[0][i], 0);
}

static double depth(struct env *e, enum vp_count outstanding)
{
	return (double)count(e, outstanding) / (double)count(e, outstanding + 1);
}

static double chains(unsigned int n, unsigned int fills, double *share)
{
	struct env *e = make(fills);
	double result;
	unsigned int i, k;

	start(e);
	for (i = 0; i < 2000; i++) {
		for (k = 0; k < n; k++)
			load(e, k, k, fresh(e));
		work(e, 2);
	}
	vp_timing_drain(e->t);
	assert_int_equal(count(e, VP_CT_READS), 2000 * n);
	assert_int_equal(count(e, VP_CT_LOADS), 2000 * n);
	assert_int_equal(count(e, VP_CT_READS_OUTSTANDING), 2000 * n * 220);
	assert_int_equal(count(e, VP_CT_DEMAND_OUTSTANDING), 2000 * n * 220);
	assert_int_equal(count(e, VP_CT_L1D_PENDING), 2000 * n * 220);
	assert_int_equal(count(e, VP_CT_RFO_OUTSTANDING), 0);
	assert_true(count(e, VP_CT_READS_CYCLES) <= count(e, VP_CT_CYCLES));
	result = depth(e, VP_CT_READS_OUTSTANDING);
	*share = (double)count(e, VP_CT_READS_CYCLES) / (double)count(e, VP_CT_CYCLES);
	done(e);
	return result;
}

TEST(test_chains)
{
	static const unsigned int many[] = { 1, 2, 4, 8 };
	unsigned int i;
	double share;

	for (i = 0; i < 4; i++) {
		assert_in_range((uint64_t)(100 * chains(many[i], 12, &share)), 95 * many[i],
				101 * many[i]);
		assert_true(share > 0.95);
	}
	/* More chains than there are buffers. */
	assert_in_range((uint64_t)(100 * chains(13, 12, &share)), 1150, 1200);
	assert_in_range((uint64_t)(100 * chains(13, 10, &share)), 950, 1000);
}

/* A dependency through arithmetic counts as well. One that is cut does not. */
TEST_WITH(test_through_alu, begin, end)
{
	struct env *e = *state;
	unsigned int i;

	for (i = 0; i < 1000; i++) {
		load(e, 0, 1, fresh(e));
		run(e, (struct insn_regs) { .in = REG(1), .out = REG(0) }, 0, false);
	}
	vp_timing_drain(e->t);
	assert_int_equal(100 * depth(e, VP_CT_READS_OUTSTANDING), 100);
	assert_in_range(count(e, VP_CT_CYCLES), 1000 * 221, 1000 * 222);
	start(e);
	for (i = 0; i < 1000; i++) {
		load(e, 0, 1, fresh(e));
		run(e, (struct insn_regs) { .out = REG(0) }, 0, false);
	}
	vp_timing_drain(e->t);
	assert_in_range(100 * depth(e, VP_CT_READS_OUTSTANDING), 1100, 1200);
}

/* A load whose value is computed with takes a cycle longer than one that is only moved. */
TEST_WITH(test_load_and_add, begin, end)
{
	const struct insn_regs add = { .addr = REG(0), .in = REG(0), .out = REG(0) };
	struct env *e = *state;
	unsigned int i;

	for (i = 0; i < 2; i++)
		load(e, 0, 0, MIB);
	start(e);
	for (i = 0; i < 1000; i++)
		load(e, 0, 0, MIB);
	vp_timing_drain(e->t);
	assert_in_range(count(e, VP_CT_CYCLES), 5 * 1000, 5 * 1000 + 5);
	start(e);
	for (i = 0; i < 1000; i++)
		run(e, add, MIB, false);
	vp_timing_drain(e->t);
	assert_in_range(count(e, VP_CT_CYCLES), 6 * 1000, 6 * 1000 + 5);
}

/* A page walk comes before the read, and is not a read itself. */
TEST_WITH(test_walks, begin, end)
{
	static const struct insn_regs none;
	struct env *e = *state;
	struct vp_outcome o;
	unsigned int i;

	for (i = 0; i < 3000; i++)
		load(e, 0, 0, 16 * MIB + i * (4096ULL + VP_LINE_BYTES));
	vp_timing_drain(e->t);
	assert_int_equal(count(e, VP_CT_WALKS), 3000);
	assert_int_equal(count(e, VP_CT_WALK_PENDING), 3000 * 35);
	assert_int_equal(count(e, VP_CT_READS_OUTSTANDING), 3000 * 220);
	assert_int_equal(count(e, VP_CT_READS_CYCLES), 3000 * 220);
	assert_in_range(count(e, VP_CT_CYCLES), 3000 * 255, 3000 * 255 + 10);
	/* A load that finds the line on its way waits for both. */
	vp_timing_begin(e->t, &none);
	touch(e, 128 * MIB, false, false);
	vp_timing_end(e->t, &none);
	vp_timing_begin(e->t, &none);
	o = touch(e, 128 * MIB + 8, false, false);
	assert_int_equal(o.code, VP_LFB);
	assert_in_range(o.latency, 255, 260);
	vp_timing_end(e->t, &none);
}

/*
 * Two chains, one after the other in program order. The requests of the first one follow each other
 * in one buffer, and leave the other buffers to the second one.
 */
TEST_WITH(test_chain_behind_chain, begin, end)
{
	struct env *e = *state;
	unsigned int i;

	for (i = 0; i < 12; i++)
		load(e, 0, 0, fresh(e));
	for (i = 0; i < 12; i++)
		load(e, 1, 1, fresh(e));
	vp_timing_drain(e->t);
	assert_in_range(count(e, VP_CT_CYCLES), 12 * 220, 12 * 220 + 100);
}

/* Loads so far apart that only one fits into the reorder buffer at a time. */
TEST_WITH(test_reorder_buffer, begin, end)
{
	struct env *e = *state;
	unsigned int i;

	for (i = 0; i < 100; i++) {
		load(e, 0, 1, fresh(e));
		work(e, VP_ROB);
	}
	vp_timing_drain(e->t);
	assert_int_equal(count(e, VP_CT_READS_CYCLES), 100 * 220);
	assert_int_equal(count(e, VP_CT_READS_OUTSTANDING), 100 * 220);
	/*
	 * A load that is VP_ROB - 1 instructions behind begins while the first one is on its way.
	 */
	start(e);
	for (i = 0; i < 100; i++) {
		load(e, 0, 1, fresh(e));
		work(e, VP_ROB / 4 - 1);
	}
	vp_timing_drain(e->t);
	assert_true(depth(e, VP_CT_READS_OUTSTANDING) > 3.5);
	assert_true(depth(e, VP_CT_READS_OUTSTANDING) <= 4.0);
	/* The first one delays the VP_ROB-th instruction behind it: 220 cycles, not VP_ROB. */
	start(e);
	load(e, 0, 1, fresh(e));
	work(e, VP_ROB + 1000);
	vp_timing_drain(e->t);
	assert_in_range(count(e, VP_CT_CYCLES), VP_ROB + 1000, VP_ROB + 1020);
}

/* How long no instruction begins, and what it waits for. */
TEST_WITH(test_stalls, begin, end)
{
	const struct insn_regs chase = { .addr = REG(0), .out = REG(0), .moves = true };
	struct env *e = *state;
	unsigned int i;

	/* A load of 220 cycles, and as much work as fits behind it. */
	for (i = 0; i < 100; i++) {
		load(e, 0, 1, fresh(e));
		work(e, VP_ROB - 1);
	}
	vp_timing_drain(e->t);
	assert_in_range(count(e, VP_CT_LOAD_STALLS), 0, 100);
	start(e);
	for (i = 0; i < 1000; i++)
		load(e, 0, 0, fresh(e));
	vp_timing_publish(e->t);
	/* All but one cycle of each load, without the loads that are still to come. */
	assert_in_range(count(e, VP_CT_LOAD_STALLS), (1000 - VP_ROB) * 219, 1000 * 219);
	assert_in_range(count(e, VP_CT_LOAD_STALLS), 0, count(e, VP_CT_CYCLES));
	assert_int_equal(count(e, VP_CT_STORE_STALLS), 0);
	assert_int_equal(count(e, VP_CT_WALK_PENDING), 35 * count(e, VP_CT_WALKS));
	/* A chain in L1 fills the reorder buffer as well, but has no misses. */
	for (i = 0; i < 1000; i++)
		run(e, chase, MIB, false);
	start(e);
	for (i = 0; i < 1000; i++)
		run(e, chase, MIB, false);
	vp_timing_publish(e->t);
	assert_in_range(count(e, VP_CT_CYCLES), 4 * (1000 - VP_ROB), 5 * 1000);
	assert_int_equal(count(e, VP_CT_LOAD_STALLS), 0);
	/* Stores wait for buffers, 12 at a time. */
	start(e);
	for (i = 0; i < 2000; i++)
		store(e, fresh(e));
	vp_timing_publish(e->t);
	assert_int_equal(count(e, VP_CT_LOAD_STALLS), 0);
	assert_in_range(count(e, VP_CT_STORE_STALLS), count(e, VP_CT_CYCLES) - 2001,
			count(e, VP_CT_CYCLES) - 1999);
}

/* All data is within L2, so there is no traffic beyond it. */
TEST_WITH(test_resident, begin, end)
{
	struct env *e = *state;
	unsigned int i;

	for (i = 0; i < 128; i++)
		load(e, 0, 1, MIB + i * VP_LINE_BYTES);
	start(e);
	for (i = 0; i < 10000; i++)
		load(e, 0, 1, MIB + i % 128 * VP_LINE_BYTES);
	vp_timing_drain(e->t);
	assert_int_equal(count(e, VP_CT_READS), 0);
	assert_int_equal(count(e, VP_CT_READS_CYCLES), 0);
	assert_int_equal(count(e, VP_CT_L1_MISSES), 0);
	assert_in_range(count(e, VP_CT_CYCLES), 10000, 10010);
}

/* Loads from L2: L1D has misses, but nothing is outstanding beyond L2. */
TEST_WITH(test_l2, begin, end)
{
	struct env *e = *state;
	unsigned int i, round;

	for (round = 0; round < 2; round++) {
		start(e);
		for (i = 0; i < 4096; i++)
			load(e, 0, 0, MIB + i * VP_LINE_BYTES);
		vp_timing_drain(e->t);
	}
	assert_int_equal(count(e, VP_CT_READS_OUTSTANDING), 0);
	assert_int_equal(count(e, VP_CT_L1_MISSES), 4096);
	assert_int_equal(count(e, VP_CT_L2_MISSES), 0);
	assert_int_equal(count(e, VP_CT_L1D_PENDING), 4096 * 14);
	assert_int_equal(count(e, VP_CT_L1D_PENDING_CYCLES), 4096 * 14);
}

/* A prefetcher's request is a read, but not a demand read, and takes no buffer from others. */
TEST(test_prefetch)
{
	const struct vp_miss ahead = { .prefetch = true, .code = VP_DRAM, .latency = 220 };
	const struct vp_miss near = { .prefetch = true, .code = VP_L2, .latency = 14 };
	struct env *e = make(1);
	struct vp_cache_clock *clock = vp_timing_clock(e->t);
	unsigned int i;

	start(e);
	load(e, 0, 1, fresh(e));
	for (i = 0; i < 3; i++)
		assert_int_equal(clock->miss(clock, &ahead), clock->now + 220);
	clock->miss(clock, &near);
	vp_timing_drain(e->t);
	assert_int_equal(count(e, VP_CT_READS), 4);
	assert_int_equal(count(e, VP_CT_DEMAND_READS), 1);
	assert_int_equal(count(e, VP_CT_READS_OUTSTANDING), 4 * 220);
	assert_int_equal(count(e, VP_CT_DEMAND_OUTSTANDING), 220);
	assert_int_equal(count(e, VP_CT_L1D_PENDING), 220);
	assert_in_range(count(e, VP_CT_CYCLES), 220, 300);
	done(e);
}

/* Stores are requests of another type. They wait for buffers, and delay others only by these. */
TEST_WITH(test_stores, begin, end)
{
	struct env *e = *state;
	unsigned int i;

	for (i = 0; i < 2000; i++)
		store(e, fresh(e));
	vp_timing_drain(e->t);
	assert_int_equal(count(e, VP_CT_READS), 0);
	assert_int_equal(count(e, VP_CT_RFOS), 2000);
	assert_int_equal(count(e, VP_CT_STORES), 2000);
	assert_int_equal(count(e, VP_CT_READS_OUTSTANDING), 0);
	assert_int_equal(count(e, VP_CT_L1D_PENDING), 0);
	assert_int_equal(count(e, VP_CT_RFO_OUTSTANDING), 2000 * 220);
	assert_in_range(100 * depth(e, VP_CT_RFO_OUTSTANDING), 1180, 1200);
	assert_in_range(count(e, VP_CT_CYCLES), 2000 * 220 / 12, 2000 * 220 / 12 + 2000);
	/* One store that misses, and work: the work retires long before the store's line comes. */
	start(e);
	store(e, fresh(e));
	work(e, 1000);
	vp_timing_drain(e->t);
	assert_in_range(count(e, VP_CT_CYCLES), 1001, 1005);
	/* Stores finish in order, so a store that hits behind one that misses waits as well. */
	store(e, 2 * MIB);
	start(e);
	store(e, fresh(e));
	store(e, 2 * MIB);
	vp_timing_drain(e->t);
	assert_true(count(e, VP_CT_CYCLES) >= 220);
	/* So many stores wait for the first one that the next finds no free entry. */
	for (i = 0; i <= VP_STORE_BUFFER; i++)
		store(e, 2 * MIB);
	start(e);
	store(e, fresh(e));
	for (i = 0; i < VP_STORE_BUFFER; i++)
		store(e, 2 * MIB);
	vp_timing_publish(e->t);
	assert_true(count(e, VP_CT_CYCLES) >= 220);
}

/* A locked access waits for all accesses before it, and all accesses behind it wait for it. */
TEST_WITH(test_locked, begin, end)
{
	const struct insn_regs add = { .addr = REG(2), .in = REG(3) };
	struct env *e = *state;
	unsigned int i;

	for (i = 0; i < 50; i++) {
		uint64_t addr = fresh(e);

		load(e, 0, 1, fresh(e));
		vp_timing_begin(e->t, &add);
		touch(e, addr, false, true);
		touch(e, addr, true, true);
		vp_timing_end(e->t, &add);
	}
	vp_timing_drain(e->t);
	assert_int_equal(count(e, VP_CT_RFOS), 50);
	assert_int_equal(count(e, VP_CT_READS), 50);
	assert_int_equal(count(e, VP_CT_READS_CYCLES), 50 * 220);
	assert_int_equal(count(e, VP_CT_RFO_CYCLES), 50 * 220);
	assert_true(count(e, VP_CT_CYCLES) >= 50 * 440);
}

/* A cycle counts for the privilege of the instructions that run in it. */
TEST_WITH(test_privilege, begin, end)
{
	struct env *e = *state;

	vp_timing_privilege(e->t, true);
	load(e, 0, 1, fresh(e));
	vp_timing_privilege(e->t, false);
	assert_in_range(atomic_load(&e->counts.by[1][VP_CT_CYCLES]), 220, 300);
	assert_int_equal(atomic_load(&e->counts.by[1][VP_CT_READS_OUTSTANDING]), 220);
	assert_int_equal(atomic_load(&e->counts.by[1][VP_CT_READS_CYCLES]), 220);
	assert_int_equal(count(e, VP_CT_CYCLES), 0);
	work(e, 10);
	vp_timing_drain(e->t);
	assert_in_range(count(e, VP_CT_CYCLES), 10, 11);
	assert_int_equal(count(e, VP_CT_READS), 0);
}

/* What executes under a miss is no stall, be the reorder buffer full or not. */
TEST_WITH(test_stalls_beside_work, begin, end)
{
	const struct insn_regs uses = { .in = REG(1), .out = REG(2) };
	struct env *e = *state;
	unsigned int i;

	/* A miss of 220 cycles in a page that the TLB knows, and work for 20 of these. */
	load(e, 0, 1, fresh(e));
	start(e);
	load(e, 0, 1, fresh(e));
	work(e, 20);
	vp_timing_drain(e->t);
	assert_in_range(count(e, VP_CT_LOAD_STALLS), 198, 200);
	/* What needs the value executes after it, as many in a cycle as can begin in one. */
	start(e);
	load(e, 0, 1, fresh(e));
	for (i = 0; i < 50; i++)
		run(e, uses, 0, false);
	load(e, 2, 3, fresh(e));
	for (i = 0; i < 100; i++)
		run(e, uses, 0, false);
	vp_timing_drain(e->t);
	assert_int_equal(count(e, VP_CT_L1D_PENDING_CYCLES), 2 * 220);
	assert_in_range(count(e, VP_CT_LOAD_STALLS), 2 * 220 - 152, 2 * 220 - 148);
	/* A locked instruction lets nothing begin, but its own miss is not a load's. */
	start(e);
	vp_timing_begin(e->t, &uses);
	touch(e, fresh(e), false, true);
	touch(e, 16 * MIB + VP_LINE_BYTES * (e->seed - 1ull), true, true);
	vp_timing_end(e->t, &uses);
	work(e, 10);
	vp_timing_drain(e->t);
	assert_in_range(count(e, VP_CT_CYCLES), 220, 260);
	assert_int_equal(count(e, VP_CT_LOAD_STALLS), 0);
}

/* A full store buffer counts only while no load misses. */
TEST_WITH(test_store_stalls, begin, end)
{
	struct env *e = *state;
	unsigned int i;

	for (i = 0; i < 2000; i++) {
		store(e, fresh(e));
		load(e, 0, 1, fresh(e));
	}
	vp_timing_drain(e->t);
	assert_true(count(e, VP_CT_STORE_STALLS) + count(e, VP_CT_L1D_PENDING_CYCLES) <= count(e, VP_CT_CYCLES));
}

/* A chain of misses: the machine's head waits for one load after the other, nearly all the time. */
TEST_WITH(test_head_of_a_chain, begin, end)
{
	struct env *e = *state;
	unsigned int i;

	start(e);
	for (i = 0; i < 100; i++)
		load(e, 0, 0, fresh(e));
	vp_timing_drain(e->t);
	/* Some pages are found in the second TLB only. */
	assert_in_range(count(e, VP_CT_LOAD_LATENCY), 100 * 220, 100 * 222);
	assert_in_range(count(e, VP_CT_HEAD_WAITS), 100 * 219, count(e, VP_CT_CYCLES));
}

/* Of misses that overlap, the head waits for the time that they take together. */
TEST_WITH(test_head_of_parallel_misses, begin, end)
{
	struct env *e = *state;
	unsigned int i, k;

	start(e);
	for (i = 0; i < 50; i++) {
		for (k = 0; k < 4; k++)
			load(e, 15, k, fresh(e));
		vp_timing_drain(e->t);
	}
	assert_in_range(count(e, VP_CT_LOAD_LATENCY), 200 * 220, 200 * 222);
	assert_in_range(count(e, VP_CT_HEAD_WAITS), 50 * 219, 50 * 226);
}

/* A miss behind work that takes longer than it makes nobody wait, nor does a store's miss. */
TEST_WITH(test_head_does_not_wait_for_what_is_hidden, begin, end)
{
	struct env *e = *state;
	unsigned int i;

	start(e);
	for (i = 0; i < 10; i++) {
		/* A chain of 200 operations begins first, so it is older. */
		work(e, 200);
		load(e, 15, 1, fresh(e));
		work(e, 500);
		store(e, fresh(e));
	}
	vp_timing_drain(e->t);
	assert_in_range(count(e, VP_CT_HEAD_WAITS), 10 * 215, 10 * 230);
	start(e);
	for (i = 0; i < 10; i++) {
		run(e, (struct insn_regs) { .in = REG(15), .out = REG(2) }, 0, false);
		store(e, fresh(e));
	}
	vp_timing_drain(e->t);
	/* Nor does a hit in L1. */
	load(e, 15, 0, MIB);
	start(e);
	for (i = 0; i < 100; i++)
		load(e, 0, 0, MIB);
	assert_int_equal(count(e, VP_CT_HEAD_WAITS), 0);
}

TEST(test_bad)
{
	struct vp_counts counts;

	assert_null(vp_timing_new(0, &counts));
	assert_null(vp_timing_new(VP_TIMING_FILLS + 1, &counts));
}
