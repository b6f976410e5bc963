// SPDX-License-Identifier: GPL-2.0
/* A share's interval holds the truth in 95 of 100 recordings, whatever the samples weigh. */
#include <math.h>

#include "ctl_test.h"

#include "analysis/share.h"

#define RECORDINGS	2000

static __u64 seed;

static double chance(void)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return (double)(seed >> 11) * 0x1p-53;
}

/*
 * A program: a part of its loads is of one function. After @early of its loads the period is @times
 * as long. A load of that function takes 300 cycles, and another one 60 to 300.
 */
struct program {
	const char *name;
	double loads, part, early, period, times;
};

static double load_cycles(const struct program *program, double at, bool *in_part)
{
	/* The function runs only after the start-up phase, as look-ups do after a table is filled. */
	*in_part = at >= program->early && chance() < program->part;
	return *in_part ? 300 : 60 + 240 * chance();
}

/* The function's share of all cycles. */
static double truth(const struct program *program)
{
	const double of_part = (1 - program->early) * program->part;

	return of_part * 300 / (of_part * 300 + (1 - of_part) * 180);
}

static void record(const struct program *program, struct share *part, struct share *whole)
{
	double at = chance() * program->period;

	*part = *whole = (struct share){ 0 };
	while (at < program->loads) {
		const double place = at / program->loads;
		const double period = program->period * (place < program->early ? 1 : program->times);
		bool in_part;
		const double cycles = load_cycles(program, place, &in_part) * period;

		share_add(whole, cycles, 1);
		if (in_part)
			share_add(part, cycles, 1);
		/* Loops do not fall into step with periods, which are primes. */
		at += period * (0.5 + chance());
	}
}

TEST(intervals_hold_the_truth)
{
	static const struct program programs[] = {
		{ "steady", 1e6, 0.3, 0, 1009, 1 },
		{ "rare", 1e6, 0.02, 0, 1009, 1 },
		{ "nearly all", 1e6, 0.97, 0, 5003, 1 },
		{ "few", 1e5, 0.3, 0, 5003, 1 },
		{ "late and seldom sampled", 1e6, 0.8, 0.4, 1009, 20 },
		{ "very seldom sampled", 1e6, 0.8, 0.2, 1009, 80 },
	};
	size_t i;

	seed = 1;
	for (i = 0; i < sizeof(programs) / sizeof(programs[0]); i++) {
		const double share = truth(&programs[i]);
		unsigned int held = 0, n;

		for (n = 0; n < RECORDINGS; n++) {
			struct share part, whole;
			struct share_interval interval;

			record(&programs[i], &part, &whole);
			interval = share_interval(&part, &whole);
			held += share >= interval.low && share <= interval.high;
		}
		print_message("# %s: %.1f %% of intervals hold %.3f\n", programs[i].name,
			      100.0 * held / RECORDINGS, share);
		assert_true(held >= RECORDINGS * 0.93);
		/* An interval of everything from 0 to 1 would hold it, too. */
		assert_true(held <= RECORDINGS * 0.999);
	}
}

static struct share of(double weight, __u64 samples)
{
	struct share share = { 0 };

	share_add(&share, weight, samples);
	return share;
}

TEST(effective_samples)
{
	struct share share = of(100, 100);

	assert_float_equal(share_effective(&share), 100, 1e-9);
	/* One sample weighs as much as all the others. */
	share_add(&share, 100, 1);
	assert_true(share_effective(&share) > 3.9 && share_effective(&share) < 4);
	/* Half of the cost is of rows that were evicted: they had as many samples, as heavy. */
	share = of(100, 100);
	share_complete(&share, 200, 200);
	assert_float_equal(share_effective(&share), 200, 1e-9);
	/* All rows were evicted. */
	share = (struct share){ 0 };
	share_complete(&share, 200, 50);
	assert_float_equal(share_effective(&share), 50, 1e-9);
}

TEST(edges)
{
	const struct share none = { 0 }, one = of(70, 1), all = of(100, 100);
	struct share_interval interval = share_interval(&none, &none);

	assert_true(interval.low == 0 && interval.high == 1);
	interval = share_interval(&one, &one);
	assert_true(interval.low > 0 && interval.low < 0.3 && interval.high == 1);
	interval = share_interval(&none, &all);
	assert_true(interval.low == 0 && interval.high > 0.03 && interval.high < 0.05);
	/* A damaged profile: the part is more than all. */
	interval = share_interval(&all, &one);
	assert_true(interval.low >= 0 && interval.high <= 1 && interval.low <= interval.high);
}
