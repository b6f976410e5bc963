// SPDX-License-Identifier: GPL-2.0
/* Verdicts if names of data or code show that a line has locks. */
#include <stdbool.h>

#include "ctl_judge.h"

/* Locks here: a word at +0, with its owner and count at +8 and +12. */
static bool mutex_at_line(void *context, const struct memlat_rec_access *access,
			  struct verdict_lock *lock)
{
	(void)context;
	*lock = (struct verdict_lock){ LINE, 40, false };
	return access->addr - LINE < 40;
}

/* Code shows that there is a lock, but not where it begins. */
static bool lock_code(void *context, const struct memlat_rec_access *access,
		      struct verdict_lock *lock)
{
	*lock = (struct verdict_lock){ access->addr, *(__u64 *)context, false };
	return true;
}

/* It is no lock, but it is written and read as one thing. */
static bool clock_at_line(void *context, const struct memlat_rec_access *access,
			  struct verdict_lock *lock)
{
	(void)context;
	*lock = (struct verdict_lock){ LINE, 56, true };
	return access->addr - LINE < 56;
}

static struct verdict_line judge_locks(struct session *session, verdict_lock_fn is_lock,
				       __u64 bytes)
{
	return judge_knowing(session, is_lock, &bytes, NULL, LINE);
}

/* Fields of one lock are one thing. Those of two locks in one line are not. */
TEST(locks)
{
	struct verdict_line found, more;
	struct session s;

	USES(&s, { .addr = LINE, .tid = 1, .loads = 100, .hitm = 90, .stores = 50 },
	     { .addr = LINE + 8, .tid = 1, .stores = 50 },
	     { .addr = LINE + 12, .tid = 2, .loads = 100, .hitm = 80, .stores = 60 },
	     { .addr = LINE, .tid = 2, .loads = 10, .hitm = 8, .stores = 60 });
	assert_int_not_equal(judge_locks(&s, NULL, 0).verdict, VERDICT_LOCK);
	found = judge_locks(&s, mutex_at_line, 0);
	assert_int_equal(found.verdict, VERDICT_LOCK);
	assert_in_range(found.locked, 85, 100);
	assert_false(found.both);
	assert_true(found.sure >= 85);
	assert_int_equal(judge_locks(&s, lock_code, 40).verdict, VERDICT_LOCK);

	/* The more readers of other bytes, the more of the fight is apart. */
	USE(&s, .addr = LINE + 48, .tid = 3, .loads = 130, .hitm = 120);
	more = judge_locks(&s, mutex_at_line, 0);
	assert_true(more.apart > found.apart);
	USE(&s, .addr = LINE + 56, .tid = 4, .loads = 400, .hitm = 400);
	assert_true(judge_locks(&s, mutex_at_line, 0).apart > more.apart);
	/* Spinlocks of 4 bytes, 8 bytes apart. */
	USES(&s, { .addr = LINE, .tid = 1, .loads = 100, .hitm = 90, .stores = 50 },
	     { .addr = LINE + 8, .tid = 2, .loads = 100, .hitm = 80, .stores = 60 });
	assert_int_equal(judge_locks(&s, lock_code, 4).verdict, VERDICT_FALSE_SHARING);
	assert_int_equal(judge_locks(&s, lock_code, 40).verdict, VERDICT_LOCK);
}

/*
 * The tick interrupts any thread and writes all of a clock, and others read all of it. By threads
 * there are many writers, but never of different things in one line.
 */
TEST(written_together)
{
	struct verdict_line found;
	struct session s;

	USES(&s, { .addr = LINE, .tid = 1, .loads = 20, .hitm = 8, .stores = 1 },
	     { .addr = LINE + 16, .tid = 2, .loads = 20, .hitm = 8, .stores = 1 },
	     { .addr = LINE + 40, .tid = 3, .loads = 20, .hitm = 8, .stores = 1 },
	     { .addr = LINE + 24, .tid = 4, .loads = 20, .hitm = 8 });
	assert_int_equal(judge_locks(&s, NULL, 0).verdict, VERDICT_FALSE_SHARING);
	found = judge_locks(&s, clock_at_line, 0);
	assert_int_equal(found.verdict, VERDICT_TRUE_SHARING);
	assert_in_range(found.same, 85, 100);
	assert_int_equal(found.locked, 0);
	assert_false(found.both);

	/* A thread that writes something else in that line is reported as usual. */
	USE(&s, .addr = LINE + 56, .tid = 5, .stores = 200, .store_misses = 200);
	assert_int_equal(judge_locks(&s, clock_at_line, 0).verdict, VERDICT_FALSE_SHARING);
}
