// SPDX-License-Identifier: GPL-2.0
#include "screen.h"

#include <stdio.h>
#include <unistd.h>

#include "clock.h"
#include "text.h"

void waiting_begin(struct waiting *waiting, const char *what, size_t all)
{
	*waiting = (struct waiting){
		.what = what, .all = all,
		.wanted = !screen_is_taken() && isatty(STDERR_FILENO),
	};
	if (waiting->wanted)
		waiting->due = clock_now() + CLOCK_SECOND;
}

void waiting_step(struct waiting *waiting, size_t done)
{
	char number[TEXT_NUMBER_MAX], all[TEXT_NUMBER_MAX];
	__u64 time;

	if (!waiting->wanted)
		return;
	time = clock_now();
	if (time < waiting->due)
		return;
	waiting->due = time + CLOCK_SECOND;
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
