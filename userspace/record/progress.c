// SPDX-License-Identifier: GPL-2.0
#include "progress.h"

#include <stdio.h>
#include <unistd.h>

#include "../host/device.h"
#include "../profile/account.h"
#include "../util/clock.h"
#include "../util/text.h"

void progress_begin(struct progress *progress, __u64 now)
{
	*progress = (struct progress){ .wanted = isatty(STDERR_FILENO), .due = now + CLOCK_SECOND };
}

void progress_show(struct progress *progress, int device)
{
	char time[TEXT_NUMBER_MAX], samples[TEXT_NUMBER_MAX], lost[TEXT_NUMBER_MAX];
	struct memlat_status status;

	if (!progress->wanted || clock_now() < progress->due)
		return;
	progress->due += CLOCK_SECOND;
	if (memlat_device_status(device, &status))
		return;
	/* Overwrite the previous line, and clear its rest. */
	fprintf(stderr, "\r\033[Krecording: %s %s %s samples, %s lost (Ctrl-C ends it)",
		text_duration(time, status.duration_ns), text_dot(),
		text_count(samples, status.samples),
		text_count(lost, account_lost(&status)));
	fflush(stderr);
	progress->shown = true;
}

void progress_clear(struct progress *progress)
{
	if (progress->shown)
		fputs("\r\033[K", stderr);
	progress->shown = false;
}
