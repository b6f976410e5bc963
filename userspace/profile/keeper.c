// SPDX-License-Identifier: GPL-2.0
/* Reading names from the keeper, or from the file that it left. */
#define _GNU_SOURCE
#include "keeper.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#include "../util/io.h"
#include "history.h"

#define ANSWER_S	30	/* a keeper that takes longer is stuck */
#define STOP_S		600	/* it finds names before it answers that the session is over */

bool keeper_path(char path[KEEPER_PATH_MAX], const char *folder, __u64 started_ns,
		 const char *suffix)
{
	int length = snprintf(path, KEEPER_PATH_MAX, "%s/names-%llu%s", folder, started_ns,
			      suffix);

	return length > 0 && length < KEEPER_PATH_MAX;
}

static char folder_found[KEEPER_PATH_MAX] = KEEPER_FOLDER;

const char *keeper_folder(void)
{
	return folder_found;
}

/* Where sessions of that user are, but for those who may write to KEEPER_FOLDER. */
static void folder_of(char folder[KEEPER_PATH_MAX], uid_t user)
{
	snprintf(folder, KEEPER_PATH_MAX, "/run/user/%u", user);
	if (!access(folder, F_OK))
		strcat(folder, "/memlat");
	else
		snprintf(folder, KEEPER_PATH_MAX, "/tmp/memlat-%u", user);
}

const char *keeper_own_folder(void)
{
	if (!geteuid() || !access(KEEPER_FOLDER, W_OK | X_OK))
		strcpy(folder_found, KEEPER_FOLDER);
	else
		folder_of(folder_found, geteuid());
	return folder_found;
}

/* Connect to the keeper's socket. Returns a descriptor or -errno. */
static int call(const char *path, int type)
{
	const struct timeval patience = { .tv_sec = type == SOCK_STREAM ? ANSWER_S : STOP_S };
	struct sockaddr_un name = { .sun_family = AF_UNIX };
	int fd, error;

	fd = socket(AF_UNIX, type | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return -errno;
	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
	setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof(patience));
	snprintf(name.sun_path, sizeof(name.sun_path), "%s", path);
	if (!connect(fd, (const struct sockaddr *)&name, sizeof(name)))
		return fd;
	error = errno;
	close(fd);
	return -error;
}

static bool read_all(int fd, void *bytes, size_t size)
{
	return io_read(fd, bytes, size) == (ssize_t)size;
}

/* Read an answer from the socket or from the file; NULL if it is not valid. */
static struct history *read_answer(int fd, __u64 started_ns, struct keeper_told *told)
{
	struct history *history = NULL;
	struct keeper_answer answer;
	const char *why;
	void *bytes;

	if (!read_all(fd, &answer, sizeof(answer)) || answer.magic != KEEPER_MAGIC ||
	    answer.started_ns != started_ns || answer.size > KEEPER_SIZE_MOST)
		return NULL;
	bytes = malloc(answer.size);
	if (bytes && read_all(fd, bytes, answer.size) &&
	    !history_decode(&history, bytes, answer.size, &why)) {
		told->pid = answer.pid;
		told->dropped = answer.dropped;
		told->files = answer.files;
		told->files_lost = answer.files_lost;
		told->bytes = answer.bytes;
	}
	free(bytes);
	return history;
}

/* NULL if there is no socket, or if nobody answers as a keeper would. */
static struct history *ask(int fd, __u64 started_ns, const __u32 *pids, size_t nr, bool end,
			   struct keeper_told *told)
{
	const struct keeper_request request = {
		.magic = KEEPER_MAGIC, .flags = end ? KEEPER_END : 0, .nr_pids = (__u32)nr,
	};

	if (nr > KEEPER_PIDS_MOST || io_write(fd, &request, sizeof(request)) ||
	    io_write(fd, pids, nr * sizeof(*pids)))
		return NULL;
	return read_answer(fd, started_ns, told);
}

static struct history *read_left(const char *path, __u64 started_ns, struct keeper_told *told)
{
	struct history *history = NULL;
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);

	if (fd < 0) {
		if (errno == EACCES)
			told->state = KEEPER_CLOSED;
		return NULL;
	}
	history = read_answer(fd, started_ns, told);
	close(fd);
	told->state = history ? KEEPER_OVER : KEEPER_DIED;
	return history;
}

struct history *keeper_ask(const char *folder, __u64 started_ns, const __u32 *pids, size_t nr,
			   bool end, struct keeper_told *told)
{
	struct history *history = NULL;
	char path[KEEPER_PATH_MAX];
	int fd;

	memset(told, 0, sizeof(*told));
	if (!keeper_path(path, folder, started_ns, KEEPER_SOCKET))
		return NULL;
	fd = call(path, SOCK_STREAM);
	if (fd >= 0) {
		history = ask(fd, started_ns, pids, nr, end, told);
		close(fd);
		told->state = history ? KEEPER_HERE : KEEPER_DIED;
		if (history)
			return history;
	} else if (fd == -EACCES || fd == -EPERM) {
		told->state = KEEPER_CLOSED;
	} else if (fd != -ENOENT) {
		told->state = KEEPER_DIED;
	}
	/* The keeper may have ended a moment ago. */
	if (keeper_path(path, folder, started_ns, KEEPER_FILE))
		history = read_left(path, started_ns, told);
	return history;
}

int keeper_session(char left[KEEPER_PATH_MAX])
{
	char folders[2][KEEPER_PATH_MAX], path[KEEPER_PATH_MAX];
	const char *sudo = geteuid() ? NULL : getenv("SUDO_UID");
	int i, fd, found = -ENOENT;

	strcpy(folders[0], keeper_own_folder());
	strcpy(folders[1], KEEPER_FOLDER);
	if (sudo)
		folder_of(folders[1], (uid_t)strtoul(sudo, NULL, 10));
	for (i = 0; i < 2; i++) {
		keeper_path(path, folders[i], 0, KEEPER_SESSION);
		fd = call(path, SOCK_SEQPACKET);
		if (fd == -EACCES)
			found = fd;
		else if (fd != -ENOENT) {
			strcpy(folder_found, folders[i]);
			return fd;
		}
	}
	for (i = 0; i < 2; i++) {
		keeper_path(left, folders[i], 0, KEEPER_PROFILE);
		if (!access(left, F_OK)) {
			strcpy(folder_found, folders[i]);
			return -ENOENT;
		}
	}
	*left = '\0';
	strcpy(folder_found, KEEPER_FOLDER);
	return found;
}
