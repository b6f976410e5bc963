// SPDX-License-Identifier: GPL-2.0
#include "profile.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../host/process.h"
#include "../util/io.h"
#include "../util/xalloc.h"
#include "heap.h"
#include "history.h"
#include "intervals.h"
#include "kernel_names.h"
#include "known.h"

void profile_init(struct profile *profile)
{
	memset(profile, 0, sizeof(*profile));
	snapshot_init(&profile->snap);
	machine_init(&profile->machine);
}

void profile_free(struct profile *profile)
{
	snapshot_free(&profile->snap);
	machine_free(&profile->machine);
	history_free(profile->history);
	heap_log_free(profile->heap);
	kernel_names_free(profile->kernel);
	known_free(profile->known);
	intervals_free(profile->intervals);
	if (profile->counts)
		snapshot_free(profile->counts);
	free(profile->counts);
	cgroups_free(&profile->cgroups);
	free(profile->command);
	free(profile->sessions);
	profile_init(profile);
}

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

/* The names that were found when the session ended. Without them, the files are asked as before. */
static void read_known(struct profile *profile, __u64 started_ns)
{
	char path[KEEPER_PATH_MAX];
	const char *why;
	struct stat st;
	void *bytes;
	int fd;

	if (!keeper_path(path, keeper_folder(), started_ns, KEEPER_NAMES))
		return;
	fd = io_open(path, &st);
	if (fd < 0)
		return;
	if (st.st_size > 0 && st.st_size <= KNOWN_FILE_MOST) {
		bytes = xmalloc((size_t)st.st_size);
		if (io_read(fd, bytes, (size_t)st.st_size) == (ssize_t)st.st_size)
			known_decode(&profile->known, bytes, (size_t)st.st_size, &why);
		free(bytes);
	}
	close(fd);
}

void profile_find_some(struct profile *profile, const __u32 *pids, size_t nr)
{
	const __u64 started_ns = profile->snap.head.status.started_ns;

	profile->history = keeper_ask(keeper_folder(), started_ns, pids, nr, false,
				      &profile->keeper);
	if (profile->keeper.state == KEEPER_OVER && !profile->known)
		read_known(profile, started_ns);
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
