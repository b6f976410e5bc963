// SPDX-License-Identifier: GPL-2.0
#include "share.h"

#include <math.h>
#include <string.h>

#define TWO_SIDED	1.96	/* standard errors, for 95 % */

struct share share_row(double weight, __u64 samples)
{
	struct share share = { 0 };

	share_add(&share, weight, samples);
	return share;
}

void share_add(struct share *share, double weight, __u64 samples)
{
	if (!samples)
		return;
	share->weight += weight;
	share->squares += weight * weight / (double)samples;
	share->samples += samples;
}

void share_join(struct share *share, const struct share *other)
{
	share->weight += other->weight;
	share->squares += other->squares;
	share->samples += other->samples;
}

void share_complete(struct share *share, double weight, __u64 samples)
{
	if (share->weight > 0)
		share->squares *= weight / share->weight;
	else if (samples)
		share->squares = weight * weight / (double)samples;
	share->weight = weight;
	share->samples = samples;
}

double share_effective(const struct share *share)
{
	return share->squares > 0 ? share->weight * share->weight / share->squares : 0;
}

/* The low end of Wilson's interval for a small part of a large whole. */
double share_least(double weight, __u64 samples)
{
	const double n = (double)samples, z = TWO_SIDED * TWO_SIDED;

	return samples ? weight * (n + z / 2 - TWO_SIDED * sqrt(n + z / 4)) / n : 0;
}

int share_order(double weight_a, __u64 samples_a, double weight_b, __u64 samples_b)
{
	const double a = share_least(weight_a, samples_a), b = share_least(weight_b, samples_b);

	return (a < b) - (a > b);
}

/*
 * Wilson's interval, which also holds for few samples and for shares near 0 and 1 (E. B. Wilson,
 * "Probable inference, the law of succession, and statistical inference", JASA 22, 1927), by the
 * number of samples that would have the same variance. The variance is that of a quotient of two
 * sums of independent samples (the delta method): each in the part adds (1 - share) of its weight
 * to the numerator's error, each other one subtracts share of its own. That variance is too low if
 * the few heavy samples are by chance all in the part, so the samples never count as more than what
 * all of them are worth.
 */
struct share_interval share_interval(const struct share *part, const struct share *whole)
{
	const double all = whole->weight, share = all > 0 ? fmin(part->weight / all, 1) : 0;
	const double others = fmax(whole->squares - part->squares, 0);
	const double squares = (1 - share) * (1 - share) * part->squares + share * share * others;
	const double z = TWO_SIDED * TWO_SIDED;
	double n = share_effective(whole), middle, reach;

	if (!(all > 0) || !(n > 0))
		return (struct share_interval){ 0, 1 };
	if (share > 0 && share < 1 && squares > 0)
		n = fmin(n, share * (1 - share) * all * all / squares);
	middle = (share + z / (2 * n)) / (1 + z / n);
	reach = sqrt(z * share * (1 - share) / n + z * z / (4 * n * n)) / (1 + z / n);
	return (struct share_interval){ fmax(middle - reach, 0), fmin(middle + reach, 1) };
}

struct share share_rate(const struct share *sum, double per)
{
	return (struct share){
		.weight = sum->weight / per, .squares = sum->squares / per / per,
		.samples = sum->samples,
	};
}

/*
 * Of a number of samples: the score interval of a Poisson count, Wilson's for a small part of a large
 * whole. @one: what a sample stands for where there is none.
 */
static struct share_interval sum_interval(const struct share *sum, double one)
{
	const double n = share_effective(sum) / SHARE_SPREAD, z = TWO_SIDED * TWO_SIDED;
	const double reach = TWO_SIDED * sqrt(n + z / 4);

	if (n > 0)
		one = sum->weight / n;
	return (struct share_interval){ one * (n + z / 2 - reach), one * (n + z / 2 + reach) };
}

/* G. Y. Zou and A. Donner, "Construction of confidence limits about effect measures" (2008): MOVER. */
struct share_interval share_change(const struct share side[2], const double unit[2])
{
	const double change = side[1].weight - side[0].weight;
	struct share_interval at[2];
	unsigned int i;

	for (i = 0; i < 2; i++) {
		const struct share *other = &side[!i];

		at[i] = sum_interval(&side[i], other->weight > 0 && unit[!i] > 0 ?
				     other->squares / other->weight * SHARE_SPREAD * unit[i] / unit[!i] : 0);
	}
	return (struct share_interval){
		change - hypot(side[1].weight - at[1].low, at[0].high - side[0].weight),
		change + hypot(at[1].high - side[1].weight, side[0].weight - at[0].low),
	};
}

/*
 * Student's t, two-sided, 95 %. From 10 degrees of freedom on it is computed by its expansion about
 * the normal distribution (Abramowitz and Stegun, 26.7.5), which is right to 0.0002 there.
 */
static double t_quantile(size_t degrees)
{
	static const double few[] = {
		0, 12.7062, 4.3027, 3.1824, 2.7764, 2.5706, 2.4469, 2.3646, 2.3060, 2.2622,
	};
	const double z = 1.959964, n = (double)degrees;

	if (degrees < sizeof(few) / sizeof(few[0]))
		return few[degrees];
	return z + (pow(z, 3) + z) / (4 * n) +
	       (5 * pow(z, 5) + 16 * pow(z, 3) + 3 * z) / (96 * n * n) +
	       (3 * pow(z, 7) + 19 * pow(z, 5) + 17 * pow(z, 3) - 15 * z) / (384 * n * n * n);
}

bool paired_turned(size_t pair)
{
	return pair % 2;
}

bool paired_compare(struct paired *paired, const double *first, const double *second, size_t pairs)
{
	double log_ratio[PAIRED_MAX], mean = 0, squares = 0, half;
	size_t i;

	memset(paired, 0, sizeof(*paired));
	if (pairs < PAIRED_LEAST || pairs > PAIRED_MAX)
		return false;
	for (i = 0; i < pairs; i++) {
		if (!(first[i] > 0) || !(second[i] > 0))
			return false;
		log_ratio[i] = log(second[i] / first[i]);
		mean += log_ratio[i] / (double)pairs;
	}
	for (i = 0; i < pairs; i++)
		squares += (log_ratio[i] - mean) * (log_ratio[i] - mean);
	half = t_quantile(pairs - 1) * sqrt(squares / (double)(pairs - 1) / (double)pairs);
	paired->less = 1 - exp(mean);
	paired->lo = 1 - exp(mean + half);
	paired->hi = 1 - exp(mean - half);
	paired->shown = paired->lo > 0 || paired->hi < 0;
	return true;
}
