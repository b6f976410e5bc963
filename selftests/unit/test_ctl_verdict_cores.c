// SPDX-License-Identifier: GPL-2.0
/*
 * Verdicts on CPUs that report less than HITM (Ice Lake and later), and with stores that report
 * more.
 */
#include <stdbool.h>

#include "ctl_judge.h"
#include "ctl_session.h"

#include "analysis/verdict.h"

static struct session s;

/*
 * Since Ice Lake, a line that a sibling core forwards may be modified or clean. So data that is
 * only read looks as if it were contended. Tiger Lake showed that with sys_call_table, which is in
 * .rodata.
 */
TEST(forwarded)
{
	/* Read only, or written by somebody who was not sampled: nothing is said. Stores are sampled, or not. */
	USES(&s, { .addr = LINE, .tid = 1, .loads = 100, .fwd = 95 },
	     { .addr = LINE + 8, .tid = 2, .loads = 100, .fwd = 90 },
	     { .addr = LINE + 16, .tid = 3, .loads = 100, .fwd = 99 });
	verdict_is(&s, VERDICT_TOO_FEW, 0, 0);
	assert_false(judge(&s, LINE).unseen_writer);
	s.snap.head.status.flags &= ~MEMLAT_F_STORES;
	verdict_is(&s, VERDICT_TOO_FEW, 0, 0);

	/* Stores elsewhere were, so of this line's some would have been, if it were not clean. */
	USES(&s, { .addr = LINE, .tid = 1, .loads = 100, .fwd = 95 },
	     { .addr = LINE + 8, .tid = 2, .loads = 100, .fwd = 90 },
	     { .addr = LINE + 4096, .tid = 3, .stores = 100 });
	verdict_is(&s, VERDICT_READ_SHARED, 90, 99);
	/* But not if a sample stands for so many that they suffice for these loads. */
	USES(&s, { .addr = LINE, .tid = 1, .loads = 100, .fwd = 95 },
	     { .addr = LINE + 8, .tid = 2, .loads = 100, .fwd = 90 },
	     { .addr = LINE + 4096, .tid = 3, .stores = 100, .store_period = 7000 });
	verdict_is(&s, VERDICT_TOO_FEW, 0, 0);

	/* The same where the CPU tells that the copies were clean. */
	USES(&s, { .addr = LINE, .tid = 1, .loads = 100, .snoop = 95 },
	     { .addr = LINE + 8, .tid = 2, .loads = 100, .snoop = 90 },
	     { .addr = LINE + 16, .tid = 3, .loads = 100, .snoop = 99 });
	verdict_is(&s, VERDICT_TOO_FEW, 0, 0);
	assert_false(judge(&s, LINE).unseen_writer);

	/*
	 * One of two threads prepared the line. Its one store is no fight, and neither are a few
	 * among many loads.
	 */
	USES(&s, { .addr = LINE, .tid = 1, .loads = 100, .fwd = 95, .stores = 1 },
	     { .addr = LINE + 8, .tid = 2, .loads = 100, .fwd = 90 });
	verdict_is(&s, VERDICT_NONE, 90, 99);
	USES(&s, { .addr = LINE, .tid = 1, .loads = 1000, .fwd = 950, .stores = 20 },
	     { .addr = LINE + 8, .tid = 2, .loads = 1000, .fwd = 900 });
	verdict_is(&s, VERDICT_NONE, 90, 99);

	/* The writer is known, so it is as with HITM. */
	USES(&s, { .addr = LINE, .tid = 1, .loads = 100, .fwd = 90, .stores = 50 },
	     { .addr = LINE + 8, .tid = 2, .loads = 100, .fwd = 80, .stores = 60 });
	verdict_is(&s, VERDICT_FALSE_SHARING, 85, 99);
	assert_false(judge(&s, LINE).unseen_writer);
	USES(&s, { .addr = LINE, .tid = 1, .loads = 100, .fwd = 90 },
	     { .addr = LINE + 32, .tid = 2, .stores = 300 });
	verdict_is(&s, VERDICT_FALSE_SHARING, 85, 99);
	USES(&s, { .addr = LINE + 16, .tid = 1, .loads = 100, .fwd = 90, .stores = 50 },
	     { .addr = LINE + 16, .tid = 2, .loads = 100, .fwd = 80, .stores = 60 });
	verdict_is(&s, VERDICT_TRUE_SHARING, 85, 99);
	USES(&s, { .addr = LINE, .tid = 1, .stores = 40 },
	     { .addr = LINE, .tid = 2, .loads = 100, .fwd = 90 },
	     { .addr = LINE, .tid = 3, .loads = 100, .fwd = 90 });
	verdict_is(&s, VERDICT_READ_MOSTLY, 80, 99);

	/* Between sockets, the event of HITM differs from that of a forward. */
	USES(&s, { .addr = LINE, .tid = 1, .loads = 100, .rhitm = 60, .fwd = 30, .stores = 50 },
	     { .addr = LINE + 8, .tid = 2, .loads = 100, .rhitm = 70, .stores = 50 });
	verdict_is(&s, VERDICT_FALSE_SHARING, 85, 99);
	/* With stores of one thread alone. */
	USES(&s, { .addr = LINE, .tid = 1, .loads = 100, .rhitm = 60, .fwd = 30, .stores = 50 },
	     { .addr = LINE + 8, .tid = 2, .loads = 100, .rhitm = 70 });
	verdict_is(&s, VERDICT_FALSE_SHARING, 80, 99);
}

