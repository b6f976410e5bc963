// SPDX-License-Identifier: GPL-2.0
#define _GNU_SOURCE
#include "calibrate.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../profile/machine_edges.h"
#include "../util/json.h"
#include "../util/whole.h"

const char *store_wrong(const char *path)
{
	struct stat is;

	if (!*path)
		return "that is not the name of a file";
	if (stat(path, &is))
		return NULL;
	if (S_ISDIR(is.st_mode))
		return "that is a folder";
	/* The rename would replace it by a file. */
	return S_ISREG(is.st_mode) ? NULL : "that is a device or the like";
}

static int make_folders(const char *path)
{
	char folder[MACHINE_EDGES_PATH];
	char *at;

	snprintf(folder, sizeof(folder), "%s", path);
	for (at = strchr(folder + 1, '/'); at; at = strchr(at + 1, '/')) {
		*at = '\0';
		if (mkdir(folder, 0755) && errno != EEXIST)
			return -errno;
		*at = '/';
	}
	return 0;
}

static int write_text(int fd, const void *text)
{
	int ret = whole_write(fd, text, strlen(text));

	if (!ret)
		ret = whole_write(fd, "\n", 1);
	/* The machine's file is for all users. */
	if (!ret && (fchmod(fd, 0644) || fsync(fd)))
		ret = -errno;
	return ret;
}

int store_write(const char *path, bool folders, struct json_object *document,
		char why[FILE_NEW_WHY_MAX])
{
	const char *text = json_text(document, JSON_C_TO_STRING_PRETTY);
	int ret = folders ? make_folders(path) : 0;

	if (ret)
		snprintf(why, FILE_NEW_WHY_MAX, "%s", strerror(-ret));
	else
		ret = file_new_write(path, write_text, text, why);
	json_object_put(document);
	return ret;
}
