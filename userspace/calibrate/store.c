// SPDX-License-Identifier: GPL-2.0
#define _GNU_SOURCE
#include "store.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../profile/file_new.h"
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

static int write_file(const char *path, const char *text, bool named)
{
	struct file_new file;
	bool again;
	int ret = file_new_begin(&file, path, named);

	if (ret)
		return ret;
	ret = whole_write(file.fd, text, strlen(text));
	if (!ret)
		ret = whole_write(file.fd, "\n", 1);
	/* The machine's file is for all users. */
	if (!ret && fchmod(file.fd, 0644))
		ret = -errno;
	ret = file_new_end(&file, ret);
	again = ret && file.unnamed && !named;
	return again ? write_file(path, text, true) : ret;
}

int store_write(const char *path, bool folders, struct json_object *document)
{
	const char *text = json_text(document, JSON_C_TO_STRING_PRETTY);
	int ret = folders ? make_folders(path) : 0;
	/* Replace the target of a symbolic link, and not the link. */
	char *target = ret ? NULL : realpath(path, NULL);

	if (!ret)
		ret = write_file(target ? target : path, text, false);
	free(target);
	json_object_put(document);
	return ret;
}
