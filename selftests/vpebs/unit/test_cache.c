// SPDX-License-Identifier: GPL-2.0
/* The cache model against known answers: who has a line, who supplies it, how long it takes. */
#include "cache_test.h"

/* The state of A's line, and the cores that hold it. */
static void assert_line(struct vp_cache *cache, char line_state, unsigned int holders)
{
	assert_int_equal(probe(cache, A).state, line_state);
	assert_int_equal(probe(cache, A).holders, holders);
}

TEST_WITH(test_first_load, setup, teardown)
{
	struct vp_outcome outcome;

	warm_tlb(*state, 0, A);
	outcome = load(*state, 0, A);
	assert_latency(outcome, VP_DRAM);
	assert_false(outcome.stlb_miss);
	assert_line(*state, 'E', 1);
	settle(*state, 0);
	outcome = load(*state, 0, A + 8);
	assert_int_equal(outcome.code, VP_L1);
	assert_int_equal(outcome.latency, 5);
	assert_true(outcome.l1_hit);
}

TEST_WITH(test_fill_buffer, setup, teardown)
{
	struct vp_outcome first, second;

	warm_tlb(*state, 0, A);
	first = load(*state, 0, A);
	second = load(*state, 0, A + 32);
	assert_int_equal(second.code, VP_LFB);
	assert_false(second.l1_hit);
	/*
	 * It begins one cycle later, and reading the line takes five cycles once the line is there.
	 */
	assert_int_equal(second.latency, first.latency - 1 + 5);
	second = load(*state, 0, A + 32);
	assert_int_equal(second.code, VP_LFB);
	assert_int_equal(second.latency, first.latency - 2 + 5);
	/* A store has to wait for the line as well. */
	second = store(*state, 0, A);
	assert_int_equal(second.code, VP_LFB);
	assert_false(second.l1_hit);
	settle(*state, 0);
	assert_int_equal(load(*state, 0, A).code, VP_L1);
	assert_true(store(*state, 0, A).l1_hit);
}

/* A core reads what it has just written from its store buffer, whether it has the line or not. */
TEST_WITH(test_store_forwarding, setup, teardown)
{
	warm_tlb(*state, 0, A);
	store(*state, 0, A + 8);
	assert_int_equal(load(*state, 0, A + 8).code, VP_L1);
	assert_int_equal(load(*state, 0, A + 8).latency, 5);
	/*
	 * Another part of the line is not there yet. Half of a load in the store buffer is not
	 * enough.
	 */
	assert_int_equal(load(*state, 0, A).code, VP_LFB);
	assert_int_equal(access_at(*state, 0, A + 8, A + 8, 16, false, false).code, VP_LFB);
	store(*state, 0, A + 16);
	assert_int_equal(access_at(*state, 0, A + 8, A + 8, 16, false, false).code, VP_L1);
	/* A locked load waits for the line itself. */
	assert_int_equal(access_at(*state, 0, A + 8, A + 8, 8, false, true).code, VP_LFB);
	/* The next fill of the line does not know what was written before. */
	settle(*state, 0);
	store(*state, 2, A);
	assert_int_equal(load(*state, 0, A).code, VP_RHITM);
	assert_int_equal(load(*state, 0, A + 8).code, VP_LFB);
}

/* x++ on a contended line: the load misses. The store and what follows do not wait. */
TEST_WITH(test_increment_after_hitm, setup, teardown)
{
	unsigned int i;

	warm_tlb(*state, 0, A);
	store(*state, 2, A);
	assert_int_equal(load(*state, 0, A + 8).code, VP_RHITM);
	store(*state, 0, A + 8);
	for (i = 0; i < 5; i++) {
		assert_int_equal(load(*state, 0, A + 8).code, VP_L1);
		store(*state, 0, A + 8);
	}
}

/* Only as many accesses as the window has room for can pass one that is not finished. */
TEST_WITH(test_window, setup, teardown)
{
	unsigned int i;

	warm_tlb(*state, 0, A);
	load(*state, 0, A);
	for (i = 1; i < vp_config_skx.window; i++)
		assert_int_equal(load(*state, 0, A).code, VP_LFB);
	assert_int_equal(load(*state, 0, A).code, VP_L1);
}

/* The thirteenth miss waits for the first one, whose line is there then. */
TEST_WITH(test_fill_buffers_run_out, setup, teardown)
{
	unsigned int i;

	warm_tlb(*state, 0, A);
	for (i = 0; i < vp_config_skx.fill_buffers; i++)
		assert_int_equal(load(*state, 0, A + i * LINE).code, VP_DRAM);
	assert_int_equal(load(*state, 0, A).code, VP_LFB);
	assert_int_equal(load(*state, 0, A + i * LINE).code, VP_DRAM);
	assert_int_equal(load(*state, 0, A).code, VP_L1);
}

