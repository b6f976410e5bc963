/* SPDX-License-Identifier: GPL-2.0 */
/* What a session has, with all that names it, into a file. */
#ifndef MEMLAT_TAKE_H
#define MEMLAT_TAKE_H

#include <stdbool.h>

#include <linux/memlat.h>

#include "../names/debug_fetch.h"
#include "../util/out.h"

struct cgroups;
struct history;
struct interval_run;
struct snapshot;

struct take {
	int device;
	__u64 started_ns;	/* of the session, to know it by */
	const struct memlat_query *query;
	struct history *history;	/* freed, whatever comes of it */
	struct cgroups *cgroups;	/* taken from there */
	char **command;		/* NULL: none */
	const char *heap_folder;	/* NULL: none */
	const char *file;
	struct snapshot *counts;	/* of the run before it; taken over; NULL: none */
	struct interval_run *intervals;	/* its intervals are taken over; NULL: none were kept */
	bool unseen;		/* as in struct record_options */
	struct debug_fetch fetch;	/* what came of it */
};

/* Take it, write it, and say what was written and what comes next. */
enum exit_status take_profile(struct take *take);

/* The session ended, or is no longer ours: why, and what to do. */
void take_explain_end(int device, __u64 started_ns);

#endif
