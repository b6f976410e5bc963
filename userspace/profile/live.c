// SPDX-License-Identifier: GPL-2.0
#include "live.h"

#include <stdlib.h>

#include "../util/xalloc.h"
#include "history.h"

#define PIDS	(1U << 22)	/* the kernel's PID_MAX_LIMIT: none is larger */

/* A bit for each process: the tables name the same few again and again. */
struct pids {
	__u64 *seen;
	struct history *history;
	struct cgroups *cgroups;
};

static void note(struct pids *pids, __u32 pid)
{
	if (!pid || pid >= PIDS || pids->seen[pid / 64] >> pid % 64 & 1)
		return;
	pids->seen[pid / 64] |= 1ULL << pid % 64;
	/* One that is gone by now stays unnamed: that is what record is for. */
	history_read_proc(pids->history, pid);
	cgroups_note(pids->cgroups, pid);
}

static void note_all(struct pids *pids, const struct snapshot *snap)
{
	size_t i;

	for (i = 0; i < snap->nr_threads; i++)
		note(pids, snap->threads[i].tgid);
	for (i = 0; i < snap->nr_lines; i++)
		note(pids, snap->lines[i].space);
	for (i = 0; i < snap->nr_sites; i++)
		note(pids, snap->sites[i].space);
	for (i = 0; i < snap->nr_accesses; i++)
		note(pids, snap->accesses[i].tgid);
	for (i = 0; i < snap->nr_stacks; i++)
		note(pids, snap->stacks[i].tgid);
}

void profile_find_processes(struct profile *profile)
{
	struct pids pids = {
		.seen = xcalloc(PIDS / 64, sizeof(*pids.seen)),
		.history = history_new(),
		.cgroups = &profile->cgroups,
	};

	profile->history = pids.history;
	note_all(&pids, &profile->snap);
	free(pids.seen);
	history_settle(profile->history, &profile->snap);
}
