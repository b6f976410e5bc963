// SPDX-License-Identifier: GPL-2.0
/* The bounds of the guest tests accept counts that agree, and refuse others. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "stats.h"

static void one_figure(void **state)
{
	(void)state;
	/* n 10000, p 0.5: sigma is 50, so the bound is 200 + 1. */
	assert_true(stats_agree(5000, 10000, 0.5, STATS_ONE, 0));
	assert_true(stats_agree(5201, 10000, 0.5, STATS_ONE, 0));
	assert_true(stats_agree(4799, 10000, 0.5, STATS_ONE, 0));
	assert_false(stats_agree(5202, 10000, 0.5, STATS_ONE, 0));
	assert_false(stats_agree(4798, 10000, 0.5, STATS_ONE, 0));
	/* The bound is wider by the number of samples that are known to be missing. */
	assert_true(stats_agree(4789, 10000, 0.5, STATS_ONE, 10));
	assert_false(stats_agree(4788, 10000, 0.5, STATS_ONE, 10));
}

static void ends(void **state)
{
	(void)state;
	/* What never happens must not be sampled, except for the 1. */
	assert_true(stats_agree(1, 10000, 0.0, STATS_ONE, 0));
	assert_false(stats_agree(2, 10000, 0.0, STATS_ONE, 0));
	assert_false(stats_agree(9998, 10000, 1.0, STATS_ONE, 0));
	/* Not a share. */
	assert_false(stats_agree(0, 10000, 1.5, STATS_ONE, 0));
	assert_false(stats_agree(0, 10000, 0.0 / 0.0, STATS_ONE, 0));
}

static void tables(void **state)
{
	const uint64_t truth[] = { 50000, 30000, 20000, 0, 10 };
	const uint64_t good[] = { 500, 310, 195, 0, 1 };
	const uint64_t shifted[] = { 310, 500, 195, 0, 1 };
	const uint64_t invented[] = { 500, 310, 195, 1, 0 };
	const uint64_t empty[] = { 0, 0, 0, 0, 0 };

	(void)state;
	/* In the last cell 0.1 is expected, so it is not compared. */
	assert_int_equal(stats_table(good, truth, 5, 0), 3);
	assert_int_equal(stats_table(shifted, truth, 5, 0), -1);
	assert_int_equal(stats_table(invented, truth, 5, 0), -4);
	/* Without samples nothing is compared, which no test takes for a pass. */
	assert_int_equal(stats_table(empty, truth, 5, 0), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_figure),
		cmocka_unit_test(ends),
		cmocka_unit_test(tables),
	};

	return cmocka_run_group_tests_name("stats", tests, NULL, NULL);
}