/* Nobody was seen to load: the stores decide. */
TEST(write_write)
{
	USES(&s, { .addr = LINE, .tid = 1, .stores = 100, .store_misses = 40, .store_hitm = 38 },
	     { .addr = LINE + 8, .tid = 2, .stores = 100, .store_misses = 40, .store_hitm = 40 });
	verdict_is(&s, VERDICT_FALSE_SHARING, 60, 99);
	assert_false(judge(&s, LINE).unseen_writer);
	USES(&s, { .addr = LINE, .tid = 1, .stores = 100, .store_misses = 40, .store_fwd = 38 },
	     { .addr = LINE, .tid = 2, .stores = 100, .store_misses = 40, .store_fwd = 40 });
	verdict_is(&s, VERDICT_TRUE_SHARING, 70, 99);
	/* One writes what others read, so what it takes from them is clean. */
	USES(&s, { .addr = LINE, .tid = 1, .stores = 20, .store_misses = 18, .store_fwd = 18 },
	     { .addr = LINE + 8, .tid = 2, .loads = 1000 },
	     { .addr = LINE + 8, .tid = 3, .loads = 1000 });
	verdict_is(&s, VERDICT_NONE, 90, 99);
	/* One store with the long period at the beginning weighs more than all others. */
	USES(&s, { .addr = LINE, .tid = 1, .stores = 10, .store_misses = 9, .store_hitm = 9 },
	     { .addr = LINE, .tid = 2, .stores = 10, .store_misses = 9, .store_hitm = 9 },
	     { .addr = LINE, .tid = 2, .stores = 1, .store_misses = 1, .store_hitm = 1,
	       .period = 65536 * 1000 });
	verdict_is(&s, VERDICT_TOO_FEW, 0, 0);
	/* Only one side of such a fight: not "one thread". */
	USES(&s, { .addr = LINE, .tid = 1, .stores = 100, .store_misses = 90, .store_hitm = 90 });
	verdict_is(&s, VERDICT_TOO_FEW, 0, 0);
}

/* HITM from another socket is reported: somebody writes, but it is not known who. */
TEST(unseen)
{
	USES(&s, { .addr = LINE, .tid = 1, .loads = 100, .rhitm = 60, .fwd = 40 },
	     { .addr = LINE + 8, .tid = 2, .loads = 100, .rhitm = 60, .fwd = 40 });
	verdict_is(&s, VERDICT_UNSEEN, 58, 99);
	assert_true(judge(&s, LINE).unseen_writer);
	s.snap.head.status.flags &= ~MEMLAT_F_STORES;
	verdict_is(&s, VERDICT_UNSEEN, 58, 99);
}

static bool lock_of_40(void *context, const struct memlat_rec_access *access,
		       struct verdict_lock *lock)
{
	(void)context;
	*lock = (struct verdict_lock){ LINE, 40, false };
	return access->addr - LINE < 40;
}

/* A lock is one thing too where its line is only forwarded, and where nobody but stores tells. */
TEST(locks)
{
	USES(&s, { .addr = LINE, .tid = 1, .loads = 100, .fwd = 90, .stores = 50 },
	     { .addr = LINE + 8, .tid = 2, .loads = 100, .fwd = 80, .stores = 60 });
	verdict_is(&s, VERDICT_FALSE_SHARING, 85, 99);
	assert_int_equal(judge_knowing(&s, lock_of_40, NULL, NULL, LINE).verdict, VERDICT_LOCK);
	USES(&s, { .addr = LINE, .tid = 1, .stores = 190, .store_misses = 20, .store_hitm = 20 },
	     { .addr = LINE + 8, .tid = 2, .stores = 5, .store_misses = 5, .store_hitm = 5 });
	assert_int_equal(judge_knowing(&s, lock_of_40, NULL, NULL, LINE).verdict, VERDICT_LOCK);
}
