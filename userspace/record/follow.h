/* SPDX-License-Identifier: GPL-2.0 */
/* While it is recorded: take in what the kernel tells, until there is a reason to end. */
#ifndef MEMLAT_FOLLOW_H
#define MEMLAT_FOLLOW_H

#include <stdbool.h>

#include <linux/memlat.h>

#include "child.h"
#include "collect.h"
#include "interval.h"

enum follow_end {
	FOLLOW_COMMAND,		/* it has ended */
	FOLLOW_PROCESS,		/* the process or thread asked for has */
	FOLLOW_DURATION,
	FOLLOW_SIGNAL,		/* somebody wants it to end */
	FOLLOW_SESSION,		/* the session did, or is another one now */
	FOLLOW_ERROR		/* something was said */
};

struct follow {
	int device;
	int signals;		/* signalfd: those that end it, and SIGCHLD */
	int process;		/* pidfd of the process asked for, -1: none */
	__u32 task;		/* process or thread asked for, 0: none */
	__u64 started_ns;	/* of the session, to know it by */
	__u64 duration_ns;	/* 0: no bound */
	struct interval_run *intervals;	/* to be taken, one every interval_ns; NULL: none are */
	__u64 interval_ns;
	struct child *child;
	struct collect *collect;
	int signal;		/* FOLLOW_SIGNAL: which */
};

enum follow_end follow(struct follow *follow);

#endif
