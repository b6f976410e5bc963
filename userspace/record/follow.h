/* SPDX-License-Identifier: GPL-2.0 */
/* Wait for a reason to end a session, and meanwhile read what the kernel reports. */
#ifndef MEMLAT_FOLLOW_H
#define MEMLAT_FOLLOW_H

#include <pthread.h>
#include <stdbool.h>

#include <linux/memlat.h>

#include "../profile/intervals.h"
#include "child.h"
#include "collect.h"
#include "kept_files.h"

struct bpf_maps;
struct modules;

enum follow_end {
	FOLLOW_COMMAND,		/* the command has ended */
	FOLLOW_PROCESS,		/* the process or thread that was asked for has ended */
	FOLLOW_DURATION,
	FOLLOW_SIGNAL,		/* a signal asks for the end */
	FOLLOW_EARLY,		/* one of these before the delay was over: nothing was recorded */
	FOLLOW_SESSION,		/* the session ended, or another one replaced it */
	FOLLOW_ERROR		/* an error, which was printed */
};

struct follow {
	int device;		/* -1: perf's engine samples */
	int signals;		/* signalfd of the signals that end the recording, and of SIGCHLD */
	int process;		/* pidfd of the process that was asked for, -1: none */
	__u32 task;		/* the process or thread that was asked for, 0: none */
	__u64 started_ns;	/* identifies the session */
	__u64 delay_ns;		/* forget what was sampled until then; 0: nothing */
	__u64 duration_ns;	/* after that; 0: no bound */
	struct interval_run *intervals;	/* take one every interval_ns; NULL: none */
	__u64 interval_ns;
	struct child *child;		/* NULL: none */
	/* its engine: who samples; NULL: events are only counted, so wake up seldom */
	struct collect *collect;
	struct kept_files *files;	/* with collect: programs that are kept readable */
	bool kernel;		/* its accesses are sampled, and so those of programs of BPF */
	struct bpf_maps *maps;	/* those of programs that were loaded: see follow_maps() */
	/* the thread that looks for them first */
	pthread_t opener;
	enum { OPENING_NONE, OPENING, OPENING_DONE } opening;
	struct modules *modules;	/* with kernel: those that come and go */
	size_t loads;		/* of programs, until they were noted */
	int signal;		/* the signal, for FOLLOW_SIGNAL and FOLLOW_EARLY; 0: none */
};

enum follow_end follow(struct follow *follow);
/* Read what the kernel has reported until now. */
void follow_read(struct follow *follow);
/* With collect: maps of the programs of BPF that were loaded; NULL: none was. It may wait. */
struct bpf_maps *follow_maps(struct follow *follow);
/* Free maps and modules, and close what it waited for but the device. */
void follow_free(struct follow *follow);

#endif
