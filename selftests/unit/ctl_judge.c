// SPDX-License-Identifier: GPL-2.0
#include "ctl_judge.h"

#include "analysis/lineset.h"
#include "views/c2c.h"

static struct lineset *set;

struct verdicts *verdicts_begin(const struct snapshot *snap)
{
	set = lineset_new(snap, NULL, MEMLAT_LINE_BYTES);
	return verdicts_of_set(set);
}

void verdicts_end(struct verdicts *verdicts)
{
	verdicts_free(verdicts);
	lineset_free(set);
}

/* Ends the verdicts. */
static struct verdict_line verdict_at(struct verdicts *verdicts, struct session *session,
				      __u64 addr)
{
	const struct verdict_line *verdict;
	struct verdict_line copy;

	verdict = verdict_of(verdicts, session_line(session, addr, PID, 0));
	assert_non_null(verdict);
	/* The second answer is the same object, not a new one. */
	assert_ptr_equal(verdict, verdict_of(verdicts, session_line(session, addr, PID, 0)));
	if (c2c_is_fight(verdict->verdict))
		assert_true(verdict_may_be_fight(verdicts, session_line(session, addr, PID, 0)));
	copy = *verdict;
	copy.parties = NULL;
	verdicts_end(verdicts);
	return copy;
}

struct verdict_line judge(struct session *session, __u64 addr)
{
	return verdict_at(verdicts_begin(&session->snap), session, addr);
}

struct verdict_line judge_knowing(struct session *session, verdict_lock_fn is_lock, void *context,
				  lineset_width_fn width, __u64 addr)
{
	struct verdicts *verdicts = verdicts_begin(&session->snap);

	verdicts_know_locks(verdicts, is_lock, context);
	lineset_know_widths(set, width, NULL);
	return verdict_at(verdicts, session, addr);
}

void verdict_is(struct session *session, enum verdict verdict, unsigned int least,
		unsigned int most)
{
	struct verdict_line found = judge(session, LINE);

	if (found.verdict != verdict)
		fail_msg("%s, not %s", verdict_key(found.verdict), verdict_key(verdict));
	if (found.sure < least || found.sure > most)
		fail_msg("%s is %u%% sure, not %u..%u", verdict_key(verdict), found.sure,
			 least, most);
}
