/* SPDX-License-Identifier: GPL-2.0 */
/* One recording, from the start of its session to the file. */
#ifndef MEMLAT_RECORDING_H
#define MEMLAT_RECORDING_H

#include <stdbool.h>

#include "../cli/start_options.h"

struct record_options {
	struct start_options start;
	const char *file;
	const char *duration;	/* as typed; NULL: no bound */
	__u64 duration_ns;
	__u64 interval_ns;	/* what came in each is kept; 0: it is not */
	bool everything;	/* -a */
	bool heap;
	bool unseen;		/* the file is nobody's to see: say nothing of it */
	bool counts;		/* count first, in a run of its own */
	struct snapshot *counted;	/* what came of that; NULL: nothing yet. Taken over. */
	char **command;		/* its words; NULL: none */
};

/* Take -a, -o, --heap, --duration or what start has; false after saying what is wrong. */
bool recording_take(struct record_options *options, int option);

/* Let the session end with us, where the module knows how. */
void recording_tie(struct memlat_config *config, const struct memlat_query *query);
/*
 * Start it. *running: it began, and has to be stopped. False after saying why it did not, with
 * *status what to exit with, or after saying that the module does not tell of it.
 */
bool recording_start(int device, struct memlat_config *config, const struct memlat_query *query,
		     bool *running, struct memlat_status *session, enum exit_status *status);
/* Count events beside what is sampled. */
void recording_count(struct memlat_config *config, const struct memlat_query *query);

/*
 * Options that make no sense together, and what to do; NULL: they go together, and what
 * follows from them is set.
 */
const char *recording_clash(struct record_options *options);

/* All that options can tell was checked. The command's status, or why there is no file. */
enum exit_status recording_run(struct record_options *options);

#endif
