// SPDX-License-Identifier: GPL-2.0
#define _GNU_SOURCE
#include "file_new.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#include "../util/xalloc.h"

#define OWN_FILES	"/proc/self/fd"
#define TRIES		100

/* Beside the target: only within one file system can a file take its name. */
static char *beside(const char *target, const char *name)
{
	const char *slash = strrchr(target, '/');

	return xasprintf("%.*s%s", slash ? (int)(slash - target) + 1 : 0, target, name);
}

/* Without a name: what ends before it has one is gone, whatever ended it. */
static int open_nameless(const char *target)
{
	char *folder;
	int fd;

	/* The way to give it a name later. */
	if (access(OWN_FILES, X_OK))
		return -1;
	folder = beside(target, ".");
	fd = open(folder, O_TMPFILE | O_WRONLY | O_CLOEXEC, 0600);
	free(folder);
	return fd;
}

int file_new_begin(struct file_new *file, const char *target, bool named)
{
	int error;

	*file = (struct file_new){ .fd = named ? -1 : open_nameless(target), .target = target };
	if (file->fd >= 0)
		return 0;
	/* Not every file system has such files; what else is wrong is told here. */
	file->name = beside(target, ".memlat-XXXXXX");
	file->fd = mkostemp(file->name, O_CLOEXEC);
	error = errno;
	if (file->fd >= 0)
		return 0;
	free(file->name);
	file->name = NULL;
	return -error;
}

static int link_as(const struct file_new *file, const char *path)
{
	char own[sizeof(OWN_FILES) + 16];

	snprintf(own, sizeof(own), OWN_FILES "/%d", file->fd);
	return linkat(AT_FDCWD, own, AT_FDCWD, path, AT_SYMLINK_FOLLOW) ? -errno : 0;
}

/* Some name beside the target, that it can be renamed from. */
static int link_beside(struct file_new *file)
{
	int ret = -EEXIST, tries;
	unsigned int number;
	char name[32];

	for (tries = 0; ret == -EEXIST && tries < TRIES; tries++) {
		if (getrandom(&number, sizeof(number), 0) != (ssize_t)sizeof(number))
			return -errno;
		snprintf(name, sizeof(name), ".memlat-%08x", number);
		file->name = beside(file->target, name);
		ret = link_as(file, file->name);
		if (ret) {
			free(file->name);
			file->name = NULL;
		}
	}
	return ret;
}

static int take_name(struct file_new *file)
{
	int ret;

	if (!file->name) {
		/* Where there is no older one no other name is needed. */
		ret = link_as(file, file->target);
		if (ret == -EEXIST)
			ret = link_beside(file);
		else if (!ret)
			return 0;
		if (ret) {
			file->unnamed = true;
			return ret;
		}
	}
	return rename(file->name, file->target) ? -errno : 0;
}

int file_new_end(struct file_new *file, int ret)
{
	if (!ret)
		ret = take_name(file);
	if (ret && file->name)
		unlink(file->name);
	close(file->fd);
	free(file->name);
	return ret;
}
