/* SPDX-License-Identifier: GPL-2.0 */
/* The verdict of one line of a constructed snapshot. */
#ifndef CTL_JUDGE_H
#define CTL_JUDGE_H

#include "ctl_session.h"

#include "analysis/verdict.h"

/* About the line at an address of this process; without its parties. */
struct verdict_line judge(struct session *session, __u64 addr);

/* About LINE: this verdict, and so many percent sure. */
void verdict_is(struct session *session, enum verdict verdict, unsigned int least,
		unsigned int most);

#endif
