// SPDX-License-Identifier: GPL-2.0
#include "live.h"

#include <stdlib.h>

#include "../host/process.h"
#include "history.h"

/*
 * Read /proc for processes that the keeper does not know. A process that has ended stays unnamed.
 */
static void look_at(struct profile *profile, const __u32 *pids, size_t nr)
{
	size_t i;

	for (i = 0; i < nr; i++) {
		if (!history_find(profile->history, pids[i], 0))
			history_read_proc(profile->history, pids[i]);
		cgroups_note(&profile->cgroups, pids[i]);
	}
}

void profile_find_some(struct profile *profile, const __u32 *pids, size_t nr)
{
	const __u64 started_ns = profile->snap.head.status.started_ns;

	profile->history = keeper_ask(KEEPER_FOLDER, started_ns, pids, nr, false,
				      &profile->keeper);
	if (!profile->history)
		profile->history = history_new();
	history_settle(profile->history, &profile->snap);
	/* In another PID namespace these numbers would belong to other processes. */
	if (process_sees_all())
		look_at(profile, pids, nr);
	history_settle(profile->history, &profile->snap);
}

void profile_find_processes(struct profile *profile)
{
	size_t nr;
	__u32 *pids = history_pids_of(&profile->snap, &nr);

	profile_find_some(profile, pids, nr);
	free(pids);
}
