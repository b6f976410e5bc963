/* SPDX-License-Identifier: GPL-2.0 */
/* All programs, one session after the other. */
#ifndef MEMLAT_SELFTEST_H
#define MEMLAT_SELFTEST_H

#include "judge.h"

/* Called before each run, for who waits. */
typedef void selftest_progress(const char *name);

/*
 * 0, or -errno where nothing could be begun. A start that was refused ends it: then
 * *refused is that run, else NULL. flags: MEMLAT_F_NO_GUESTS or 0.
 */
int selftest_run(struct selftest *test, int device, const struct memlat_query *query,
		 __u32 flags, selftest_progress *progress, const struct sample **refused);
void selftest_free(struct selftest *test);

#endif
