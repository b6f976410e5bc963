// SPDX-License-Identifier: GPL-2.0
#include "waiting.h"

#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "screen.h"
#include "text.h"

#define SECOND	1000000000ULL

static __u64 now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (__u64)time.tv_sec * SECOND + (__u64)time.tv_nsec;
}

void waiting_begin(struct waiting *waiting, const char *what, size_t all)
{
	*waiting = (struct waiting){
		.what = what, .all = all,
		.wanted = !screen_is_taken() && isatty(STDERR_FILENO),
	};
	if (waiting->wanted)
		waiting->due = now() + SECOND;
}

void waiting_step(struct waiting *waiting, size_t done)
{
	char number[TEXT_NUMBER_MAX], all[TEXT_NUMBER_MAX];
	__u64 time;

	if (!waiting->wanted)
		return;
	time = now();
	if (time < waiting->due)
		return;
	waiting->due = time + SECOND;
	/* Overwrite the previous line, and clear its rest. */
	fprintf(stderr, "\r\033[K%s: %s of %s", waiting->what, text_count(number, done),
		text_count(all, waiting->all));
	fflush(stderr);
	waiting->shown = true;
}

void waiting_end(struct waiting *waiting)
{
	if (waiting->shown)
		fputs("\r\033[K", stderr);
	waiting->shown = false;
}
