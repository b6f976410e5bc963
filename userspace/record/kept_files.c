// SPDX-License-Identifier: GPL-2.0
#define _GNU_SOURCE
#include "keeper.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

#include <elfutils/libdwelf.h>

#include "../util/io.h"
#include "../util/xalloc.h"

#define HELD_MOST	512	/* the oldest is closed to make room */
#define COPIES_MOST	4096

struct held_file {
	int fd;
	__u32 *pids;		/* live processes that mapped it */
	size_t nr_pids, room_pids;
	__u8 size;		/* bytes of the build id */
	__u8 id[HISTORY_BUILD_ID_MAX];
	char *path;		/* the path in the process's view */
};

static bool same_id(const __u8 *id, const struct history_map *map)
{
	return !memcmp(id, map->build_id, HISTORY_BUILD_ID_MAX);
}

/* The index of a process among those that mapped the file; nr_pids: it did not. */
static size_t pid_index(const struct held_file *file, __u32 pid)
{
	size_t i;

	/* Search from the end, because the latest process is most often the first to end. */
	for (i = file->nr_pids; i-- > 0; )
		if (file->pids[i] == pid)
			return i;
	return file->nr_pids;
}

static void add_pid(struct held_file *file, __u32 pid)
{
	if (pid_index(file, pid) < file->nr_pids)
		return;
	ARRAY_GROW(file->pids, file->nr_pids + 1, file->room_pids);
	file->pids[file->nr_pids++] = pid;
}

static struct held_file *find_held(struct kept_files *files, const struct history_map *map)
{
	size_t i;

	for (i = files->nr_held; i-- > 0; )
		if (same_id(files->held[i].id, map))
			return &files->held[i];
	return NULL;
}

static bool is_stored(const struct kept_files *files, const struct history_map *map)
{
	size_t i;

	for (i = files->nr_stored; i-- > 0; )
		if (same_id(files->stored[i], map))
			return true;
	return false;
}

static void read_build_id(int fd, struct history_map *map)
{
	const void *id;
	ssize_t size;
	Elf *elf;

	elf_version(EV_CURRENT);
	elf = elf_begin(fd, ELF_C_READ, NULL);
	size = elf && elf_kind(elf) == ELF_K_ELF ? dwelf_elf_gnu_build_id(elf, &id) : 0;
	if (size > 0) {
		/* As the kernel does. */
		if (size > HISTORY_BUILD_ID_MAX)
			size = HISTORY_BUILD_ID_MAX;
		map->build_id_size = (__u8)size;
		memcpy(map->build_id, id, (size_t)size);
	}
	elf_end(elf);
}

/* The file has the mapping's path. Is it the one that was mapped? */
static bool is_the_mapped(int fd, const struct stat *st, const struct history_map *map)
{
	struct history_map there = { 0 };

	if (!map->build_id_size)
		return st->st_ino == map->inode;
	read_build_id(fd, &there);
	return there.build_id_size == map->build_id_size &&
	       !memcmp(there.build_id, map->build_id, map->build_id_size);
}

/*
 * Open the very file that was mapped. If the mapping has changed since, or may not be opened, that is
 * the file at its path, unless it is another one by now.
 */
static int open_mapped(__u32 pid, const struct history_map *map)
{
	char path[PATH_MAX + 64];
	struct stat st;
	int fd;

	snprintf(path, sizeof(path), "/proc/%u/map_files/%llx-%llx", pid, map->start, map->end);
	fd = io_open(path, &st);
	if (fd >= 0)
		return fd;
	snprintf(path, sizeof(path), "/proc/%u/root%s", pid, map->path);
	fd = io_open(path, &st);
	if (fd >= 0 && !is_the_mapped(fd, &st, map)) {
		close(fd);
		return -ENOENT;
	}
	return fd;
}

static void let_go(struct kept_files *files, size_t index)
{
	close(files->held[index].fd);
	free(files->held[index].path);
	free(files->held[index].pids);
	files->nr_held--;
	memmove(&files->held[index], &files->held[index + 1],
		(files->nr_held - index) * sizeof(*files->held));
}

/* Does the file's path lead to the same file for memlat-ctl? */
static bool reachable(const struct held_file *file)
{
	struct stat own, there;

	return !fstat(file->fd, &own) && !stat(file->path, &there) &&
	       own.st_dev == there.st_dev && own.st_ino == there.st_ino;
}

static bool copy_bytes(int from, int to, off_t size)
{
	off_t at = 0;

	while (at < size) {
		ssize_t sent = sendfile(to, from, &at, (size_t)(size - at));

		if (sent < 0 && errno == EINTR)
			continue;
		if (sent <= 0)
			return false;
	}
	return true;
}

/* Make FOLDER/.build-id/xx/yyyy, with the folders above it. */
static int make(const char *folder, const struct held_file *file, char *path, size_t room)
{
	int used = snprintf(path, room, "%s/.build-id", folder);
	unsigned int i;

	mkdir(folder, 0700);
	mkdir(path, 0700);
	used += snprintf(path + used, room - (size_t)used, "/%02x", file->id[0]);
	mkdir(path, 0700);
	used += snprintf(path + used, room - (size_t)used, "/");
	for (i = 1; i < file->size; i++)
		used += snprintf(path + used, room - (size_t)used, "%02x", file->id[i]);
	return open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
}

