// SPDX-License-Identifier: GPL-2.0
#include "lines_told.h"

#include <string.h>

#include "locks.h"

void lines_told_init(struct lines_told *told, const struct lines_view *view)
{
	const struct profile *profile = view->profile;

	memset(told, 0, sizeof(*told));
	told->view = view;
	told->cost = snapshot_cost(&profile->snap);
	/* Lines that processes share are judged as one. */
	told->set = lineset_new(&profile->snap, profile->history, MEMLAT_LINE_BYTES);
	told->verdicts = verdicts_of_set(told->set);
	if (view->namer) {
		verdicts_know_locks(told->verdicts, locks_is_lock, view->namer);
		verdicts_know_widths(told->verdicts, locks_width, view->namer);
	}
}

void lines_told_free(struct lines_told *told)
{
	verdicts_free(told->verdicts);
	lineset_free(told->set);
	memset(told, 0, sizeof(*told));
}

struct story lines_story(const struct lines_told *told, size_t row)
{
	return (struct story){
		.profile = told->view->profile,
		.namer = told->view->namer,
		.verdicts = told->verdicts,
		.line = &told->view->profile->snap.lines[row],
		.number = row + 1,
		.cost = told->cost,
	};
}