TEST_WITH(test_store_to_exclusive, setup, teardown)
{
	struct vp_outcome outcome;

	load(*state, 0, A);
	settle(*state, 0);
	outcome = store(*state, 0, A);
	assert_true(outcome.l1_hit);
	assert_int_equal(outcome.code, VP_L1);
	assert_int_equal(probe(*state, A).state, 'M');
	assert_true(store(*state, 0, A).l1_hit);
}

TEST_WITH(test_store_miss, setup, teardown)
{
	warm_tlb(*state, 0, A);
	assert_latency(store(*state, 0, A), VP_DRAM);
	assert_line(*state, 'M', 1);
}

TEST_WITH(test_hitm_local, setup, teardown)
{
	warm_tlb(*state, 1, A);
	store(*state, 0, A);
	assert_latency(load(*state, 1, A), VP_L3_HITM);
	assert_line(*state, 'S', 3);
	assert_int_equal(probe(*state, A).l3, 1);
	assert_int_equal(probe(*state, A).l3_dirty, 1);
	settle(*state, 0);
	settle(*state, 1);
	assert_int_equal(load(*state, 0, A).code, VP_L1);
	assert_int_equal(load(*state, 1, A).code, VP_L1);
	/* The old owner lost its permission, and requests it again. */
	assert_false(store(*state, 0, A).l1_hit);
	assert_line(*state, 'M', 1);
	assert_int_equal(probe(*state, A).l3, 0);
	assert_int_equal(load(*state, 1, A).code, VP_L3_HITM);
}

TEST_WITH(test_hitm_remote, setup, teardown)
{
	warm_tlb(*state, 2, A);
	store(*state, 0, A);
	assert_latency(load(*state, 2, A), VP_RHITM);
	assert_line(*state, 'S', 1 | 4);
	assert_int_equal(probe(*state, A).l3, 0);
	settle(*state, 0);
	assert_int_equal(load(*state, 0, A).code, VP_L1);
	/* The line was written back, so no core is asked for modified data any more. */
	assert_int_equal(load(*state, 3, A).code, VP_L3_CLEAN);
	assert_int_equal(load(*state, 1, A).code, VP_L3_CLEAN);
}

/*
 * The line was modified and then shared within the socket, so only its L3 is dirty. For others it
 * is HITM.
 */
TEST_WITH(test_hitm_remote_l3, setup, teardown)
{
	store(*state, 0, A);
	load(*state, 1, A);
	assert_int_equal(load(*state, 2, A).code, VP_RHITM);
	assert_int_equal(probe(*state, A).l3_dirty, 0);
	assert_int_equal(probe(*state, A).l3, 1);
	push_out(*state, 2, A, 0);
	assert_int_equal(load(*state, 3, A).code, VP_L3);
}

/* Two cores that write by turns: each takes the modified line from the other. */
TEST_WITH(test_ping_pong, setup, teardown)
{
	unsigned int i;

	store(*state, 0, A);
	for (i = 0; i < 10; i++) {
		assert_int_equal(store(*state, 2, A + 8).code, VP_RHITM);
		assert_int_equal(probe(*state, A).holders, 4);
		assert_int_equal(store(*state, 0, A).code, VP_RHITM);
		assert_int_equal(probe(*state, A).holders, 1);
		assert_int_equal(store(*state, 1, A + 16).code, VP_L3_HITM);
		assert_int_equal(store(*state, 0, A).code, VP_L3_HITM);
		assert_int_equal(probe(*state, A).state, 'M');
	}
}

TEST_WITH(test_clean_forward, setup, teardown)
{
	warm_tlb(*state, 2, A);
	warm_tlb(*state, 1, A);
	load(*state, 0, A);
	assert_latency(load(*state, 1, A), VP_L3_CLEAN);
	assert_latency(load(*state, 2, A), VP_RCACHE);
	assert_line(*state, 'S', 7);
	assert_int_equal(load(*state, 3, A).code, VP_L3_CLEAN);
}

/*
 * The socket that got the line last forwards it. If it has evicted the line, memory supplies it, no
 * other socket.
 */
TEST_WITH(test_forwarder_lost, setup, teardown)
{
	unsigned int i;

	load(*state, 0, A);
	assert_int_equal(load(*state, 2, A).code, VP_RCACHE);
	/* Fill CPU 2's L2, and then its socket's L3, until neither has the line. */
	for (i = 1; i < 100000 && (probe(*state, A).l3 & 2 || probe(*state, A).holders & 4); i++)
		load(*state, 2, A + i * L2_ALIAS % (400 * MIB));
	assert_int_equal(probe(*state, A).holders, 1);
	assert_int_equal(probe(*state, A).l3, 0);
	settle(*state, 2);
	assert_int_equal(load(*state, 2, A).code, VP_RDRAM);
	assert_int_equal(load(*state, 3, A).code, VP_L3_CLEAN);
}

