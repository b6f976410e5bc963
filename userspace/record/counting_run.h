/* SPDX-License-Identifier: GPL-2.0 */
/* One session that counts events: of a command, of running processes, or of the whole machine. */
#ifndef MEMLAT_COUNTING_RUN_H
#define MEMLAT_COUNTING_RUN_H

#include <stdio.h>

#include "../cli/start_options.h"
#include "../host/device.h"
#include "../profile/snapshot.h"
#include "recording.h"

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
