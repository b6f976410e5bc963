/* SPDX-License-Identifier: GPL-2.0 */
/* Run all programs, each in a session of its own. */
#ifndef MEMLAT_SELFTEST_H
#define MEMLAT_SELFTEST_H

#include "judge.h"

/* Called before each run, to tell the user. */
typedef void selftest_progress(const char *name);

/*
 * Returns 0, or -errno if nothing could be begun. A refused start ends the selftest; then *refused
 * is that run, otherwise NULL. flags: MEMLAT_F_NO_GUESTS or 0.
 */
int selftest_run(struct selftest *test, int device, const struct memlat_query *query,
		 __u32 flags, selftest_progress *progress, const struct sample **refused);
void selftest_free(struct selftest *test);

#endif