TEST_WITH(test_upgrade_tells_who_shared, setup, teardown)
{
	const uint64_t b = A + L1_ALIAS, c = A + 2 * L1_ALIAS;
	struct vp_outcome outcome;

	/* Shared with the other socket. */
	load(*state, 0, A);
	load(*state, 2, A);
	settle(*state, 0);
	outcome = store(*state, 0, A);
	assert_int_equal(outcome.code, VP_RCACHE);
	assert_false(outcome.l1_hit);
	assert_int_equal(probe(*state, A).holders, 1);
	assert_int_equal(load(*state, 2, A).code, VP_RHITM);
	/* Shared within the socket. */
	load(*state, 0, b);
	load(*state, 1, b);
	settle(*state, 0);
	assert_int_equal(store(*state, 0, b).code, VP_L3_CLEAN);
	assert_int_equal(probe(*state, b).holders, 1);
	/* The other core evicted the line, and L3 has a copy. */
	load(*state, 0, c);
	load(*state, 1, c);
	push_out(*state, 1, c, 0);
	assert_int_equal(probe(*state, c).holders, 1);
	assert_int_equal(probe(*state, c).l3, 1);
	assert_int_equal(store(*state, 0, c).code, VP_L3);
	assert_int_equal(probe(*state, c).l3, 0);
}

/* Data that is in L1 stays readable while the permission to write is on its way. */
TEST_WITH(test_upgrade_keeps_data, setup, teardown)
{
	load(*state, 0, A);
	load(*state, 2, A);
	settle(*state, 0);
	assert_int_equal(store(*state, 0, A).code, VP_RCACHE);
	assert_int_equal(load(*state, 0, A).code, VP_L1);
}

TEST_WITH(test_locked_load_owns, setup, teardown)
{
	store(*state, 2, A);
	assert_int_equal(access_at(*state, 0, A, A, 8, false, true).code, VP_RHITM);
	assert_line(*state, 'M', 1);
	settle(*state, 0);
	assert_true(store(*state, 0, A).l1_hit);
}

TEST_WITH(test_l3_codes, setup, teardown)
{
	struct vp_cache_line line;

	/* The core that evicted the line loads it again. */
	load(*state, 0, A);
	push_out(*state, 0, A, 0);
	line = probe(*state, A);
	assert_int_equal(line.holders, 0);
	assert_int_equal(line.l3, 1);
	assert_int_equal(line.l3_dirty, 0);
	warm_tlb(*state, 0, A);
	assert_latency(load(*state, 0, A), VP_L3);
	line = probe(*state, A);
	assert_int_equal(line.state, 'E');
	assert_int_equal(line.l3, 0);
	/* Another core loads it. The snoop filter still names the first one. */
	push_out(*state, 0, A, 20);
	warm_tlb(*state, 1, A);
	assert_latency(load(*state, 1, A), VP_L3_MISS);
	/* Another socket loads it. */
	push_out(*state, 1, A, 40);
	assert_int_equal(probe(*state, A).l3, 1);
	assert_int_equal(load(*state, 2, A).code, VP_RCACHE);
}

TEST_WITH(test_l3_dirty, setup, teardown)
{
	store(*state, 0, A);
	push_out(*state, 0, A, 0);
	assert_int_equal(probe(*state, A).l3_dirty, 1);
	/* The data is modified, but no core has it: an L3 hit without a snoop. */
	assert_int_equal(load(*state, 1, A).code, VP_L3);
	assert_int_equal(probe(*state, A).state, 'E');
	assert_int_equal(probe(*state, A).l3, 0);
	/* For another socket it is HITM. */
	store(*state, 1, A);
	push_out(*state, 1, A, 20);
	assert_int_equal(load(*state, 2, A).code, VP_RHITM);
	assert_int_equal(probe(*state, A).l3_dirty, 0);
}

/* If the line is shared in the socket, L3 keeps its copy after a hit. */
TEST_WITH(test_l3_keeps_shared, setup, teardown)
{
	load(*state, 0, A);
	load(*state, 1, A);
	push_out(*state, 0, A, 0);
	assert_int_equal(load(*state, 0, A).code, VP_L3);
	assert_int_equal(probe(*state, A).l3, 1);
	assert_int_equal(probe(*state, A).holders, 3);
	assert_int_equal(probe(*state, A).state, 'S');
}
