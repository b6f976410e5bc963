// SPDX-License-Identifier: GPL-2.0
/* The line that shows the progress of something that takes long. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "ctl_test.h"

#include "util/screen.h"

#define SECOND	1000000000ULL
#define NEVER	(~0ULL)

static char text[4096];

/* What standard error gets in the meantime, if it is a terminal or a file. */
static const char *said(bool terminal, void (*act)(void))
{
	char path[] = "/tmp/memlat-waiting-XXXXXX";
	int kept = dup(STDERR_FILENO), here, end = -1;
	size_t taken = 0;
	ssize_t got;

	if (terminal) {
		here = posix_openpt(O_RDWR | O_NOCTTY);
		assert_true(here >= 0);
		assert_int_equal(grantpt(here), 0);
		assert_int_equal(unlockpt(here), 0);
		end = open(ptsname(here), O_RDWR | O_NOCTTY);
	} else {
		here = mkstemp(path);
		assert_true(here >= 0);
		unlink(path);
		end = dup(here);
	}
	assert_true(end >= 0);
	dup2(end, STDERR_FILENO);
	act();
	dup2(kept, STDERR_FILENO);
	close(end);
	if (!terminal)
		lseek(here, 0, SEEK_SET);
	/*
	 * A kernel worker delivers what is written to a terminal, so one read may return before the
	 * last part comes. When the last writer has closed a terminal, read() fails with EIO.
	 */
	while ((got = read(here, text + taken, sizeof(text) - 1 - taken)) > 0)
		taken += (size_t)got;
	text[taken] = '\0';
	close(here);
	close(kept);
	return text;
}

static __u64 now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (__u64)time.tv_sec * SECOND + (__u64)time.tv_nsec;
}

/* On a busy host, seconds may pass between any two lines of this. So set the times here. */
static void quick(void)
{
	struct waiting waiting;

	waiting_begin(&waiting, "looking", 10);
	waiting.due = waiting.due ? NEVER : 0;
	waiting_step(&waiting, 5);
	waiting_end(&waiting);
}

/* A second has passed, but not another one. */
static void slow(void)
{
	struct waiting waiting;

	waiting_begin(&waiting, "looking", 12345);
	waiting.due = waiting.due ? 1 : 0;
	waiting_step(&waiting, 1234);
	waiting.due = waiting.due > 1 ? NEVER : 0;
	waiting_step(&waiting, 1235);
	waiting_end(&waiting);
}

static void due_after_a_second(void)
{
	const __u64 before = now();
	struct waiting waiting;

	waiting_begin(&waiting, "looking", 10);
	assert_in_range(waiting.due, before + SECOND, now() + SECOND);
	waiting.due = 1;
	waiting_step(&waiting, 5);
	assert_in_range(waiting.due, before + SECOND, now() + SECOND);
	waiting_end(&waiting);
}

TEST(each_line_is_due_a_second_after_the_one_before)
{
	said(true, due_after_a_second);
}

TEST(nothing_within_a_second)
{
	assert_string_equal(said(true, quick), "");
}

TEST(how_far_it_is_and_then_nothing)
{
	assert_string_equal(said(true, slow), "\r\033[Klooking: 1,234 of 12,345\r\033[K");
}

TEST(no_terminal_no_line)
{
	assert_string_equal(said(false, slow), "");
}