static bool store(struct kept_files *files, const struct held_file *file)
{
	char path[PATH_MAX];
	struct stat st;
	bool done;
	int to;

	if (fstat(file->fd, &st) || st.st_size <= 0 ||
	    (__u64)st.st_size > files->most - files->bytes || files->nr_stored >= COPIES_MOST)
		return false;
	to = make(files->folder, file, path, sizeof(path));
	if (to < 0)
		return false;
	done = copy_bytes(file->fd, to, st.st_size);
	close(to);
	if (done)
		files->bytes += (__u64)st.st_size;
	else
		unlink(path);
	return done;
}

/*
 * The last process that mapped the file has ended, or the file has to make room for another one.
 * Copy the file if its path does not lead to it.
 */
static void store_unreachable(struct kept_files *files, const struct held_file *file)
{
	if (reachable(file))
		return;
	if (store(files, file))
		files->copies++;
	else
		files->lost++;
	/* Try each file only once, even if it was not stored. */
	if (files->nr_stored == COPIES_MOST)
		return;
	ARRAY_GROW(files->stored, files->nr_stored + 1, files->room_stored);
	memcpy(files->stored[files->nr_stored++], file->id, sizeof(file->id));
}

/*
 * Kernels before 5.12 tell no build ids (ring.c), so read it from the file. The segments of a file
 * are mapped one after the other.
 */
static void learn_build_id(struct kept_files *files, __u32 pid, struct history_map *map)
{
	const struct history_map *last = &files->last;
	int fd;

	files->told = files->told || map->build_id_size;
	if (files->told)
		return;
	if (!map->inode || files->last_pid != pid || last->inode != map->inode ||
	    last->major != map->major || last->minor != map->minor) {
		fd = open_mapped(pid, map);
		if (fd < 0)
			return;
		read_build_id(fd, map);
		close(fd);
		files->last = *map;
		files->last.path = NULL;
		files->last_pid = pid;
	}
	map->build_id_size = last->build_id_size;
	memcpy(map->build_id, last->build_id, sizeof(map->build_id));
}

void kept_files_mapped(struct kept_files *files, __u32 pid, struct history_map *map)
{
	struct held_file *file;
	int fd;

	if (!history_path_is_file(map->path))
		return;
	learn_build_id(files, pid, map);
	/* Without a build id, the copy could not be assigned to a mapping later. */
	if (!(map->prot & PROT_EXEC) || map->build_id_size < 2 || is_stored(files, map))
		return;
	file = find_held(files, map);
	if (file) {
		add_pid(file, pid);
		return;
	}
	fd = open_mapped(pid, map);
	if (fd < 0)
		return;
	if (files->nr_held == HELD_MOST) {
		store_unreachable(files, &files->held[0]);
		let_go(files, 0);
	}
	ARRAY_GROW(files->held, files->nr_held + 1, files->room_held);
	file = &files->held[files->nr_held++];
	*file = (struct held_file){ .fd = fd, .size = map->build_id_size };
	add_pid(file, pid);
	memcpy(file->id, map->build_id, sizeof(file->id));
	file->path = xstrdup(map->path);
}

void kept_files_ended(struct kept_files *files, __u32 pid)
{
	size_t i = files->nr_held, at;

	while (i-- > 0) {
		struct held_file *file = &files->held[i];

		at = pid_index(file, pid);
		if (at == file->nr_pids)
			continue;
		file->pids[at] = file->pids[--file->nr_pids];
		if (file->nr_pids)
			continue;
		store_unreachable(files, file);
		let_go(files, i);
	}
}

void kept_files_end(struct kept_files *files)
{
	while (files->nr_held) {
		store_unreachable(files, &files->held[files->nr_held - 1]);
		let_go(files, files->nr_held - 1);
	}
	free(files->held);
	free(files->stored);
	files->held = NULL;
	files->stored = NULL;
	files->room_held = files->nr_stored = files->room_stored = 0;
}

/* Remove everything in a folder down to depth, as in FOLDER/.build-id/xx/yyyy. */
static void remove_below(int folder, const char *name, unsigned int depth)
{
	int fd = openat(folder, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	struct dirent *entry;
	DIR *listed;

	listed = fd < 0 ? NULL : fdopendir(fd);
	while (listed && (entry = readdir(listed))) {
		if (!strcmp(entry->d_name, ".") || !strcmp(entry->d_name, ".."))
			continue;
		if (unlinkat(dirfd(listed), entry->d_name, 0) && depth)
			remove_below(dirfd(listed), entry->d_name, depth - 1);
	}
	if (listed)
		closedir(listed);
	unlinkat(folder, name, AT_REMOVEDIR);
}

void kept_files_remove(const char *folder)
{
	remove_below(AT_FDCWD, folder, 3);
}
