// SPDX-License-Identifier: GPL-2.0
/* Write a profile of the session while it is watched. */
#define _GNU_SOURCE
#include "live.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../profile/history.h"
#include "../profile/keeper.h"
#include "../record/take.h"

/* Read all output of a process, as one line. */
static void read_output(int fd, char said[256])
{
	size_t used = 0;
	char bytes[256];
	ssize_t got;

	while ((got = read(fd, bytes, sizeof(bytes))) != 0) {
		ssize_t i;

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			break;
		for (i = 0; i < got && used + 1 < 256; i++)
			said[used++] = bytes[i] == '\n' ? ' ' : bytes[i];
	}
	said[used] = '\0';
}

/* The session's keeper knows processes that have ended. */
static struct history *all_names(const struct live *live)
{
	struct keeper_told told;
	size_t nr;
	__u32 *pids = history_pids_of(&live->running.now, &nr);
	struct history *history = keeper_ask(keeper_folder(), live->started_ns, pids, nr, false,
					     &told);

	free(pids);
	return history ? history : history_new();
}

static void write_it(struct live *live, const char *path, int out)
{
	struct cgroups cgroups = { 0 };
	struct take take = {
		.device = live->writer, .started_ns = live->started_ns, .query = &live->query,
		.file = path, .unseen = true, .cgroups = &cgroups,
	};
	enum exit_status status;

	dup2(out, STDERR_FILENO);
	take.history = all_names(live);
	status = take_profile(&take);
	_exit(status == DONE ? 0 : 1);
}

static void cannot(char said[256], int error)
{
	snprintf(said, 256, "no profile can be written: %s", strerror(error));
}

bool live_write(struct live *live, const char *path, char said[256])
{
	int ends[2], status = 1;
	pid_t child;

	if (live->writer < 0 || pipe2(ends, O_CLOEXEC)) {
		cannot(said, live->writer < 0 ? -live->writer : errno);
		return false;
	}
	child = fork();
	if (!child)
		write_it(live, path, ends[1]);
	if (child < 0)
		cannot(said, errno);
	close(ends[1]);
	if (child > 0) {
		read_output(ends[0], said);
		while (waitpid(child, &status, 0) < 0 && errno == EINTR)
			continue;
	}
	close(ends[0]);
	return child > 0 && WIFEXITED(status) && !WEXITSTATUS(status);
}
