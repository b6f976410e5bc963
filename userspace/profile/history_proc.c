// SPDX-License-Identifier: GPL-2.0
/* Live processes, from /proc. */
#include "history_internal.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "../host/process.h"
#include "../util/clock.h"
#include "../util/io.h"

/* /proc writes a newline in a path as \012 and leaves all else as it is. */
static void unescape(char *path)
{
	char *to = path;

	while (*path) {
		if (!strncmp(path, "\\012", 4)) {
			*to++ = '\n';
			path += 4;
		} else {
			*to++ = *path++;
		}
	}
	*to = '\0';
}

/* "start-end rwxp offset major:minor inode   path" */
static bool parse_map(char *line, struct history_map *map)
{
	char prot[5];
	int at = 0;

	memset(map, 0, sizeof(*map));
	if (sscanf(line, "%llx-%llx %4s %llx %x:%x %llu %n", &map->start, &map->end, prot,
		   &map->offset, &map->major, &map->minor, &map->inode, &at) != 7 || !at ||
	    map->start >= map->end)
		return false;
	map->prot = (prot[0] == 'r' ? PROT_READ : 0) | (prot[1] == 'w' ? PROT_WRITE : 0) |
		    (prot[2] == 'x' ? PROT_EXEC : 0);
	map->flags = prot[3] == 's' ? MAP_SHARED : MAP_PRIVATE;
	line += at;
	line[strcspn(line, "\n")] = '\0';
	unescape(line);
	if (!*line)
		map->flags |= MAP_ANONYMOUS;
	/* The kernel's events call anonymous memory so. */
	map->path = *line ? line : "//anon";
	return true;
}

/* The mappings of one process while they are read. */
struct seen {
	struct history *history;
	__u32 pid;
	__u64 time;
	struct history_map *maps;	/* their paths are the history's */
	size_t nr, room;
};

static struct history_event *seen_event(const struct seen *seen, enum history_kind kind, __u32 tid)
{
	struct history_event *event = history_event(seen->history, kind, seen->time, seen->pid, tid);

	event->seen = true;
	return event;
}

static void note(struct seen *seen, const struct history_map *map)
{
	struct history_event *event = seen_event(seen, HISTORY_MAP, 0);

	event->map = *map;
	event->map.path = history_keep(seen->history, map->path);
	history_lay_over(&seen->maps, &seen->nr, &seen->room, &event->map);
}

static void note_stack(const struct seen *seen, __u32 tid, __u64 start, __u64 end)
{
	struct history_event *event = seen_event(seen, HISTORY_STACK, tid);

	event->map.start = start;
	event->map.end = end;
}

static int read_maps(struct seen *seen)
{
	struct history_map map;
	char name[64], *line = NULL;
	size_t room = 0;
	int ret = 0;
	FILE *file;

	snprintf(name, sizeof(name), "/proc/%u/maps", seen->pid);
	file = fopen(name, "re");
	if (!file)
		return -errno;
	while (getline(&line, &room, file) >= 0) {
		if (!parse_map(line, &map))
			continue;
		if (!strcmp(map.path, "[stack]"))
			note_stack(seen, seen->pid, map.start, map.end);
		else
			note(seen, &map);
	}
	/* A process that is exiting has no mappings left: then none is its true state. */
	if (ferror(file))
		ret = -EIO;
	free(line);
	fclose(file);
	return ret;
}

/*
 * Find a stack by the stack pointer of a waiting thread. /proc does not show it for a running one.
 */
static void read_stack(struct seen *seen, __u32 tid)
{
	char name[64], text[256], *last;
	unsigned long long pointer;
	struct history_image image = { .maps = seen->maps, .nr_maps = seen->nr };
	const struct history_map *map;

	snprintf(name, sizeof(name), "/proc/%u/task/%u/syscall", seen->pid, tid);
	if (!io_text(name, text, sizeof(text)))
		return;
	/* "number arguments... stack-pointer instruction" */
	last = strrchr(text, ' ');
	if (!last)
		return;
	*last = '\0';
	last = strrchr(text, ' ');
	if (!last || sscanf(last, " 0x%llx", &pointer) != 1)
		return;
	map = history_map_at(&image, pointer);
	if (!map || strcmp(map->path, "//anon") || !(map->prot & PROT_WRITE))
		return;
	note_stack(seen, tid, map->start, map->end);
}

static void read_thread(struct seen *seen, __u32 tid)
{
	char name[64], comm[PROCESS_NAME_MAX] = "";

	snprintf(name, sizeof(name), "/proc/%u/task/%u/comm", seen->pid, tid);
	if (!io_text(name, comm, sizeof(comm)))
		return;
	seen_event(seen, HISTORY_COMM, tid)->comm = history_keep(seen->history, comm);
	if (tid != seen->pid)
		read_stack(seen, tid);
}

static int read_threads(struct seen *seen)
{
	struct dirent *entry;
	char name[64];
	DIR *folder;

	snprintf(name, sizeof(name), "/proc/%u/task", seen->pid);
	folder = opendir(name);
	if (!folder)
		return -errno;
	while ((entry = readdir(folder))) {
		unsigned long tid = strtoul(entry->d_name, NULL, 10);

		if (tid)
			read_thread(seen, (__u32)tid);
	}
	closedir(folder);
	return 0;
}

int history_read_proc(struct history *history, __u32 pid)
{
	struct seen seen = { .history = history, .pid = pid, .time = clock_now() };
	int ret;

	ret = read_maps(&seen);
	if (!ret)
		ret = read_threads(&seen);
	free(seen.maps);
	return ret;
}

/* The process of a thread; 0: the thread has ended. */
static __u32 process_of(__u32 task)
{
	char name[32], text[4096];
	unsigned int pid;
	const char *at;

	snprintf(name, sizeof(name), "/proc/%u/status", task);
	at = io_text(name, text, sizeof(text)) ? strstr(text, "\nTgid:") : NULL;
	return at && sscanf(at, " Tgid: %u", &pid) == 1 ? pid : 0;
}

void history_read_live(struct history *history, __u32 task)
{
	DIR *proc = NULL;
	__u32 pid = task ? process_of(task) : 0;

	if (pid)
		history_read_proc(history, pid);
	while (!task && (pid = process_next(&proc)))
		history_read_proc(history, pid);
}

void history_read_sampled(struct history *history, const struct snapshot *snap)
{
	size_t i, nr;
	__u32 *pids = history_pids_of(snap, &nr);

	for (i = 0; i < nr; i++)
		history_read_proc(history, pids[i]);
	free(pids);
}
