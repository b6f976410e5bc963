// SPDX-License-Identifier: GPL-2.0
#define _GNU_SOURCE
#include "cgroup.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <linux/magic.h>

/* Where cgroups v2 are mounted: alone, or beside those of version 1. */
static const char *const mounts[] = {
	"/sys/fs/cgroup", "/sys/fs/cgroup/unified",
};

#define NR_MOUNTS	(sizeof(mounts) / sizeof(mounts[0]))

/* The kernel's type of a file handle that holds a cgroup's id (exportfs.h). */
#define HANDLE_KERNFS	0xfe

static enum cgroup_result open_folder(const char *path, __u64 *id, int *folder)
{
	struct statfs fs;
	struct stat st;
	int fd, ret, error;

	fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0) {
		if (errno == ENOTDIR)
			return CGROUP_NOT;
		return errno == ENOENT || errno == ENAMETOOLONG ? CGROUP_NONE :
								  CGROUP_DENIED;
	}
	ret = fstatfs(fd, &fs) || fstat(fd, &st);
	error = errno;
	if (!ret && fs.f_type == CGROUP2_SUPER_MAGIC && folder)
		*folder = fd;
	else
		close(fd);
	errno = error;
	if (ret)
		return CGROUP_DENIED;
	if (fs.f_type != CGROUP2_SUPER_MAGIC)
		return CGROUP_NOT;
	*id = st.st_ino;
	return CGROUP_OK;
}

enum cgroup_result cgroup_id(const char *path, __u64 *id, int *folder)
{
	enum cgroup_result first, result;
	char under[PATH_MAX];
	unsigned int i;
	int error;

	if (!*path)
		return CGROUP_NONE;
	first = open_folder(path, id, folder);
	error = errno;
	for (i = 0; first != CGROUP_OK && i < NR_MOUNTS; i++) {
		int length = snprintf(under, sizeof(under), "%s/%s", mounts[i],
				      path);

		if (length < 0 || (size_t)length >= sizeof(under))
			continue;
		result = open_folder(under, id, folder);
		if (result == CGROUP_OK)
			return CGROUP_OK;
		/* Any other error says more than that there is no folder. */
		if (first == CGROUP_NONE) {
			first = result;
			error = errno;
		}
	}
	errno = error;
	return first;
}

static int open_id(const char *mount, __u64 id)
{
	union {
		struct file_handle head;
		unsigned char bytes[sizeof(struct file_handle) + sizeof(id)];
	} handle = {
		.head.handle_bytes = sizeof(id),
		.head.handle_type = HANDLE_KERNFS,
	};
	int at, fd;

	at = open(mount, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (at < 0)
		return -1;
	memcpy(handle.bytes + offsetof(struct file_handle, f_handle), &id,
	       sizeof(id));
	fd = open_by_handle_at(at, &handle.head, O_PATH | O_CLOEXEC);
	close(at);
	return fd;
}

bool cgroup_path(__u64 id, char *path, size_t room)
{
	char link[32], target[PATH_MAX];
	unsigned int i;

	for (i = 0; i < NR_MOUNTS; i++) {
		size_t length = strlen(mounts[i]);
		int fd = open_id(mounts[i], id);
		ssize_t got;

		if (fd < 0)
			continue;
		snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
		got = readlink(link, target, sizeof(target) - 1);
		close(fd);
		if (got < 0)
			continue;
		target[got] = '\0';
		if (strncmp(target, mounts[i], length) ||
		    (target[length] && target[length] != '/'))
			continue;
		snprintf(path, room, "%s", target[length] ? target + length : "/");
		return true;
	}
	return false;
}

/* Move this process to the cgroup whose folder this is. */
static void enter(const char *folder)
{
	char path[PATH_MAX];
	int fd;

	if ((size_t)snprintf(path, sizeof(path), "%s/cgroup.procs", folder) >= sizeof(path))
		return;
	fd = open(path, O_WRONLY | O_CLOEXEC);
	if (fd < 0)
		return;
	/* 0 is the process that writes. The kernel may refuse, and then it stays where it is. */
	(void)!write(fd, "0", 1);
	close(fd);
}

void cgroup_leave(const char *mountinfo)
{
	char line[2 * PATH_MAX], root[PATH_MAX], folder[PATH_MAX];
	FILE *file = fopen(mountinfo, "re");

	/* "36 35 98:0 ROOT FOLDER OPTIONS... - TYPE SOURCE OPTIONS": a bind mount has another root. */
	while (file && fgets(line, sizeof(line), file)) {
		const char *type = strstr(line, " - cgroup");

		if (type && sscanf(line, "%*s %*s %*s %4095s %4095s", root, folder) == 2 &&
		    !strcmp(root, "/"))
			enter(folder);
	}
	if (file)
		fclose(file);
}
