// SPDX-License-Identifier: GPL-2.0
/* What perf's engine counts. */
#define _GNU_SOURCE
#include "harness.h"

#include "record/engine_events.c"

/* Counts are of two CPUs, and the second one counts cycles with two groups. */
static void finish(struct snapshot *snap, __u32 flags, const struct ring_sums *sums)
{
	const struct engine_events of = { .config.flags = flags };

	snapshot_init(snap);
	add_count(snap, 1, MEMLAT_EVENT_CYCLES, 100, 100);
	add_count(snap, 1, MEMLAT_EVENT_L2_MISSES, 7, 100);
	add_count(snap, 1, MEMLAT_EVENT_CYCLES, 300, 300);
	add_count(snap, 1, MEMLAT_EVENT_INSTRUCTIONS, 60, 300);
	add_count(snap, 0, MEMLAT_EVENT_CYCLES, 30, 30);
	add_count(snap, 0, MEMLAT_EVENT_INSTRUCTIONS, 40, 30);
	/* What was counted before a reset. */
	add_count(snap, 0, MEMLAT_EVENT_INSTRUCTIONS, -10ULL, 0);
	engine_events_finish(&of, snap, sums);
}

/* An event that had turns, because others counted as well, is left out. */
TEST(counts_beside)
{
	const struct ring_sums sums = {
		.running = 1000000, .counting = {
			[MEMLAT_EVENT_CYCLES] = 999000, [MEMLAT_EVENT_INSTRUCTIONS] = 1000000,
			[MEMLAT_EVENT_L2_MISSES] = 600000,
		},
	};
	struct snapshot snap;

	finish(&snap, MEMLAT_F_LOADS, &sums);
	assert_int_equal(snap.nr_counts, 4);
	assert_int_equal(snap.counts[0].value, 400);
	assert_int_equal(snap.counts[3].event, MEMLAT_EVENT_INSTRUCTIONS);
	assert_int_equal(snap.counts[3].value, 30);
	assert_int_equal(snap.counts[3].enabled, 30);
	assert_int_equal(snap.counts[3].running, 30);
	assert_int_equal(snap.head.status.sampled_cycles, 430);
	assert_true(snap.head.status.flags & MEMLAT_F_COUNT);
	snapshot_free(&snap);
}

static void in_groups(struct snapshot *snap, __u64 ran)
{
	const struct ring_sums sums = {
		.running = 1000000, .counting[MEMLAT_EVENT_CYCLES] = ran,
	};

	finish(snap, MEMLAT_F_USER, &sums);
}

/* Groups that had turns: what one has not seen is known from the cycles of all. */
TEST(counts_in_groups)
{
	struct snapshot snap;

	in_groups(&snap, 999000);
	assert_int_equal(snap.nr_counts, 5);
	assert_int_equal(snap.counts[1].event, MEMLAT_EVENT_L2_MISSES);
	assert_int_equal(snap.counts[1].enabled, 400);
	assert_int_equal(snap.counts[1].running, 100);
	assert_int_equal(snap.counts[2].running, 300);
	snapshot_free(&snap);
}

/* Somebody else had the counters, or groups ran at the same time. */
TEST(counts_in_groups_without_a_result)
{
	static const __u64 ran[] = { 900000, 1100000 };
	struct snapshot snap;
	size_t i;

	for (i = 0; i < 2; i++) {
		in_groups(&snap, ran[i]);
		assert_int_equal(snap.nr_counts, 0);
		assert_false(snap.head.status.flags & MEMLAT_F_COUNT);
		snapshot_free(&snap);
	}
}
