// SPDX-License-Identifier: GPL-2.0
/* analysis/gain.c by hand: what it refuses, what a core lacks, and what each kind of stall adds. */
#include <math.h>

#include "harness.h"

#include "../../userspace/analysis/gain.h"

static const struct gain_counts chain = {
	.cycles = 1000, .load_stalls = 800, .l1d_pending = 900, .demand = 900,
	.demand_cycles = 900, .has_load_stalls = true, .has_pending = true,
};
static const struct gain_samples half = { .beyond = 900, .all = 900 };
static const struct gain_part part = {
	.waited = 450, .saved = 400, .samples = 1000, .squares = 450 * 0.45, .sharing = true,
};

TEST(test_refusals)
{
	struct gain_counts none = { .has_load_stalls = true };
	struct gain_part few = part;
	struct gain gain;

	few.samples = GAIN_LEAST - 1;
	gain_of(&gain, &chain, &half, &few);
	assert_int_equal(gain.known, GAIN_TOO_FEW);
	gain_of(&gain, &none, &half, &part);
	assert_int_equal(gain.known, GAIN_NOT_COUNTED);
}

/* If a core cannot count something, the interval is wider, but contains the same. */
TEST(test_lacking)
{
	struct gain_counts counts = chain;
	struct gain whole, gain;

	gain_of(&whole, &chain, &half, &part);
	assert_true(whole.lo > 0.25 && whole.hi < 0.45);
	counts.has_load_stalls = false;
	gain_of(&gain, &counts, &half, &part);
	assert_true(gain.lo == 0 && gain.hi >= whole.hi);
	counts = chain;
	counts.has_pending = false;
	gain_of(&gain, &counts, &half, &part);
	assert_true(gain.lo == 0);
	assert_true(fabs(gain.hi - 0.4) < 1e-9);
}

/* What may remain of the waiting lowers what is sure, and not what is possible. */
TEST(test_doubtful)
{
	struct gain_part doubted = part, both = part;
	struct gain whole, gain;

	gain_of(&whole, &chain, &half, &part);
	doubted.doubtful = part.saved / 4;
	gain_of(&gain, &chain, &half, &doubted);
	assert_true(fabs(gain.lo - whole.lo * 3 / 4) < 1e-9);
	assert_true(fabs(gain.hi - whole.hi) < 1e-9);
	gain_join(&both, &doubted);
	assert_true(fabs(both.doubtful - doubted.doubtful) < 1e-9);
}

static struct memlat_rec_count rows[2 * 8];

static void two_cpus(struct gain_counts *counts, __u64 cycles_of_other, bool all_seen)
{
	static const struct {
		__u16 event;
		__u64 part;	/* of 1,000 cycles */
	} events[8] = {
		{ MEMLAT_EVENT_CYCLES, 1000 }, { MEMLAT_EVENT_LOAD_STALLS, 800 },
		{ MEMLAT_EVENT_STORE_STALLS, 0 }, { MEMLAT_EVENT_L1D_PENDING, 900 },
		{ MEMLAT_EVENT_DEMAND_OUTSTANDING, 900 }, { MEMLAT_EVENT_DEMAND_CYCLES, 900 },
		{ MEMLAT_EVENT_WALK_PENDING, 0 }, { MEMLAT_EVENT_RFO_OUTSTANDING, 0 },
	};
	struct snapshot snap;
	size_t i, cpu;

	snapshot_init(&snap);
	snap.counts = rows;
	snap.nr_counts = sizeof(rows) / sizeof(rows[0]);
	for (cpu = 0; cpu < 2; cpu++)
		for (i = 0; i < 8; i++) {
			const __u64 cycles = cpu ? cycles_of_other : 1000000;
			const bool seen = !cpu || all_seen || i < 4;

			rows[cpu * 8 + i] = (struct memlat_rec_count) {
				.cpu = (__u32)cpu, .event = events[i].event, .enabled = cycles,
				.running = seen ? cycles : 0,
				.value = seen ? events[i].part * cycles / 1000 : 0,
			};
		}
	gain_counts_take(counts, &snap);
}

/* A CPU that hardly ran had no turn for some events. These count as much as is possible. */
TEST(test_unseen)
{
	struct gain_counts counts;
	struct gain whole, gain;

	two_cpus(&counts, 400, true);
	gain_of(&whole, &counts, &half, &part);
	assert_true(whole.lo > 0.25 && counts.unseen == 0);
	two_cpus(&counts, 400, false);
	assert_true(counts.has_pending && counts.has_load_stalls && counts.has_rfo);
	assert_true(counts.unseen == 400);
	gain_of(&gain, &counts, &half, &part);
	assert_true(gain.lo < whole.lo && gain.lo > whole.lo - 0.01);
	assert_true(gain.hi > whole.hi && gain.hi < whole.hi + 0.001);
	two_cpus(&counts, 20000, false);
	assert_true(counts.has_load_stalls && !counts.has_pending && !counts.has_rfo);
	gain_of(&gain, &counts, &half, &part);
	assert_true(gain.lo == 0);
}

