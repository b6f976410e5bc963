// SPDX-License-Identifier: GPL-2.0
#include "ctl_test.h"

#include "util/number.h"

static void accepts(const char *text, uint64_t min, uint64_t max, uint64_t right)
{
	uint64_t value = 0;

	assert_int_equal(number_parse(text, min, max, &value), NUMBER_OK);
	assert_int_equal(value, right);
}

static void refuses(const char *text, enum number_result why)
{
	uint64_t value = 4711;

	assert_int_equal(number_parse(text, 3, 65535, &value), why);
	/* A refused value changes nothing. */
	assert_int_equal(value, 4711);
}

TEST(numbers_in_range)
{
	accepts("3", 3, 65535, 3);
	accepts("30", 3, 65535, 30);
	accepts("65535", 3, 65535, 65535);
	accepts("030", 3, 65535, 30);
	accepts("0", 0, 0, 0);
	accepts("18446744073709551615", 0, UINT64_MAX, UINT64_MAX);
}

TEST(numbers_out_of_range)
{
	refuses("0", NUMBER_RANGE);
	refuses("2", NUMBER_RANGE);
	refuses("65536", NUMBER_RANGE);
	refuses("70000", NUMBER_RANGE);
	refuses("-1", NUMBER_RANGE);
	refuses("-30", NUMBER_RANGE);
	/* These wrap around to 30 in 32 and 64 bits. */
	refuses("4294967326", NUMBER_RANGE);
	refuses("18446744073709551646", NUMBER_RANGE);
	refuses("99999999999999999999999999", NUMBER_RANGE);
}

TEST(words_are_no_numbers)
{
	static const char *const words[] = {
		"", "abc", "30x", "x30", " 30", "30 ", "+30", "-", "--30",
		"0x1e", "3e1", "30.0", "3,000", "30K", "\n", "\xd9\xa3",
	};
	unsigned int i;

	for (i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		refuses(words[i], NUMBER_NOT);
}

TEST(sizes)
{
	static const struct {
		const char *text;
		enum number_result result;
		uint64_t value;
	} cases[] = {
		{ "65536", NUMBER_OK, 65536 },
		{ "64K", NUMBER_OK, 65536 },
		{ "64k", NUMBER_OK, 65536 },
		{ "64KiB", NUMBER_OK, 65536 },
		{ "1M", NUMBER_OK, 1 << 20 },
		{ "2GiB", NUMBER_OK, 2ULL << 30 },
		{ "17179869183G", NUMBER_OK, 17179869183ULL << 30 },
		{ "17179869184G", NUMBER_RANGE, 0 },
		{ "0M", NUMBER_RANGE, 0 },
		{ "-1M", NUMBER_RANGE, 0 },
		{ "64KB", NUMBER_NOT, 0 },
		{ "M", NUMBER_NOT, 0 },
		{ "64 M", NUMBER_NOT, 0 },
		{ "1.5G", NUMBER_NOT, 0 },
		{ "64MM", NUMBER_NOT, 0 },
	};
	unsigned int i;

	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		uint64_t value = 0;

		assert_int_equal(number_parse_size(cases[i].text, 1, UINT64_MAX,
						   &value), cases[i].result);
		assert_int_equal(value, cases[i].value);
	}
}

TEST(percentages)
{
	static const struct {
		const char *text;
		enum number_result result;
		uint64_t value;
	} cases[] = {
		{ "0", NUMBER_OK, 0 },
		{ "1", NUMBER_OK, 100 },
		{ "1%", NUMBER_OK, 100 },
		{ "0.5", NUMBER_OK, 50 },
		{ "0.05", NUMBER_OK, 5 },
		{ "1.25%", NUMBER_OK, 125 },
		{ "50", NUMBER_OK, 5000 },
		{ "50.00", NUMBER_OK, 5000 },
		{ "50.01", NUMBER_RANGE, 4711 },
		{ "51", NUMBER_RANGE, 4711 },
		{ "-1", NUMBER_RANGE, 4711 },
		{ "-0.5", NUMBER_RANGE, 4711 },
		{ "184467440737095517", NUMBER_RANGE, 4711 },
		{ "18446744073709551616", NUMBER_RANGE, 4711 },
		{ "0.001", NUMBER_NOT, 4711 },
		{ "1.", NUMBER_NOT, 4711 },
		{ ".5", NUMBER_NOT, 4711 },
		{ "1,5", NUMBER_NOT, 4711 },
		{ "1%%", NUMBER_NOT, 4711 },
		{ "1 %", NUMBER_NOT, 4711 },
		{ "1.5.5", NUMBER_NOT, 4711 },
		{ "%", NUMBER_NOT, 4711 },
		{ "1e1", NUMBER_NOT, 4711 },
		{ "", NUMBER_NOT, 4711 },
		{ "-", NUMBER_NOT, 4711 },
	};
	unsigned int i;

	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		uint64_t value = 4711;

		assert_int_equal(number_parse_percent(cases[i].text, 5000, &value),
				 cases[i].result);
		assert_int_equal(value, cases[i].value);
	}
}
