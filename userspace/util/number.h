/* SPDX-License-Identifier: GPL-2.0 */
/* Strict parsing of numbers that people type, and arithmetic. */
#ifndef MEMLAT_NUMBER_H
#define MEMLAT_NUMBER_H

#include <stdint.h>

/* The greatest common divisor. With 0 it is the other number. */
static inline uint64_t number_divisor(uint64_t a, uint64_t b)
{
	while (b) {
		uint64_t rest = a % b;

		a = b;
		b = rest;
	}
	return a;
}

/* The next multiple. */
static inline uint64_t number_round_up(uint64_t number, uint64_t to)
{
	return (number + to - 1) / to * to;
}

/*
 * A number without its fraction. What is negative or no number is 0, and what is too large is the
 * largest one: profiles that are damaged have figures whose product is beyond a __u64.
 */
static inline uint64_t number_whole(double value)
{
	if (!(value > 0))
		return 0;
	return value < 0x1p64 ? (uint64_t)value : UINT64_MAX;
}

enum number_result {
	NUMBER_OK,
	NUMBER_NOT,	/* not a whole decimal number (or size, or percentage) */
	NUMBER_RANGE	/* a number, but below min or above max */
};

/*
 * Parse decimal digits and nothing else. A minus sign before digits makes a number that is out of
 * range, rather than a word that is no number.
 */
enum number_result number_parse(const char *text, uint64_t min, uint64_t max,
				uint64_t *value);

/* As number_parse(), with an optional suffix K, M or G (powers of 1024), or KiB, ... */
enum number_result number_parse_size(const char *text, uint64_t min,
				     uint64_t max, uint64_t *value);

/*
 * Parse a percentage with at most two decimals and an optional sign: "1", "0.5", "1.25%".
 * *hundredths and max are in hundredths of a percent.
 */
enum number_result number_parse_percent(const char *text, uint64_t max,
					uint64_t *hundredths);

#endif
