// SPDX-License-Identifier: GPL-2.0
/* Verdicts where CPUs tell less than HITM (Ice Lake and later), and where stores tell more. */
#include <stdbool.h>

#include "ctl_judge.h"
#include "ctl_session.h"

#include "analysis/verdict.h"

static struct session s;

/*
 * Ice Lake and later: what a sibling core forwards may be modified or clean, so that
 * data which is only read looks as if it were fought over. Tiger Lake showed it of
 * sys_call_table, which is in .rodata.
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

	/* Of two threads one has set it up: its one store is no fight, nor are some of many. */
	USES(&s, { .addr = LINE, .tid = 1, .loads = 100, .fwd = 95, .stores = 1 },
	     { .addr = LINE + 8, .tid = 2, .loads = 100, .fwd = 90 });
	verdict_is(&s, VERDICT_NONE, 90, 99);
	USES(&s, { .addr = LINE, .tid = 1, .loads = 1000, .fwd = 950, .stores = 20 },
	     { .addr = LINE + 8, .tid = 2, .loads = 1000, .fwd = 900 });
	verdict_is(&s, VERDICT_NONE, 90, 99);

	/* Who writes is seen: as with HITM. */
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

	/* From another socket HITM is told from a forward. */
	USES(&s, { .addr = LINE, .tid = 1, .loads = 100, .rhitm = 60, .fwd = 30, .stores = 50 },
	     { .addr = LINE + 8, .tid = 2, .loads = 100, .rhitm = 70, .stores = 50 });
	verdict_is(&s, VERDICT_FALSE_SHARING, 95, 99);
	/* What the only one fetched whose stores were sampled, nobody is known to have written. */
	USES(&s, { .addr = LINE, .tid = 1, .loads = 100, .rhitm = 60, .fwd = 30, .stores = 50 },
	     { .addr = LINE + 8, .tid = 2, .loads = 100, .rhitm = 70 });
	verdict_is(&s, VERDICT_FALSE_SHARING, 42, 45);
}

/* Nobody loads: where stores tell that they found the line modified, the fight is seen. */
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
	/* One has nearly all of the stores: those of the other were modified by it. */
	USES(&s, { .addr = LINE, .tid = 1, .stores = 190, .store_misses = 20, .store_hitm = 20 },
	     { .addr = LINE + 8, .tid = 2, .loads = 30, .stores = 5, .store_misses = 5,
	       .store_hitm = 5 });
	verdict_is(&s, VERDICT_FALSE_SHARING, 80, 99);
}

/* Within a socket such cores forward to stores too; two that write are seen all the same. */
TEST(write_write_forwarded)
{
	USES(&s, { .addr = LINE, .tid = 1, .stores = 100, .store_misses = 40, .store_fwd = 38 },
	     { .addr = LINE + 8, .tid = 2, .stores = 100, .store_misses = 40, .store_fwd = 40 });
	verdict_is(&s, VERDICT_FALSE_SHARING, 90, 99);
	s.snap.nr_accesses = 0;
	verdict_is(&s, VERDICT_FALSE_SHARING, 0, 50);
	/* One writes what others read: what it takes from them is clean. */
	USES(&s, { .addr = LINE, .tid = 1, .stores = 20, .store_misses = 18, .store_fwd = 18 },
	     { .addr = LINE + 8, .tid = 2, .loads = 1000 },
	     { .addr = LINE + 8, .tid = 3, .loads = 1000 });
	verdict_is(&s, VERDICT_NONE, 90, 99);
}

/* What few stores show is no more than what few loads do. */
TEST(few_stores)
{
	USES(&s, { .addr = LINE, .tid = 1, .stores = 10, .store_misses = 9, .store_hitm = 9 },
	     { .addr = LINE + 8, .tid = 2, .stores = 9, .store_misses = 8, .store_hitm = 8 });
	verdict_is(&s, VERDICT_TOO_FEW, 0, 0);
	USE(&s, .addr = LINE + 8, .tid = 2, .stores = 1, .store_misses = 1, .store_hitm = 1);
	verdict_is(&s, VERDICT_FALSE_SHARING, 80, 99);
	/* One of the first, long period weighs more than all others. */
	USE(&s, .addr = LINE + 8, .tid = 2, .stores = 1, .store_misses = 1, .store_hitm = 1,
	    .period = 65536 * 1000);
	verdict_is(&s, VERDICT_TOO_FEW, 0, 0);

	/* One side of such a fight: not "one thread" of a line that came from another core. */
	USES(&s, { .addr = LINE, .tid = 1, .stores = 29, .store_misses = 2, .store_hitm = 2 });
	verdict_is(&s, VERDICT_TOO_FEW, 0, 0);
	USE(&s, .addr = LINE, .tid = 1, .stores = 1);
	verdict_is(&s, VERDICT_ONE_THREAD, 80, 90);
	USES(&s, { .addr = LINE, .tid = 1, .stores = 29, .store_misses = 2, .store_fwd = 2 });
	verdict_is(&s, VERDICT_TOO_FEW, 0, 0);
	/* And how sure that is goes by how many found it modified. */
	USES(&s, { .addr = LINE, .tid = 1, .stores = 100, .store_misses = 90, .store_hitm = 90 });
	verdict_is(&s, VERDICT_ONE_THREAD, 5, 15);
}

/* From another socket HITM is told: somebody writes, and who is not known. */
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
 * Few loads are sampled of a line that two threads fight over, where one load in many is
 * tagged; and few stores, where these fall into step with a loop. Nobody knows then.
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
	/* Of both threads' stores: the same. */
	USES(&s, { .addr = LINE, .tid = 1, .loads = 3, .hitm = 3, .stores = 9 },
	     { .addr = LINE + 8, .tid = 2, .loads = 3, .hitm = 3, .stores = 9, .store_misses = 9 });
	verdict_is(&s, VERDICT_TOO_FEW, 0, 0);
	/* HITM, if of few loads, says that somebody writes. */
	USES(&s, { .addr = LINE, .tid = 1, .loads = 20, .hitm = 5 },
	     { .addr = LINE + 8, .tid = 2, .loads = 20, .hitm = 4 });
	verdict_is(&s, VERDICT_TOO_FEW, 0, 0);
	/* A tenth of the loads at least, and not less. */
	USES(&s, { .addr = LINE, .tid = 1, .loads = 45, .hitm = 5, .stores = 50 },
	     { .addr = LINE + 8, .tid = 2, .loads = 45, .hitm = 4 });
	verdict_is(&s, VERDICT_TOO_FEW, 0, 0);
	USE(&s, .addr = LINE + 8, .tid = 2, .loads = 1);
	verdict_is(&s, VERDICT_NONE, 85, 99);

	/* So few stores may be of when it was set up, or all that were seen of a fight. */
	USES(&s, { .addr = LINE, .tid = 1, .loads = 34, .fwd = 33, .period = 17 },
	     { .addr = LINE + 8, .tid = 2, .loads = 33, .fwd = 33, .period = 17 },
	     { .addr = LINE, .tid = 1, .stores = 2, .store_misses = 2, .store_fwd = 2,
	       .period = 508 });
	verdict_is(&s, VERDICT_TOO_FEW, 0, 0);
	/* Not where they are few beside what was forwarded, tagged or not. */
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
