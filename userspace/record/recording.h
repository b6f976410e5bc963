/* SPDX-License-Identifier: GPL-2.0 */
/* One recording, from the start of its session to the profile. */
#ifndef MEMLAT_RECORDING_H
#define MEMLAT_RECORDING_H

#include <stdbool.h>

#include "../cli/start_options.h"
#include "../host/device.h"
#include "follow.h"

struct record_options {
	struct start_options start;
	enum engine_choice engine;
	const char *file;
	const char *duration;	/* as typed; NULL: no bound */
	__u64 duration_ns;
	const char *delay;	/* as typed; NULL: none */
	__u64 delay_ns;		/* forget what was sampled until then */
	__u64 interval_ns;	/* keep what is sampled in each interval; 0: do not */
	bool heap;
	bool unseen;		/* the file is not for the user: print nothing about it */
	bool counts;		/* count events in a separate run first */
	struct snapshot *counted;	/* the counts of that run; NULL: none yet. Taken over. */
	char **command;		/* its words; NULL: none */
};

/* Take -o, --engine, --heap, --duration or an option of start. False after printing what is wrong. */
bool recording_take(struct record_options *options, int option);

/*
 * Make the child as child_make() does, and let the session be of it. False after printing what is in
 * the way.
 */
bool recording_child(struct child *child, char *const command[], const sigset_t *mask,
		     char *const environment[], int device, struct memlat_config *config);
/*
 * Block the signals that end a run, and SIGCHLD, and return a signalfd of them. So none of them
 * ends memlat-ctl before it has stopped the session. mask: the signal mask before. -1: the reason
 * was printed.
 */
int recording_signals(sigset_t *mask);
/*
 * Open the device, or find out that perf's engine has to do without: then *device is -1. False after
 * printing why neither can sample this.
 */
bool recording_open(enum engine_choice engine, bool needs_module, const struct memlat_config *config,
		    struct memlat_query *query, int *device);
/*
 * Make perf's engine, as engine_new() does. False after printing why that cannot sample this. What it
 * leaves out is told once, unless the recording is unseen.
 */
bool recording_engine(struct collect *collect, struct start_options *start, bool command, bool unseen);
/* Let the session end with memlat-ctl, if the module can do that. */
void recording_tie(struct memlat_config *config, const struct memlat_query *query);
/*
 * Start the session. *running: it runs, and has to be stopped. Returns false after printing why it
 * was not started, or why it cannot be observed; then *status is the exit status.
 */
bool recording_start(int device, struct memlat_config *config, const struct memlat_query *query,
		     bool *running, struct memlat_status *session, enum exit_status *status);
/* Stop the session, unless somebody has stopped it and started another one. */
void recording_stop(const struct follow *follow, bool *running);
/* Count events while sampling. */
void recording_count(struct memlat_config *config, const struct memlat_query *query);

/*
 * Check that the options go together. Returns NULL, after setting what follows from them, or what
 * is wrong and what to do.
 */
const char *recording_clash(struct record_options *options);

/*
 * Everything that options can tell was checked before. Returns the command's status, or why there
 * is no profile.
 */
enum exit_status recording_run(struct record_options *options);

#endif
