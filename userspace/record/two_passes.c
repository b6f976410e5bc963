// SPDX-License-Identifier: GPL-2.0
#include "recording.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../util/xalloc.h"
#include "follow.h"

/* False: leave with *status. */
static bool count_first(struct record_options *options, enum exit_status *status)
{
	struct counting_options counting = {
		.start = options->start,
		.duration_ns = options->duration_ns,
		.command = options->command,
	};
	struct memlat_config *config = &counting.start.config;
	struct preload preload = { 0 };
	struct memlat_query query;
	int device;
	bool good;

	*status = FAILED;
	if (!recording_open(options->start.engine, start_needs_module(&options->start, options->command),
			    config, &query, &device))
		return false;
	/* How loads are sampled matters only in the second run. */
	config->ldlat = 0;
	config->period = config->store_period = config->max_overhead = config->max_memory = 0;
	config->flags &= MEMLAT_F_USER | MEMLAT_F_KERNEL | MEMLAT_F_THREAD | MEMLAT_F_CHILDREN |
			 MEMLAT_F_NO_GUESTS;
	options->counted = xmalloc(sizeof(*options->counted));
	snapshot_init(options->counted);
	/*
	 * Preload the heap library in the counting run too, or the two runs would not do the same
	 * work. What it logs in the counting run is discarded.
	 */
	good = start_options_fit_count(&counting.start, &query) &&
	       (!options->heap || preload_begin(&preload));
	counting.environment = preload.environment;
	good = good && counting_run(device, &query, &counting, options->counted, status);
	preload_end(&preload);
	if (device >= 0)
		close(device);
	/* A signal ends everything, whatever it interrupted. */
	if (good && counting.interrupted) {
		out_complain("interrupted during the run that is counted: nothing was recorded");
		*status = FAILED;
		good = false;
	} else if (good && *status != DONE) {
		out_complain("the run that was counted ended with status %d: nothing was recorded",
			     *status);
		good = false;
	}
	return good;
}

enum exit_status two_passes_run(struct record_options *options)
{
	enum exit_status status = DONE;

	if (options->counts && !options->command)
		options->duration_ns /= 2;
	if (!options->counts || count_first(options, &status))
		status = recording_run(options);
	if (options->counted)
		snapshot_free(options->counted);
	free(options->counted);
	options->counted = NULL;
	return status;
}

enum exit_status recording_aside(struct record_options *record, int *file)
{
	const char *place = getenv("TMPDIR");
	char folder[PATH_MAX], path[PATH_MAX + 16];
	enum exit_status status;
	sigset_t mask;

	*file = -1;
	snprintf(folder, sizeof(folder), "%s/memlat-XXXXXX", place && *place ? place : "/tmp");
	if (!mkdtemp(folder)) {
		out_complain("cannot make a folder like %s: %s\n"
			     "  TMPDIR=FOLDER memlat-ctl ...      makes it elsewhere",
			     folder, strerror(errno));
		return FAILED;
	}
	snprintf(path, sizeof(path), "%s/profile", folder);
	record->file = path;
	record->unseen = true;
	sigprocmask(SIG_SETMASK, NULL, &mask);
	status = two_passes_run(record);
	/* The signal that ended the sampling may end the view as well. */
	sigprocmask(SIG_SETMASK, &mask, NULL);
	*file = open(path, O_RDONLY | O_CLOEXEC);
	unlink(path);
	rmdir(folder);
	return status;
}