/* As on some virtual CPUs: misses came, and none of the cycles that they take. */
TEST(test_still)
{
	struct memlat_rec_count still[] = {
		{ .event = MEMLAT_EVENT_CYCLES, .enabled = 1000, .running = 1000, .value = 1000 },
		{ .event = MEMLAT_EVENT_LOAD_STALLS, .enabled = 1000, .running = 1000 },
		{ .event = MEMLAT_EVENT_L1D_PENDING, .enabled = 1000, .running = 1000 },
		{ .event = MEMLAT_EVENT_L2_MISSES, .enabled = 1000, .running = 1000, .value = 10 },
	};
	struct gain_counts counts;
	struct snapshot snap;

	snapshot_init(&snap);
	snap.counts = still;
	snap.nr_counts = sizeof(still) / sizeof(still[0]);
	gain_counts_take(&counts, &snap);
	assert_true(counts.still && !counts.has_load_stalls && counts.cycles == 1000);
	still[3].value = 0;
	gain_counts_take(&counts, &snap);
	assert_true(!counts.still && counts.has_load_stalls);
	still[3].value = 10;
	still[1].value = 1;
	gain_counts_take(&counts, &snap);
	assert_true(!counts.still && counts.has_load_stalls);
}

/* Fewer samples make the interval wider. */
TEST(test_error)
{
	struct gain_part few = part;
	struct gain many_told, few_told;

	few.samples = 30;
	few.squares = 450 * 15.0;
	gain_of(&many_told, &chain, &half, &part);
	gain_of(&few_told, &chain, &half, &few);
	assert_true(few_told.lo < many_told.lo - 0.02);
	assert_true(few_told.hi > many_told.hi + 0.02);
}

/* Prefetchers at work and no sharing: only the core's stalls are a bound. */
TEST(test_prefetched)
{
	struct gain_samples samples = { .beyond = 900, .all = 1200, .lfb = 300 };
	struct gain_part remote_part = part;
	struct gain gain;

	gain_of(&gain, &chain, &samples, &part);
	assert_false(gain.prefetched);
	remote_part.sharing = false;
	gain_of(&gain, &chain, &samples, &remote_part);
	assert_true(gain.prefetched);
	assert_true(gain.lo == 0 && fabs(gain.hi - 0.8) < 1e-9);
	samples.lfb = 100;
	gain_of(&gain, &chain, &samples, &remote_part);
	assert_false(gain.prefetched);
}

/* Two changes at once: between the larger one and the sum, never more than there is. */
TEST(test_join)
{
	struct gain_counts counts = chain;
	struct gain_part both = part;
	struct gain one, two;

	gain_of(&one, &chain, &half, &part);
	gain_join(&both, &part);
	gain_of(&two, &chain, &half, &both);
	assert_true(two.lo >= one.lo && two.hi >= one.hi);
	assert_true(two.hi <= 2 * one.hi && two.hi <= 0.8);
	/* Four at once: each of the two could be all of it, and both together are no more. */
	counts.l1d_pending = counts.demand = 3600;
	counts.load_stalls = 900;
	gain_of(&one, &counts, &half, &part);
	gain_of(&two, &counts, &half, &both);
	assert_true(fabs(one.hi - 0.8) < 1e-9);
	assert_true(fabs(two.hi - 0.8) < 1e-9);
}

/* What the tests below change, and the gain before and after that. */
static struct gain_counts counts;
static struct gain_samples samples;
static struct gain_part with;
static struct gain before, gain;

static int begin(void **state)
{
	counts = chain;
	samples = half;
	with = part;
	gain_of(&before, &counts, &samples, &with);
	return 0;
}

/* The gain's ends move up by so much. */
static void moves(double lo, double hi)
{
	gain_of(&gain, &counts, &samples, &with);
	assert_true(fabs(gain.lo - before.lo - lo) < 1e-9);
	assert_true(fabs(gain.hi - before.hi - hi) < 1e-9);
}

/*
 * Stalls of a full store buffer are in hi. If almost no other store can cause them, most of them
 * are in lo.
 */
TEST_WITH(test_stores, begin, NULL)
{
	counts.store_stalls = 100;
	counts.rfo = 400;
	samples.store_misses = 5000;
	with.store_misses = 2500;
	with.store_squares = 2500;
	gain_of(&gain, &counts, &samples, &with);
	assert_true(fabs(gain.lo - before.lo) < 1e-9);
	assert_true(gain.hi > before.hi + 0.05 && gain.hi < before.hi + 0.055);
	with.store_misses = samples.store_misses;
	counts.has_rfo = true;
	moves(GAIN_STORES_SURE * 0.1 * 400 / 450, 0.1);
	/* Requests of others were not counted. */
	counts.has_rfo = false;
	gain_of(&gain, &counts, &samples, &with);
	assert_true(fabs(gain.lo - before.lo) < 1e-9);
}

/* Locked loads hide nothing: their counted requests are a loss, whatever the samples show of it. */
TEST_WITH(test_locked, begin, NULL)
{
	counts.has_rfo = true;
	counts.rfo = 100;
	samples.locked = 40;
	samples.locked_loads = 1;
	with.locked_waited = 40;
	with.locked_saved = 36;
	with.locked_squares = 40;
	moves(0.09, 0.09);
	/* As many stores requested ownership, so the part of the locked ones is not known. */
	samples.store_misses = 1;
	moves(0.09 / 5, 0.09 * 4 / 5);
	/* Half of the locked ones are others. */
	samples.store_misses = 0;
	samples.locked = 80;
	gain_of(&gain, &counts, &samples, &with);
	assert_true(gain.lo < before.lo + 0.045 && gain.hi > before.hi + 0.045);
	assert_true(gain.lo > before.lo && gain.hi < before.hi + 0.09);
	/* A core that cannot count requests has no lower bound, and uses the samples. */
	counts.has_rfo = false;
	moves(0, 0.036);
}
