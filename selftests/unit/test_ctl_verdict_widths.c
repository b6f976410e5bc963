// SPDX-License-Identifier: GPL-2.0
/* Verdicts where the instructions tell how many bytes they access. */
#include "ctl_judge.h"

#define UNKNOWN	99

/* Here the address of an instruction is its width. */
static unsigned int by_ip(void *context, const struct memlat_rec_access *access)
{
	(void)context;
	return access->ip == UNKNOWN ? 0 : (unsigned int)access->ip;
}

static struct verdict_line two_at(__u64 first, __u64 width, __u64 second, __u64 other)
{
	struct session s;

	USES(&s, { .addr = LINE + first, .tid = 1, .loads = 100, .hitm = 100, .stores = 100,
		   .ip = width },
	     { .addr = LINE + second, .tid = 2, .loads = 100, .hitm = 100, .stores = 100,
	       .ip = other });
	return judge_knowing(&s, NULL, NULL, by_ip, LINE);
}

/* There is almost no doubt. */
static void surely(struct verdict_line found, enum verdict verdict)
{
	assert_int_equal(found.verdict, verdict);
	assert_true(found.sure >= 80);
}

TEST(neighbours_in_eight_bytes)
{
	surely(two_at(0, 4, 4, 4), VERDICT_FALSE_SHARING);
	/* The order in memory does not matter. */
	surely(two_at(6, 2, 2, 4), VERDICT_FALSE_SHARING);
}

TEST(a_part_of_the_whole)
{
	surely(two_at(0, 8, 4, 4), VERDICT_TRUE_SHARING);
	assert_int_equal(two_at(7, 1, 4, 4).verdict, VERDICT_TRUE_SHARING);
}

TEST(the_lower_one_decides)
{
	struct verdict_line found;

	/* The upper one's width does not show where the lower one ends. */
	found = two_at(0, UNKNOWN, 4, 4);
	assert_int_equal(found.few, VERDICT_FEW_UNDECIDED);
	assert_true(found.sure <= 60);
	surely(two_at(0, 4, 4, UNKNOWN), VERDICT_FALSE_SHARING);
	/* An aligned operand that begins here ends before the upper one. */
	surely(two_at(4, UNKNOWN, 8, 8), VERDICT_FALSE_SHARING);
	surely(two_at(2, UNKNOWN, 4, 4), VERDICT_FALSE_SHARING);
	assert_int_equal(two_at(4, UNKNOWN, 6, 2).few, VERDICT_FEW_UNDECIDED);
}

/* An access over the line's end is to the next line, too, and what it meets there is no fight here. */
TEST(over_the_end)
{
	struct verdict_line found;
	struct session s;

	USES(&s, { .addr = LINE + 60, .tid = 1, .loads = 100, .hitm = 90, .stores = 100, .ip = 8 },
	     { .addr = LINE + 68, .tid = 2, .loads = 100, .hitm = 90, .stores = 100, .ip = 4 });
	surely(judge_knowing(&s, NULL, NULL, by_ip, LINE + 64), VERDICT_FALSE_SHARING);
	found = judge_knowing(&s, NULL, NULL, by_ip, LINE);
	surely(found, VERDICT_ONE_THREAD);
	assert_true(found.crosses);

	/* Its last four bytes are what the other thread uses. */
	USES(&s, { .addr = LINE + 60, .tid = 1, .loads = 100, .hitm = 90, .stores = 100, .ip = 8 },
	     { .addr = LINE + 64, .tid = 2, .loads = 100, .hitm = 90, .stores = 100, .ip = 4 });
	surely(judge_knowing(&s, NULL, NULL, by_ip, LINE + 64), VERDICT_TRUE_SHARING);

	/* One that ends with its line meets nothing there: the prefetcher brings both lines. */
	USES(&s, { .addr = LINE + 60, .tid = 1, .loads = 100, .hitm = 90, .stores = 100, .ip = 4 },
	     { .addr = LINE + 64, .tid = 2, .loads = 100, .hitm = 90, .stores = 100, .ip = 4 });
	assert_int_equal(judge_knowing(&s, NULL, NULL, by_ip, LINE).verdict, VERDICT_ADJACENT);
}
