// SPDX-License-Identifier: GPL-2.0
#include "ctl_judge.h"

struct verdict_line judge(struct session *session, __u64 addr)
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
