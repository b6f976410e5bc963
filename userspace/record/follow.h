/* SPDX-License-Identifier: GPL-2.0 */
/* Wait for a reason to end a session, and meanwhile read what the kernel reports. */
#ifndef MEMLAT_FOLLOW_H
#define MEMLAT_FOLLOW_H

#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/types.h>

#include <linux/memlat.h>

#include "../profile/intervals.h"
#include "../util/out.h"
#include "engine.h"
#include "keeper.h"

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

/* The command that is recorded. It is forked first, and executes when everything is ready. */

struct child {
	pid_t pid;		/* 0: none, or it was waited for */
	int go;			/* the child waits for a byte on this descriptor; -1: it was sent */
	int failed;		/* descriptor that delivers execvp's errno */
	int status;		/* as from waitpid() */
};

/*
 * Fork a process that will execute these words, with mask as its signal mask and with this
 * environment added ("NAME=value"; NULL ends). The child closes the descriptor ours at once, so
 * that what depends on it ends with memlat-ctl (-1: none). Returns 0 or -errno.
 */
int child_make(struct child *child, char *const words[], const sigset_t *mask,
	       char *const environment[], int ours);
/* Let the child execute the command. Returns 0, or execvp's errno; then the child has ended. */
int child_go(struct child *child);
/* Print why the command could not be executed. Returns the exit status that a shell would give. */
enum exit_status child_explain(const char *name, int error);
/* Has the child ended? Does not wait. */
bool child_ended(struct child *child);
/* Wait up to this many milliseconds for the child's end. */
bool child_wait(struct child *child, int milliseconds);
/*
 * End the child, so that it does not go on after memlat-ctl. caught: the signal that ends
 * memlat-ctl, which the child may have got too; 0: it ends for another reason.
 */
void child_end(struct child *child, int caught);
/* End the child if it does not execute yet, otherwise leave it. There is no wait afterwards. */
void child_drop(struct child *child);
/* The status that a shell would report: the child's, or 128 plus its signal. */
int child_status(const struct child *child);

/* The preload library that logs heap objects, and the folder to which it writes. */

/* Look for the library beside memlat-ctl, then where install puts it. False: it is in neither. */
bool heap_library_find(char path[PATH_MAX]);

struct preload {
	char folder[PATH_MAX];	/* "": none */
	char *environment[3];	/* for the command: NAME=value; NULL ends */
};

/* Make the folder, which only this user can read. False after printing what is in the way. */
bool preload_begin(struct preload *preload);
/* Remove the folder and its contents. */
void preload_end(struct preload *preload);

#endif
