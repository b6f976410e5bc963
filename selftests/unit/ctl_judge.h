/* SPDX-License-Identifier: GPL-2.0 */
/* The verdict about one line of a constructed snapshot. */
#ifndef CTL_JUDGE_H
#define CTL_JUDGE_H

#include "ctl_session.h"

#include "analysis/evidence.h"
#include "analysis/verdict.h"

/* Verdicts on all lines of a snapshot; one at a time. */
struct verdicts *verdicts_begin(const struct snapshot *snap);
void verdicts_end(struct verdicts *verdicts);

/* About the line at an address of this process; without its parties. */
struct verdict_line judge(struct session *session, __u64 addr);
/* The same where this is known of locks and of widths. */
struct verdict_line judge_knowing(struct session *session, verdict_lock_fn is_lock, void *context,
				  lineset_width_fn width, __u64 addr);

/* The verdict about LINE is this one, and so many percent sure. */
void verdict_is(struct session *session, enum verdict verdict, unsigned int least,
		unsigned int most);

#endif
