// SPDX-License-Identifier: GPL-2.0
/*
 * One instruction loads and stores, and both are sampled with periods of their own: what each
 * access stands for.
 */
#include <math.h>

#include "ctl_session.h"

#include "analysis/evidence.h"
#include "analysis/gain.h"
#include "analysis/layout.h"
#include "analysis/line.h"

#define LOADS	50		/* periods */
#define STORES	1000

static struct session session;

/* Two threads add in one line: 100 loads of 50 accesses each, and 10 stores of 1,000. */
static const struct memlat_rec_access *two_that_add(void)
{
	unsigned int i;

	session_init(&session);
	for (i = 1; i <= 2; i++)
		USE(&session, .addr = LINE + i * 8, .tid = i, .loads = 100, .hitm = 100, .stores = 10,
		    .store_misses = 5, .period = LOADS, .store_period = STORES);
	return &session.accesses[0];
}

static bool is(double a, double b)
{
	return fabs(a - b) < 1e-6;
}

TEST(each_by_its_period)
{
	const struct memlat_rec_access *access = two_that_add();
	struct memlat_rec_access odd = *access;

	assert_true(is(access_load_weight(access), LOADS));
	assert_true(is(access_store_weight(access), STORES));
	odd.samples = odd.stores;
	odd.weight = 10 * STORES;
	assert_true(is(access_load_weight(&odd), 0));
	assert_true(is(access_store_weight(&odd), STORES));
	odd = *access;
	odd.stores = 0;
	odd.samples = 100;
	odd.weight = 100 * LOADS;
	assert_true(is(access_load_weight(&odd), LOADS));
	assert_true(is(access_store_weight(&odd), 0));
}

/* No weight is negative, and none is a division by zero. */
TEST(damaged)
{
	struct memlat_rec_access odd = *two_that_add();

	odd.cost *= 100;
	assert_true(access_store_weight(&odd) >= 0);
	odd.latency_sum = 0;
	assert_true(isfinite(access_load_weight(&odd)));
	odd.stores = odd.samples + 7;
	assert_int_equal(access_stores(&odd), odd.samples);
	assert_true(isfinite(access_store_weight(&odd)));
	odd.samples = 0;
	assert_true(is(access_load_weight(&odd), 0) && is(access_store_weight(&odd), 0));
}

static struct lineset *set;

static int begin(void **state)
{
	two_that_add();
	set = lineset_new(&session.snap, NULL, MEMLAT_LINE_BYTES);
	return 0;
}

static int end(void **state)
{
	lineset_free(set);
	return 0;
}

TEST_WITH(evidence, begin, end)
{
	struct evidence evidence;

	evidence_take(&evidence, set, lineset_line(set, 0), NULL, NULL, false);
	assert_true(is(evidence.loads, 2 * 100 * LOADS));
	assert_true(is(evidence.stores, 2 * 10 * STORES));
	assert_true(is(evidence.missed, 2 * 5 * STORES));
	/*
	 * Loads of one thread and stores of the other: all have the same weight within their kind.
	 */
	assert_true(is(evidence.effective, 220));
	free(evidence.parties);
}

TEST_WITH(layout, begin, end)
{
	int member[LINESET_BYTES_MAX];
	struct layout_fight fight;
	unsigned int i;

	for (i = 0; i < LINESET_BYTES_MAX; i++)
		member[i] = i >= 8 && i < 16 ? 0 : i >= 16 && i < 24 ? 1 : -1;
	layout_fight_init(&fight, 2);
	layout_fight_add(&fight, set, lineset_line(set, 0), member);
	assert_true(is(fight.use[0].loads, 100 * LOADS));
	assert_true(is(fight.use[0].stores, 10 * STORES));
	assert_true(is(layout_fight_apart(&fight), 2 * (100 * LOADS + 5 * STORES)));
	layout_fight_free(&fight);
}

TEST_WITH(slots_of_a_line, begin, end)
{
	struct line_slots slots;

	slots_of_line(set, &session.lines[0], &slots);
	assert_int_equal(slots.hitm[1], 100 * LOADS);
	assert_int_equal(slots.store[1], 10 * STORES);
}

TEST_WITH(gain, begin, end)
{
	struct gain_samples samples;
	struct gain_part part;

	gain_samples_take(&samples, &session.snap);
	gain_line(&part, set, lineset_line(set, 0), 1, 0.75);
	assert_true(is(samples.store_misses, 2 * 5 * STORES));
	assert_true(is(part.store_misses, samples.store_misses));
	assert_true(is(part.waited + part.locked_saved, 2 * 100 * 300 * LOADS));
	/* A quarter of it may not be over different bytes. */
	assert_true(part.saved > 0 && is(part.doubtful, part.saved / 4));
}
