/* SPDX-License-Identifier: GPL-2.0 */
/* One session that counts: of a command, of what runs already, or of everything. */
#ifndef MEMLAT_COUNTING_RUN_H
#define MEMLAT_COUNTING_RUN_H

#include <stdio.h>

#include "../cli/start_options.h"
#include "../profile/snapshot.h"

struct counting_options {
	struct start_options start;
	__u64 duration_ns;	/* 0: no bound */
	char **command;		/* its words; NULL: none */
	bool interrupted;	/* set by counting_run(): a signal ended it, such as Ctrl-C */
};

/*
 * Start it on this device, wait until it is over, stop it, and take what was counted:
 * true, with *status what to exit with (the command's, where there is one). Else
 * something was said. The caller frees the snapshot in both cases.
 */
bool counting_run(int device, const struct memlat_query *query,
		  struct counting_options *options, struct snapshot *snap,
		  enum exit_status *status);

/*
 * Open the device and the file (NULL: standard output), have count() do its runs and write there,
 * and close both. Before anything runs it is checked that this CPU can count what start wants.
 */
enum exit_status counting_into(const char *file, struct start_options *start,
			       enum exit_status (*count)(void *context, int device,
							 const struct memlat_query *query,
							 FILE *out),
			       void *context);

#endif
