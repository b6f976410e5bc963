// SPDX-License-Identifier: GPL-2.0
/* analysis/paired.c: does its interval contain the truth as often as it says? */
#include <math.h>

#include "../../userspace/analysis/paired.h"
#include "harness.h"

#define SETS	10000

static uint64_t seed = 88172645463325252ULL;

static double uniform(void)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return ((double)(seed >> 11) + 0.5) / 9007199254740992.0;
}

static double normal(void)
{
	return sqrt(-2 * log(uniform())) * cos(2 * M_PI * uniform());
}

struct drawn {
	double first[PAIRED_MAX], second[PAIRED_MAX];
};

/* In the order in which try runs them. The clock slows down by `drift` from run to run. */
static void draw(struct drawn *drawn, size_t pairs, double ratio, double noise, double drift)
{
	double slow = 1;
	size_t i, k;

	for (i = 0; i < pairs; i++) {
		for (k = 0; k < 2; k++, slow *= 1 + drift) {
			double figure = 1e9 * slow * exp(noise * normal());

			if (k == paired_turned(i))
				drawn->first[i] = figure;
			else
				drawn->second[i] = ratio * figure;
		}
	}
}

static double coverage(size_t pairs, double less, double *shown)
{
	struct paired paired;
	struct drawn drawn;
	size_t i, held = 0, seen = 0;

	for (i = 0; i < SETS; i++) {
		draw(&drawn, pairs, 1 - less, 0.03, 0);
		assert_true(paired_compare(&paired, drawn.first, drawn.second, pairs));
		held += paired.lo <= less && less <= paired.hi;
		seen += paired.shown;
	}
	*shown = (double)seen / SETS;
	return (double)held / SETS;
}

TEST(test_coverage)
{
	static const size_t pairs[] = { 3, 5, 10, 11, 30, PAIRED_MAX };
	double shown;
	size_t i;

	for (i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++) {
		double of_none = coverage(pairs[i], 0, &shown);

		/* So a difference where there is none is not reported more often than that. */
		assert_true(of_none > 0.94 && of_none < 0.96);
		assert_true(shown > 0.04 && shown < 0.06);
		of_none = coverage(pairs[i], 0.4, &shown);
		assert_true(of_none > 0.94 && of_none < 0.96);
		assert_true(shown > 0.99);
	}
}

/* If the machine slows down by 1 % from run to run, nothing looks faster (ABBA). */
TEST(test_drift)
{
	struct paired paired;
	struct drawn drawn;
	double sum = 0;
	size_t i;

	for (i = 0; i < SETS; i++) {
		draw(&drawn, 4, 1, 0.01, 0.01);
		assert_true(paired_compare(&paired, drawn.first, drawn.second, 4));
		sum += paired.less;
	}
	assert_true(fabs(sum / SETS) < 0.001);
	/* The whole order: A B B A A B B A. */
	for (i = 0; i < 8; i++)
		assert_int_equal(paired_turned(i), i & 1);
}

TEST(test_refused)
{
	static const double good[] = { 1, 2, 3 }, bad[] = { 1, 0, 3 };
	struct paired paired;

	assert_false(paired_compare(&paired, good, good, PAIRED_LEAST - 1));
	assert_false(paired_compare(&paired, good, good, PAIRED_MAX + 1));
	assert_false(paired_compare(&paired, good, bad, 3));
	assert_false(paired_compare(&paired, bad, good, 3));
	assert_true(paired_compare(&paired, good, good, 3));
	assert_false(paired.shown);
	assert_true(paired.less == 0 && paired.lo == 0 && paired.hi == 0);
}
