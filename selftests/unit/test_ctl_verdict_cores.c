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
	/* Read only; stores are sampled, or not. Nobody is said to write. */
	USES(&s, { .addr = LINE, .tid = 1, .loads = 100, .fwd = 95 },
	     { .addr = LINE + 8, .tid = 2, .loads = 100, .fwd = 90 },
	     { .addr = LINE + 16, .tid = 3, .loads = 100, .fwd = 99 });
	verdict_is(&s, VERDICT_READ_SHARED, 90, 99);
	assert_false(judge(&s, LINE).unseen_writer);
	s.snap.head.status.flags &= ~MEMLAT_F_STORES;
	verdict_is(&s, VERDICT_READ_SHARED, 90, 99);
	s.snap.nr_accesses = 0;
	verdict_is(&s, VERDICT_READ_SHARED, 40, 50);

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
	verdict_is(&s, VERDICT_FALSE_SHARING, 95, 99);
	assert_false(judge(&s, LINE).unseen_writer);
	s.snap.nr_accesses = 0;
	verdict_is(&s, VERDICT_FALSE_SHARING, 45, 50);
	USES(&s, { .addr = LINE, .tid = 1, .loads = 100, .fwd = 90 },
	     { .addr = LINE + 32, .tid = 2, .stores = 300 });
	verdict_is(&s, VERDICT_FALSE_SHARING, 95, 99);
	USES(&s, { .addr = LINE + 16, .tid = 1, .loads = 100, .fwd = 90, .stores = 50 },
	     { .addr = LINE + 16, .tid = 2, .loads = 100, .fwd = 80, .stores = 60 });
	verdict_is(&s, VERDICT_TRUE_SHARING, 95, 99);
	USES(&s, { .addr = LINE, .tid = 1, .stores = 40 },
	     { .addr = LINE, .tid = 2, .loads = 100, .fwd = 90 },
	     { .addr = LINE, .tid = 3, .loads = 100, .fwd = 90 });
	verdict_is(&s, VERDICT_READ_MOSTLY, 90, 99);

	/* Between sockets, the event of HITM differs from that of a forward. */
	USES(&s, { .addr = LINE, .tid = 1, .loads = 100, .rhitm = 60, .fwd = 30, .stores = 50 },
	     { .addr = LINE + 8, .tid = 2, .loads = 100, .rhitm = 70, .stores = 50 });
	verdict_is(&s, VERDICT_FALSE_SHARING, 95, 99);
	/* If stores of only one thread were sampled, it is not known who wrote what it fetched. */
	USES(&s, { .addr = LINE, .tid = 1, .loads = 100, .rhitm = 60, .fwd = 30, .stores = 50 },
	     { .addr = LINE + 8, .tid = 2, .loads = 100, .rhitm = 70 });
	verdict_is(&s, VERDICT_FALSE_SHARING, 42, 45);
}

/* Nobody loads. If stores report that they found the line modified, the fight is known. */
TEST(write_write)
{
	USES(&s, { .addr = LINE, .tid = 1, .stores = 100, .store_misses = 40, .store_hitm = 38 },
	     { .addr = LINE + 8, .tid = 2, .stores = 100, .store_misses = 40, .store_hitm = 40 });
	verdict_is(&s, VERDICT_FALSE_SHARING, 90, 99);
	assert_false(judge(&s, LINE).unseen_writer);
	s.snap.nr_accesses = 0;
	verdict_is(&s, VERDICT_FALSE_SHARING, 45, 50);
	USES(&s, { .addr = LINE, .tid = 1, .stores = 100, .store_misses = 40, .store_hitm = 38 },
	     { .addr = LINE, .tid = 2, .stores = 100, .store_misses = 40, .store_hitm = 40 });
	verdict_is(&s, VERDICT_TRUE_SHARING, 90, 99);
	/* Hardly ever: they write it one after the other. */
	USES(&s, { .addr = LINE, .tid = 1, .stores = 100, .store_misses = 4, .store_hitm = 4 },
	     { .addr = LINE + 8, .tid = 2, .stores = 100, .store_misses = 5, .store_hitm = 5 });
	verdict_is(&s, VERDICT_NONE, 90, 99);
	/* One thread has nearly all stores, so the other's stores found the line modified by it. */
	USES(&s, { .addr = LINE, .tid = 1, .stores = 190, .store_misses = 20, .store_hitm = 20 },
	     { .addr = LINE + 8, .tid = 2, .loads = 30, .stores = 5, .store_misses = 5,
	       .store_hitm = 5 });
	verdict_is(&s, VERDICT_FALSE_SHARING, 80, 99);
}

