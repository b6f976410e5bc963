// SPDX-License-Identifier: GPL-2.0
#include "aside.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "two_passes.h"

enum exit_status recording_aside(struct record_options *record, const char *view, int *file)
{
	const char *place = getenv("TMPDIR");
	char folder[PATH_MAX], path[PATH_MAX + 16];
	enum exit_status status;
	sigset_t mask;

	*file = -1;
	snprintf(folder, sizeof(folder), "%s/memlat-XXXXXX", place && *place ? place : "/tmp");
	if (!mkdtemp(folder)) {
		out_complain("cannot make a folder like %s: %s\n"
			     "  TMPDIR=FOLDER memlat-ctl %s ...      makes it elsewhere",
			     folder, strerror(errno), view);
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
