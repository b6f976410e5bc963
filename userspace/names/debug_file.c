// SPDX-License-Identifier: GPL-2.0
#define _GNU_SOURCE
#include "debug_file.h"

#include <elfutils/libdwelf.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define FOLDERS		"/usr/lib/debug"
#define ID_TEXT_MAX	(2 * HISTORY_BUILD_ID_MAX + 1)
#define PLACE_MAX	(2 * PATH_MAX + 64)

static bool id_text(char text[ID_TEXT_MAX], const __u8 *id, size_t size)
{
	size_t i;

	if (size < 2 || size > HISTORY_BUILD_ID_MAX)
		return false;
	for (i = 0; i < size; i++)
		snprintf(text + 2 * i, 3, "%02x", id[i]);
	return true;
}

/* Folder by folder: the first one for which the callback finds something. */
static bool each_folder(const char *folders, bool (*try)(void *context, const char *folder),
			void *context)
{
	char folder[PATH_MAX];
	const char *at = folders ? folders : FOLDERS;

	while (*at) {
		size_t length = strcspn(at, ":");

		if (length && length < sizeof(folder)) {
			memcpy(folder, at, length);
			folder[length] = '\0';
			if (try(context, folder))
				return true;
		}
		at += length;
		at += *at == ':';
	}
	return false;
}

/* debuginfod's own rules for where its client keeps what it fetched. */
static bool cache_folder(char *path, size_t room)
{
	const char *own = getenv("DEBUGINFOD_CACHE_PATH");
	const char *caches = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
	int length;

	if (own && *own)
		length = snprintf(path, room, "%s", own);
	else if (caches && *caches)
		length = snprintf(path, room, "%s/debuginfod_client", caches);
	else if (home && *home)
		length = snprintf(path, room, "%s/.cache/debuginfod_client", home);
	else
		return false;
	return length > 0 && (size_t)length < room;
}

static bool is_file(const char *path)
{
	struct stat st;

	/* An empty one is debuginfod's note that it found nothing. */
	return !stat(path, &st) && S_ISREG(st.st_mode) && st.st_size;
}

struct by_id {
	char id[ID_TEXT_MAX];
	const char *suffix;	/* under .build-id */
	char *path;
	size_t room;
};

static bool try_id(void *context, const char *folder)
{
	const struct by_id *want = context;
	int length = snprintf(want->path, want->room, "%s/.build-id/%.2s/%s%s", folder,
			      want->id, want->id + 2, want->suffix);

	return length > 0 && (size_t)length < want->room && is_file(want->path);
}

static bool find_by_id(struct by_id *want, const char *folders, const char *in_cache)
{
	char cache[PATH_MAX];
	int length;

	if (each_folder(folders, try_id, want))
		return true;
	if (!cache_folder(cache, sizeof(cache)))
		return false;
	length = snprintf(want->path, want->room, "%s/%s/%s", cache, want->id, in_cache);
	return length > 0 && (size_t)length < want->room && is_file(want->path);
}

bool debug_program_by_id(const char *folders, const __u8 *id, size_t size, char *path,
			 size_t room)
{
	struct by_id want = { .suffix = "", .path = path, .room = room };

	return id_text(want.id, id, size) && find_by_id(&want, folders, "executable");
}

bool debug_file_by_id(const char *folders, const __u8 *id, size_t size, char *path,
		      size_t room)
{
	struct by_id want = { .suffix = ".debug", .path = path, .room = room };

	return id_text(want.id, id, size) && find_by_id(&want, folders, "debuginfo");
}

/* The checksum of .gnu_debuglink: the usual CRC-32, reflected. */
static __u32 checksum(const unsigned char *bytes, size_t size)
{
	static __u32 table[256];
	__u32 crc = ~0U;
	unsigned int i, bit;
	size_t at;

	for (i = 0; !table[255] && i < 256; i++) {
		__u32 row = i;

		for (bit = 0; bit < 8; bit++)
			row = row & 1 ? row >> 1 ^ 0xedb88320U : row >> 1;
		table[i] = row;
	}
	for (at = 0; at < size; at++)
		crc = table[(crc ^ bytes[at]) & 0xff] ^ crc >> 8;
	return ~crc;
}

struct by_link {
	const char *name;
	__u32 crc;
	char folder[PATH_MAX];	/* of the program */
	struct elf_file *file;
};

/* Take a file if it belongs to the program: by build id, where both have one. */
static bool take(struct elf_file *file, const char *path, const __u32 *crc)
{
	const void *id;
	size_t size;
	char *raw;
	Elf *elf;
	int fd;

	if (!is_file(path))
		return false;
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (fd < 0)
		return false;
	elf = elf_begin(fd, ELF_C_READ_MMAP_PRIVATE, NULL);
	if (!elf || elf_kind(elf) != ELF_K_ELF)
		goto no;
	if (file->build_id_size && dwelf_elf_gnu_build_id(elf, &id) > 0) {
		if (!elf_has_build_id(elf, file->build_id, file->build_id_size))
			goto no;
	} else {
		raw = crc ? elf_rawfile(elf, &size) : NULL;
		if (!raw || checksum((unsigned char *)raw, size) != *crc)
			goto no;
	}
	file->debug_elf = elf;
	file->debug_fd = fd;
	return true;
no:
	elf_end(elf);
	close(fd);
	return false;
}

static bool try_link(void *context, const char *folder)
{
	const struct by_link *want = context;
	char path[PLACE_MAX];
	int length = snprintf(path, sizeof(path), "%s%s/%s", folder, want->folder, want->name);

	return length > 0 && (size_t)length < sizeof(path) &&
	       take(want->file, path, &want->crc);
}

static void look_by_link(struct elf_files *files, struct elf_file *file)
{
	static const char *const beside[] = { "", "/.debug" };
	struct by_link want = { .file = file };
	char path[PLACE_MAX];
	unsigned int i;
	GElf_Word crc;
	size_t length;

	want.name = dwelf_elf_gnu_debuglink(file->elf, &crc);
	length = (size_t)(file->name - file->path);
	if (!want.name || !*want.name || strchr(want.name, '/') || !length ||
	    length > sizeof(want.folder))
		return;
	want.crc = crc;
	memcpy(want.folder, file->path, length - 1);
	for (i = 0; i < sizeof(beside) / sizeof(beside[0]); i++) {
		snprintf(path, sizeof(path), "%s%s/%s", want.folder, beside[i], want.name);
		/* A program that names itself has no other. */
		if (strcmp(path, file->path) && take(file, path, &want.crc))
			return;
	}
	each_folder(files->debug, try_link, &want);
}

void debug_file_look(struct elf_files *files, struct elf_file *file)
{
	char path[PLACE_MAX];

	if (file->debug_looked)
		return;
	file->debug_looked = true;
	if (!file->elf)
		return;
	if (debug_file_by_id(files->debug, file->build_id, file->build_id_size, path,
			     sizeof(path)) && take(file, path, NULL))
		return;
	look_by_link(files, file);
}