/* Within a socket such cores forward to stores, too. Two writers are noticed all the same. */
TEST(write_write_forwarded)
{
	USES(&s, { .addr = LINE, .tid = 1, .stores = 100, .store_misses = 40, .store_fwd = 38 },
	     { .addr = LINE + 8, .tid = 2, .stores = 100, .store_misses = 40, .store_fwd = 40 });
	verdict_is(&s, VERDICT_FALSE_SHARING, 90, 99);
	s.snap.nr_accesses = 0;
	verdict_is(&s, VERDICT_FALSE_SHARING, 0, 50);
	/* One writes what others read, so what it takes from them is clean. */
	USES(&s, { .addr = LINE, .tid = 1, .stores = 20, .store_misses = 18, .store_fwd = 18 },
	     { .addr = LINE + 8, .tid = 2, .loads = 1000 },
	     { .addr = LINE + 8, .tid = 3, .loads = 1000 });
	verdict_is(&s, VERDICT_NONE, 90, 99);
}

/* A few stores prove no more than a few loads. */
TEST(few_stores)
{
	USES(&s, { .addr = LINE, .tid = 1, .stores = 10, .store_misses = 9, .store_hitm = 9 },
	     { .addr = LINE + 8, .tid = 2, .stores = 9, .store_misses = 8, .store_hitm = 8 });
	verdict_is(&s, VERDICT_TOO_FEW, 0, 0);
	USE(&s, .addr = LINE + 8, .tid = 2, .stores = 1, .store_misses = 1, .store_hitm = 1);
	verdict_is(&s, VERDICT_FALSE_SHARING, 80, 99);
	/* One store with the long period at the beginning weighs more than all others. */
	USE(&s, .addr = LINE + 8, .tid = 2, .stores = 1, .store_misses = 1, .store_hitm = 1,
	    .period = 65536 * 1000);
	verdict_is(&s, VERDICT_TOO_FEW, 0, 0);

	/*
	 * Only one side of such a fight: not "one thread" for a line that came from another core.
	 */
	USES(&s, { .addr = LINE, .tid = 1, .stores = 29, .store_misses = 2, .store_hitm = 2 });
	verdict_is(&s, VERDICT_TOO_FEW, 0, 0);
	USE(&s, .addr = LINE, .tid = 1, .stores = 1);
	verdict_is(&s, VERDICT_ONE_THREAD, 80, 90);
	USES(&s, { .addr = LINE, .tid = 1, .stores = 29, .store_misses = 2, .store_fwd = 2 });
	verdict_is(&s, VERDICT_TOO_FEW, 0, 0);
	/* How sure it is depends on the number of stores that found the line modified. */
	USES(&s, { .addr = LINE, .tid = 1, .stores = 100, .store_misses = 90, .store_hitm = 90 });
	verdict_is(&s, VERDICT_ONE_THREAD, 5, 15);
}

/* HITM from another socket is reported: somebody writes, but it is not known who. */
TEST(unseen)
{
	USES(&s, { .addr = LINE, .tid = 1, .loads = 100, .rhitm = 60, .fwd = 40 },
	     { .addr = LINE + 8, .tid = 2, .loads = 100, .rhitm = 60, .fwd = 40 });
	verdict_is(&s, VERDICT_UNSEEN, 58, 60);
	assert_true(judge(&s, LINE).unseen_writer);
	s.snap.head.status.flags &= ~MEMLAT_F_STORES;
	verdict_is(&s, VERDICT_UNSEEN, 58, 60);
	s.snap.nr_accesses = 0;
	verdict_is(&s, VERDICT_UNSEEN, 45, 50);
}

