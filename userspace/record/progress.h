/* SPDX-License-Identifier: GPL-2.0 */
/* A progress line on the terminal, for a run that takes longer than a second. */
#ifndef MEMLAT_PROGRESS_H
#define MEMLAT_PROGRESS_H

#include <stdbool.h>

#include <linux/types.h>

struct progress {
	bool wanted;		/* standard error is a terminal */
	bool shown;
	__u64 due;		/* CLOCK_MONOTONIC, ns */
};

void progress_begin(struct progress *progress, __u64 now);
/* When it is due, show how many samples the session has. */
void progress_show(struct progress *progress, int device);
void progress_clear(struct progress *progress);

#endif
