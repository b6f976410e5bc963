// SPDX-License-Identifier: GPL-2.0
/* How long an interval of memlat-ctl top has to be. */
#include "ctl_test.h"

#include "top/live.h"

#define MS	1000000ULL

/* The same interval twice, because a cost counts only when it is repeated. */
static __u64 twice(struct length_cost cost)
{
	struct length length = { { 0 }, { 0 } };

	assert_int_equal(length_next(&length, &cost), 0);
	return length_next(&length, &cost);
}

/* On a large or fast machine, the requested interval is long enough. */
TEST(what_costs_little)
{
	const struct length_cost cost = {
		.interval_ns = 2000 * MS, .cpu_ns = 5 * MS, .cpus = 8, .own = 1000, .all = 1000000,
	};

	assert_int_equal(twice(cost), 500);
}

TEST(half_a_percent_of_the_processors)
{
	struct length_cost cost = {
		.interval_ns = 2000 * MS, .cpu_ns = 100 * MS, .cpus = 2, .own = 1, .all = 1000000000,
	};

	assert_int_equal(twice(cost), 10000);
	cost.cpu_ns = 5000 * MS;
	assert_int_equal(twice(cost), LENGTH_MOST_MS);
	/* An older module does not report this. */
	cost.cpu_ns = 10 * MS;
	cost.cpus = 0;
	assert_int_equal(twice(cost), 2000);
}

/* One percent of the others' latency in 5 s: an interval two and a half times as long has 0.4 %. */
TEST(a_part_of_the_latency)
{
	struct length_cost cost = {
		.interval_ns = 5000 * MS, .cpu_ns = 20 * MS, .cpus = 2, .own = 1000, .all = 101000,
	};

	assert_int_equal(twice(cost), 12500);
	cost.own = 90000;
	cost.cpu_ns = 100 * MS;
	assert_int_equal(twice(cost), LENGTH_MOST_MS);
	/* It takes so little time that it disturbs nobody, whatever its share. */
	cost.cpu_ns = 2 * MS;
	assert_int_equal(twice(cost), 2000);
}

/* If nothing else waits, its share is everything, so only the processor time counts. */
TEST(nobody_else_waits)
{
	struct length_cost cost = {
		.interval_ns = 2000 * MS, .cpu_ns = 2 * MS, .cpus = 2, .own = 5000, .all = 5000,
	};

	assert_int_equal(twice(cost), 2000);
	cost.own = cost.all = 0;
	assert_int_equal(twice(cost), 200);
}

/*
 * The time since the session began is no interval, and an expensive interval among cheap ones
 * lengthens none.
 */
TEST(what_is_done_once)
{
	const struct length_cost all = { .cpu_ns = 9000 * MS, .cpus = 2, .own = 500, .all = 1000 };
	const struct length_cost dear = {
		.interval_ns = 5000 * MS, .cpu_ns = 900 * MS, .cpus = 2, .own = 500, .all = 1000,
	};
	const struct length_cost cheap = {
		.interval_ns = 5000 * MS, .cpu_ns = 20 * MS, .cpus = 2, .own = 1, .all = 1001,
	};
	struct length length = { { 0 }, { 0 } };

	assert_int_equal(length_next(&length, &all), 0);
	assert_int_equal(length_next(&length, &cheap), 2000);
	assert_int_equal(length_next(&length, &cheap), 2000);
	assert_int_equal(length_next(&length, &dear), 2500);
	assert_int_equal(length_next(&length, &cheap), 2000);
}
