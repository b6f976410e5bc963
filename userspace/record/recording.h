/* SPDX-License-Identifier: GPL-2.0 */
/* One recording, from the start of its session to the profile. */
#ifndef MEMLAT_RECORDING_H
#define MEMLAT_RECORDING_H

#include <stdbool.h>
#include <stdio.h>

#include "../cli/start_options.h"
#include "../host/device.h"
#include "../profile/snapshot.h"
#include "follow.h"

struct record_options {
	struct start_options start;
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

/* What options other than those of start set. */
#define RECORD_SETS(record) \
	SETS(OUTPUT, text, (record)->file), SETS(HEAP, on, (record)->heap), \
	SETS(DURATION, text, (record)->duration), SETS(DURATION, ns, (record)->duration_ns)

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

/* One session that counts events: of a command, of running processes, or of the whole machine. */

struct counting_options {
	struct start_options start;
	__u64 duration_ns;	/* 0: no bound */
	char **command;		/* its words; NULL: none */
	char **environment;	/* added to the command's, as by child_make(); NULL: nothing */
	bool interrupted;	/* set by counting_run(): a signal ended the run, such as Ctrl-C */
};

/*
 * Start the session on this device (-1: by perf's engine), wait for its end, stop it, and read the counts. Returns true,
 * with *status to exit with (the command's, if there is one); otherwise the reason was printed. The
 * caller frees the snapshot in both cases.
 */
bool counting_run(int device, const struct memlat_query *query,
		  struct counting_options *options, struct snapshot *snap,
		  enum exit_status *status);

/*
 * Open the device as recording_open(), and the file (NULL: standard output), call count() to do its
 * runs and to write to the file, and close both. Check first that this CPU can count what start asks for.
 */
enum exit_status counting_into(const char *file, struct start_options *start,
			       enum engine_choice engine, bool needs_module,
			       enum exit_status (*count)(void *context, int device,
							 const struct memlat_query *query,
							 FILE *out),
			       void *context);

/*
 * Count and sample the same work. There are not enough counters for both at once, so a command runs
 * twice, and a running process is counted for half of the time and sampled for the other half.
 */

/* As recording_run(). With options->counts, the counting run comes first. */
enum exit_status two_passes_run(struct record_options *options);

/*
 * The same for a profile that a view shows at once: its file has no name, and disappears after the
 * view. *file: an open descriptor of the profile; -1:
 * there is none, and the reason was printed. Returns the command's status, or why it failed.
 */
enum exit_status recording_aside(struct record_options *record, int *file);

#endif