/*
 * Two threads fight over a line, but few of its loads are sampled if one load in many is tagged,
 * and few stores if the period is in step with a loop. Then nothing is known.
 */
TEST(few_forwards)
{
	/* Every load came from the other core; they are one short of enough to say so. */
	USES(&s, { .addr = LINE, .tid = 1, .loads = 4, .fwd = 4, .period = 17 },
	     { .addr = LINE + 8, .tid = 2, .loads = 5, .fwd = 5, .period = 17 },
	     { .addr = LINE, .tid = 1, .stores = 26, .store_misses = 12, .store_fwd = 12,
	       .period = 508 });
	verdict_is(&s, VERDICT_TOO_FEW, 0, 0);
	USE(&s, .addr = LINE + 8, .tid = 2, .loads = 1, .fwd = 1, .period = 17);
	verdict_is(&s, VERDICT_FALSE_SHARING, 50, 99);
	/* Stores of both threads: the same. */
	USES(&s, { .addr = LINE, .tid = 1, .loads = 3, .hitm = 3, .stores = 9 },
	     { .addr = LINE + 8, .tid = 2, .loads = 3, .hitm = 3, .stores = 9, .store_misses = 9 });
	verdict_is(&s, VERDICT_TOO_FEW, 0, 0);
	/* HITM, even of few loads, shows that somebody writes. */
	USES(&s, { .addr = LINE, .tid = 1, .loads = 20, .hitm = 5 },
	     { .addr = LINE + 8, .tid = 2, .loads = 20, .hitm = 4 });
	verdict_is(&s, VERDICT_TOO_FEW, 0, 0);
	/* At least a tenth of the loads. */
	USES(&s, { .addr = LINE, .tid = 1, .loads = 45, .hitm = 5, .stores = 50 },
	     { .addr = LINE + 8, .tid = 2, .loads = 45, .hitm = 4 });
	verdict_is(&s, VERDICT_TOO_FEW, 0, 0);
	USE(&s, .addr = LINE + 8, .tid = 2, .loads = 1);
	verdict_is(&s, VERDICT_NONE, 85, 99);

	/* So few stores may have prepared the line, or be all that was sampled of a fight. */
	USES(&s, { .addr = LINE, .tid = 1, .loads = 34, .fwd = 33, .period = 17 },
	     { .addr = LINE + 8, .tid = 2, .loads = 33, .fwd = 33, .period = 17 },
	     { .addr = LINE, .tid = 1, .stores = 2, .store_misses = 2, .store_fwd = 2,
	       .period = 508 });
	verdict_is(&s, VERDICT_TOO_FEW, 0, 0);
	/* Not if they are few compared with the forwarded loads, tagged or not. */
	USE(&s, .addr = LINE + 8, .tid = 2, .loads = 540, .fwd = 540, .period = 17);
	USE(&s, .addr = LINE, .tid = 1, .loads = 100, .fwd = 100, .period = 17);
	verdict_is(&s, VERDICT_NONE, 90, 99);
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
	verdict_is(&s, VERDICT_FALSE_SHARING, 95, 99);
	assert_int_equal(judge_knowing(&s, lock_of_40, NULL, NULL).verdict, VERDICT_LOCK);
	USES(&s, { .addr = LINE, .tid = 1, .stores = 190, .store_misses = 20, .store_hitm = 20 },
	     { .addr = LINE + 8, .tid = 2, .stores = 5, .store_misses = 5, .store_hitm = 5 });
	assert_int_equal(judge_knowing(&s, lock_of_40, NULL, NULL).verdict, VERDICT_LOCK);
}
