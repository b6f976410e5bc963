// SPDX-License-Identifier: GPL-2.0
#include "number.h"

#include <stdbool.h>
#include <string.h>

/*
 * Read digits here, because strtoull() accepts leading blanks and signs and wraps negative numbers,
 * none of which may pass for a threshold. Returns the first character that is no digit.
 */
static const char *digits_read(const char *text, uint64_t *value, bool *over)
{
	*value = 0;
	*over = false;
	for (; *text >= '0' && *text <= '9'; text++) {
		if (__builtin_mul_overflow(*value, (uint64_t)10, value) ||
		    __builtin_add_overflow(*value, (uint64_t)(*text - '0'), value))
			*over = true;
	}
	return text;
}

static int suffix_shift(const char *suffix)
{
	static const struct {
		const char *text;
		int shift;
	} known[] = {
		{ "", 0 },
		{ "K", 10 }, { "k", 10 }, { "KiB", 10 },
		{ "M", 20 }, { "m", 20 }, { "MiB", 20 },
		{ "G", 30 }, { "g", 30 }, { "GiB", 30 },
	};
	unsigned int i;

	for (i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (!strcmp(suffix, known[i].text))
			return known[i].shift;
	return -1;
}

static enum number_result parse(const char *text, bool sized, uint64_t min,
				uint64_t max, uint64_t *value)
{
	bool negative = *text == '-';
	const char *start = text + negative;
	uint64_t number;
	const char *end;
	bool over;
	int shift;

	end = digits_read(start, &number, &over);
	if (end == start)
		return NUMBER_NOT;
	shift = suffix_shift(end);
	if (shift < 0 || (shift && !sized))
		return NUMBER_NOT;
	if (negative || over || number > UINT64_MAX >> shift)
		return NUMBER_RANGE;
	number <<= shift;
	if (number < min || number > max)
		return NUMBER_RANGE;
	*value = number;
	return NUMBER_OK;
}

enum number_result number_parse(const char *text, uint64_t min, uint64_t max,
				uint64_t *value)
{
	return parse(text, false, min, max, value);
}

enum number_result number_parse_size(const char *text, uint64_t min,
				     uint64_t max, uint64_t *value)
{
	return parse(text, true, min, max, value);
}

enum number_result number_parse_percent(const char *text, uint64_t max,
					uint64_t *hundredths)
{
	bool negative = *text == '-';
	const char *start = text + negative, *end;
	uint64_t whole, part = 0;
	bool over;

	end = digits_read(start, &whole, &over);
	if (end == start)
		return NUMBER_NOT;
	if (*end == '.') {
		const char *decimals = end + 1;
		bool unused;

		end = digits_read(decimals, &part, &unused);
		/* Refuse a third decimal, which would have to be dropped silently. */
		if (end == decimals || end - decimals > 2)
			return NUMBER_NOT;
		if (end - decimals == 1)
			part *= 10;
	}
	if (*end == '%')
		end++;
	if (*end)
		return NUMBER_NOT;
	if (negative || over || __builtin_mul_overflow(whole, (uint64_t)100, &whole) ||
	    __builtin_add_overflow(whole, part, &whole) || whole > max)
		return NUMBER_RANGE;
	*hundredths = whole;
	return NUMBER_OK;
}
