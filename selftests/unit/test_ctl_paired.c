// SPDX-License-Identifier: GPL-2.0
/* paired_compare() of analysis/share.c: does its interval contain the truth as often as it says? */
#include <math.h>

#include "../../userspace/analysis/share.h"
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

/*
 * How wide the interval is, by the printed table of Student's t (two-sided, 95 %): every degree of
 * freedom that has a figure of its own in the program, and some of those that it computes.
 */
TEST(test_table)
{
	static const struct {
		size_t degrees;
		double t;
	} table[] = {
		{ 2, 4.303 }, { 3, 3.182 }, { 4, 2.776 }, { 5, 2.571 }, { 6, 2.447 },
		{ 7, 2.365 }, { 8, 2.306 }, { 9, 2.262 }, { 10, 2.228 }, { 11, 2.201 },
		{ 12, 2.179 }, { 15, 2.131 }, { 20, 2.086 }, { 24, 2.064 }, { 30, 2.042 },
		{ 40, 2.021 }, { PAIRED_MAX - 1, 2.010 },
	};
	size_t i, k;

	for (i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		const size_t pairs = table[i].degrees + 1;
		double first[PAIRED_MAX], second[PAIRED_MAX], squares = 0, half;
		/* The logarithms of the ratios are 0.001, 0.002, ...: their mean is in the middle. */
		const double mean = 0.001 * (double)(pairs + 1) / 2;
		struct paired paired;

		for (k = 0; k < pairs; k++) {
			const double log_ratio = 0.001 * (double)(k + 1);

			first[k] = 1;
			second[k] = exp(log_ratio);
			squares += (log_ratio - mean) * (log_ratio - mean);
		}
		assert_true(paired_compare(&paired, first, second, pairs));
		assert_true(fabs(paired.less - (1 - exp(mean))) < 1e-9);
		half = (log(1 - paired.lo) - log(1 - paired.hi)) / 2;
		assert_true(fabs(half / sqrt(squares / (double)(pairs - 1) / (double)pairs) -
				 table[i].t) < 0.0007);
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
