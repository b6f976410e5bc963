// SPDX-License-Identifier: GPL-2.0
#define _GNU_SOURCE
#include "file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../util/io.h"
#include "../util/xalloc.h"

#define OWN_FILES	"/proc/self/fd"
#define TRIES		100

struct file_new {
	int fd;			/* descriptor to write to */
	const char *target;	/* the final name */
	char *name;		/* the temporary name; NULL: none */
	bool unnamed;		/* linking failed: begin again with named set */
};

/* A path in the target's folder: a file can be renamed only within one file system. */
static char *path_in_folder(const char *target, const char *name)
{
	const char *slash = strrchr(target, '/');

	return xasprintf("%.*s%s", slash ? (int)(slash - target) + 1 : 0, target, name);
}

/* Open a file without a name. If memlat-ctl dies before the file has one, nothing is left of it. */
static int open_nameless(const char *target)
{
	char *folder;
	int fd;

	/* Without /proc it could get no name later. */
	if (access(OWN_FILES, X_OK))
		return -1;
	folder = path_in_folder(target, ".");
	fd = open(folder, O_TMPFILE | O_WRONLY | O_CLOEXEC, 0600);
	free(folder);
	return fd;
}

/*
 * Create a file that will replace target. named: give it a temporary name right away, which a crash
 * would leave behind. Returns 0 or -errno.
 */
static int begin(struct file_new *file, const char *target, bool named)
{
	int error;

	*file = (struct file_new){ .fd = named ? -1 : open_nameless(target), .target = target };
	if (file->fd >= 0)
		return 0;
	/*
	 * Not every file system has nameless files. Any other error occurs here again, and is
	 * returned.
	 */
	file->name = path_in_folder(target, ".memlat-XXXXXX");
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

/* Give the file a temporary name in the target's folder, from which it can be renamed. */
static int link_beside(struct file_new *file)
{
	int ret = -EEXIST, tries;
	unsigned int number;
	char name[32];

	for (tries = 0; ret == -EEXIST && tries < TRIES; tries++) {
		if (getrandom(&number, sizeof(number), 0) != (ssize_t)sizeof(number))
			return -errno;
		snprintf(name, sizeof(name), ".memlat-%08x", number);
		file->name = path_in_folder(file->target, name);
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
		/* If there is no older file, the target's name can be given directly. */
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

/* If ret is 0, give the file its final name, otherwise discard it. Returns ret or -errno. */
static int end(struct file_new *file, int ret)
{
	if (!ret)
		ret = take_name(file);
	if (ret && file->name)
		unlink(file->name);
	close(file->fd);
	free(file->name);
	return ret;
}

/* As file_new_target(). Returns NULL with errno, and with why if errno does not tell enough. */
static char *target_of(const char *path, char why[FILE_NEW_WHY_MAX])
{
	struct stat is;

	if (!stat(path, &is)) {
		if (S_ISREG(is.st_mode))
			return realpath(path, NULL);
		snprintf(why, FILE_NEW_WHY_MAX, S_ISDIR(is.st_mode) ?
			 "it is a folder; give the name of a file" :
			 "it is a device or the like; give the name of a file");
		errno = EINVAL;
		return NULL;
	}
	if (errno != ENOENT)
		return NULL;
	if (!lstat(path, &is)) {
		snprintf(why, FILE_NEW_WHY_MAX,
			 "it is a symbolic link to a file that is not there");
		errno = EINVAL;
		return NULL;
	}
	return xstrdup(path);
}

char *file_new_target(const char *path, char why[FILE_NEW_WHY_MAX])
{
	char *target;

	*why = '\0';
	target = target_of(path, why);
	if (!target && !*why) {
		const int error = errno;

		snprintf(why, FILE_NEW_WHY_MAX, "%s", strerror(error));
		errno = error;
	}
	return target;
}

static int write_and_name(const char *target, file_new_writer *write, const void *context)
{
	struct file_new file;
	int ret = begin(&file, target, false);

	if (!ret)
		ret = end(&file, write(file.fd, context));
	/*
	 * The file system has no links: write again under a temporary name, so that the data is not
	 * lost.
	 */
	if (ret && file.unnamed) {
		ret = begin(&file, target, true);
		if (!ret)
			ret = end(&file, write(file.fd, context));
	}
	return ret;
}

int file_new_write(const char *path, file_new_writer *write, const void *context,
		   char why[FILE_NEW_WHY_MAX])
{
	char *target = file_new_target(path, why);
	int ret;

	if (!target)
		return -errno;
	ret = write_and_name(target, write, context);
	free(target);
	if (ret)
		snprintf(why, FILE_NEW_WHY_MAX, "%s", strerror(-ret));
	return ret;
}

struct content {
	const char *bytes;
	size_t size;
	bool shared;
};

static int share(int fd)
{
	const mode_t mask = umask(0);

	umask(mask);
	return fchmod(fd, 0666 & ~mask) ? -errno : 0;
}

static int write_content(int fd, const void *context)
{
	const struct content *content = context;
	int ret = io_write(fd, content->bytes, content->size);

	if (!ret && fsync(fd))
		ret = -errno;
	return !ret && content->shared ? share(fd) : ret;
}

int file_new_bytes(const char *path, const void *bytes, size_t size, bool shared,
		   char why[FILE_NEW_WHY_MAX])
{
	const struct content content = { .bytes = bytes, .size = size, .shared = shared };

	return file_new_write(path, write_content, &content, why);
}
