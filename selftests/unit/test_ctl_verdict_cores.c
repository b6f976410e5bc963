// SPDX-License-Identifier: GPL-2.0
/* Verdicts where CPUs tell less than HITM (Ice Lake and later), and where stores tell more. */
#include <stdbool.h>

#include "ctl_session.h"

#include "lib/verdict.h"

/* The verdict about the line at an address of this process. */
static struct verdict_line judge(struct session *session, __u64 addr)
{
	struct verdicts *verdicts = verdicts_new(&session->snap);
	const struct verdict_line *verdict;
	struct verdict_line copy;

	assert_non_null(verdicts);
	verdict = verdict_of(verdicts, session_line(session, addr, PID, 0));
	assert_non_null(verdict);
	/* The same answer again, and not made anew. */
	assert_ptr_equal(verdict, verdict_of(verdicts, session_line(session, addr, PID, 0)));
	copy = *verdict;
	copy.parties = NULL;
	verdicts_free(verdicts);
	return copy;
}

static void is(struct session *session, enum verdict verdict, unsigned int least,
	       unsigned int most)
{
	struct verdict_line found = judge(session, LINE);

	if (found.verdict != verdict)
		fail_msg("%s, not %s", verdict_key(found.verdict), verdict_key(verdict));
	if (found.sure < least || found.sure > most)
		fail_msg("%s is %u%% sure, not %u..%u", verdict_key(verdict), found.sure,
			 least, most);
}

/*
 * Ice Lake and later: what a sibling core forwards may be modified or clean, so that
 * data which is only read looks as if it were fought over. Tiger Lake showed it of
 * sys_call_table, which is in .rodata.
 */
static void forwarded(void **state)
{
	struct session s;

	(void)state;
	/* Read only; stores are sampled, or not. Nobody is said to write. */
	session_init(&s);
	USE(&s, .addr = LINE, .tid = 1, .loads = 100, .fwd = 95);
	USE(&s, .addr = LINE + 8, .tid = 2, .loads = 100, .fwd = 90);
	USE(&s, .addr = LINE + 16, .tid = 3, .loads = 100, .fwd = 99);
	is(&s, VERDICT_READ_SHARED, 90, 99);
	assert_false(judge(&s, LINE).unseen_writer);
	s.snap.head.status.flags &= ~MEMLAT_F_STORES;
	is(&s, VERDICT_READ_SHARED, 90, 99);
	s.snap.nr_accesses = 0;
	is(&s, VERDICT_READ_SHARED, 40, 50);

	/* Of two threads one has set it up: its one store is no fight, nor are some of many. */
	session_init(&s);
	USE(&s, .addr = LINE, .tid = 1, .loads = 100, .fwd = 95, .stores = 1);
	USE(&s, .addr = LINE + 8, .tid = 2, .loads = 100, .fwd = 90);
	is(&s, VERDICT_NONE, 90, 99);
	session_init(&s);
	USE(&s, .addr = LINE, .tid = 1, .loads = 1000, .fwd = 950, .stores = 20);
	USE(&s, .addr = LINE + 8, .tid = 2, .loads = 1000, .fwd = 900);
	is(&s, VERDICT_NONE, 90, 99);

	/* Who writes is seen: as with HITM. */
	session_init(&s);
	USE(&s, .addr = LINE, .tid = 1, .loads = 100, .fwd = 90, .stores = 50);
	USE(&s, .addr = LINE + 8, .tid = 2, .loads = 100, .fwd = 80, .stores = 60);
	is(&s, VERDICT_FALSE_SHARING, 95, 99);
	assert_false(judge(&s, LINE).unseen_writer);
	s.snap.nr_accesses = 0;
	is(&s, VERDICT_FALSE_SHARING, 45, 50);
	session_init(&s);
	USE(&s, .addr = LINE, .tid = 1, .loads = 100, .fwd = 90);
	USE(&s, .addr = LINE + 32, .tid = 2, .stores = 300);
	is(&s, VERDICT_FALSE_SHARING, 95, 99);
	session_init(&s);
	USE(&s, .addr = LINE + 16, .tid = 1, .loads = 100, .fwd = 90, .stores = 50);
	USE(&s, .addr = LINE + 16, .tid = 2, .loads = 100, .fwd = 80, .stores = 60);
	is(&s, VERDICT_TRUE_SHARING, 95, 99);
	session_init(&s);
	USE(&s, .addr = LINE, .tid = 1, .stores = 40);
	USE(&s, .addr = LINE, .tid = 2, .loads = 100, .fwd = 90);
	USE(&s, .addr = LINE, .tid = 3, .loads = 100, .fwd = 90);
	is(&s, VERDICT_READ_MOSTLY, 90, 99);

	/* From another socket HITM is told from a forward. */
	session_init(&s);
	USE(&s, .addr = LINE, .tid = 1, .loads = 100, .rhitm = 60, .fwd = 30, .stores = 50);
	USE(&s, .addr = LINE + 8, .tid = 2, .loads = 100, .rhitm = 70, .stores = 50);
	is(&s, VERDICT_FALSE_SHARING, 95, 99);
	/* What the only one fetched whose stores were sampled, nobody is known to have written. */
	session_init(&s);
	USE(&s, .addr = LINE, .tid = 1, .loads = 100, .rhitm = 60, .fwd = 30, .stores = 50);
	USE(&s, .addr = LINE + 8, .tid = 2, .loads = 100, .rhitm = 70);
	is(&s, VERDICT_FALSE_SHARING, 42, 45);
}

/* Nobody loads: where stores tell that they found the line modified, the fight is seen. */
static void write_write(void **state)
{
	struct session s;

	(void)state;
	session_init(&s);
	USE(&s, .addr = LINE, .tid = 1, .stores = 100, .store_misses = 40, .store_hitm = 38);
	USE(&s, .addr = LINE + 8, .tid = 2, .stores = 100, .store_misses = 40, .store_hitm = 40);
	is(&s, VERDICT_FALSE_SHARING, 90, 99);
	assert_false(judge(&s, LINE).unseen_writer);
	s.snap.nr_accesses = 0;
	is(&s, VERDICT_FALSE_SHARING, 45, 50);
	session_init(&s);
	USE(&s, .addr = LINE, .tid = 1, .stores = 100, .store_misses = 40, .store_hitm = 38);
	USE(&s, .addr = LINE, .tid = 2, .stores = 100, .store_misses = 40, .store_hitm = 40);
	is(&s, VERDICT_TRUE_SHARING, 90, 99);
	/* Hardly ever: they write it one after the other. */
	session_init(&s);
	USE(&s, .addr = LINE, .tid = 1, .stores = 100, .store_misses = 4, .store_hitm = 4);
	USE(&s, .addr = LINE + 8, .tid = 2, .stores = 100, .store_misses = 5, .store_hitm = 5);
	is(&s, VERDICT_NONE, 90, 99);
	/* One has nearly all of the stores: those of the other were modified by it. */
	session_init(&s);
	USE(&s, .addr = LINE, .tid = 1, .stores = 190, .store_misses = 20, .store_hitm = 20);
	USE(&s, .addr = LINE + 8, .tid = 2, .loads = 30, .stores = 5, .store_misses = 5,
	    .store_hitm = 5);
	is(&s, VERDICT_FALSE_SHARING, 80, 99);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(forwarded),
		cmocka_unit_test(write_write),
	};

	return cmocka_run_group_tests_name("verdict_cores", tests, NULL, NULL);
}
