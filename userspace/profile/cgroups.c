// SPDX-License-Identifier: GPL-2.0
#include "cgroups.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../host/process.h"
#include "../util/json.h"
#include "../util/order.h"
#include "../util/xalloc.h"
#include "file_format.h"
#include "history.h"

/* most ancestors that are looked at; a damaged history could contain a circle */
#define ANCESTORS	64
#define KEY		"cgroups"

void cgroups_free(struct cgroups *cgroups)
{
	size_t i;

	for (i = 0; i < cgroups->nr; i++)
		free(cgroups->of[i].path);
	free(cgroups->of);
	memset(cgroups, 0, sizeof(*cgroups));
}

/* The index of the process, or the one where it belongs. */
static size_t index_of(const struct cgroups *cgroups, __u32 pid)
{
	return FIRST_WHERE(i, cgroups->nr, cgroups->of[i].pid >= pid);
}

static const char *path_of(const struct cgroups *cgroups, __u32 pid)
{
	size_t at = index_of(cgroups, pid);

	return at < cgroups->nr && cgroups->of[at].pid == pid ? cgroups->of[at].path : NULL;
}

void cgroups_set(struct cgroups *cgroups, __u32 pid, const char *path)
{
	size_t at = index_of(cgroups, pid);

	if (at < cgroups->nr && cgroups->of[at].pid == pid) {
		free(cgroups->of[at].path);
	} else {
		ARRAY_GROW(cgroups->of, cgroups->nr + 1, cgroups->room);
		memmove(&cgroups->of[at + 1], &cgroups->of[at],
			(cgroups->nr - at) * sizeof(*cgroups->of));
		cgroups->nr++;
		cgroups->of[at].pid = pid;
	}
	cgroups->of[at].path = xstrdup(path);
}

/* "0::/path" is of cgroups v2. Where these are not used, systemd's own hierarchy is taken. */
static const char *parse(char *line)
{
	char *path = strncmp(line, "0::", 3) ? strstr(line, ":name=systemd:") : line;

	line[strcspn(line, "\n")] = '\0';
	return path ? strchr(path, '/') : NULL;
}

void cgroups_note(struct cgroups *cgroups, __u32 pid)
{
	char name[32], *line = NULL;
	size_t room = 0;
	const char *path;
	FILE *file;

	snprintf(name, sizeof(name), "/proc/%u/cgroup", pid);
	file = fopen(name, "re");
	if (!file)
		return;
	while (getline(&line, &room, file) >= 0) {
		path = parse(line);
		/* The line of version 2 is the last one. */
		if (path)
			cgroups_set(cgroups, pid, path);
	}
	free(line);
	fclose(file);
}

void cgroups_note_all(struct cgroups *cgroups)
{
	DIR *proc = NULL;
	__u32 pid;

	while ((pid = process_next(&proc)))
		cgroups_note(cgroups, pid);
}

ORDER_BY(by_pid, struct cgroup_of, pid)

void cgroups_merge(struct cgroups *into, const struct cgroups *other)
{
	struct cgroups known;
	size_t i;

	ARRAY_GROW(into->of, into->nr + other->nr, into->room);
	known = *into;
	for (i = 0; i < other->nr; i++)
		if (!path_of(&known, other->of[i].pid))
			into->of[into->nr++] = (struct cgroup_of){
				other->of[i].pid, xstrdup(other->of[i].path),
			};
	SORT(into->of, into->nr, by_pid);
}

const char *cgroups_find(const struct cgroups *cgroups, const struct history *history,
			 __u32 pid, __u32 gen)
{
	const struct history_image *image;
	unsigned int i;

	for (i = 0; pid && i < ANCESTORS; i++) {
		const char *path = path_of(cgroups, pid);

		if (path)
			return path;
		image = history ? history_find(history, pid, gen) : NULL;
		if (!image)
			return NULL;
		pid = image->parent;
		gen = 0;
	}
	return NULL;
}

void cgroups_to_json(struct json_object *object, const struct cgroups *cgroups)
{
	struct json_object *list = json_list();
	size_t i;

	for (i = 0; i < cgroups->nr; i++) {
		struct json_object *of = json_new();

		json_put_count(of, "pid", cgroups->of[i].pid);
		text_json_put(of, "path", cgroups->of[i].path);
		json_append(list, of);
	}
	json_put(object, KEY, list);
}

/* They are written by number, so that none has to be put before others. */
static bool is_last(const struct cgroups *cgroups, __u32 pid)
{
	return !cgroups->nr || pid > cgroups->of[cgroups->nr - 1].pid;
}

int cgroups_from_json(struct cgroups *cgroups, struct json_object *object)
{
	struct json_object *list, *pid;
	size_t i;

	if (!json_object_object_get_ex(object, KEY, &list))
		return 0;
	if (!json_object_is_type(list, json_type_array))
		return -EBADMSG;
	for (i = 0; i < json_object_array_length(list); i++) {
		struct json_object *of = json_object_array_get_idx(list, i);
		char *path = NULL;

		if (!json_object_is_type(of, json_type_object) ||
		    !json_object_object_get_ex(of, "pid", &pid) ||
		    !json_object_is_type(pid, json_type_int) ||
		    !is_last(cgroups, (__u32)json_object_get_uint64(pid)) ||
		    text_json_get(of, "path", &path) || !path) {
			free(path);
			return -EBADMSG;
		}
		cgroups_set(cgroups, (__u32)json_object_get_uint64(pid), path);
		free(path);
	}
	return 0;
}
