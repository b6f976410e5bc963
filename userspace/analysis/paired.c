// SPDX-License-Identifier: GPL-2.0
#include "paired.h"

#include <math.h>
#include <string.h>

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
