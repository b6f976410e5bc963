// SPDX-License-Identifier: GPL-2.0
/*
 * dwfl_standard_find_debuginfo() is not used. It looks only for the debug file of a Dwfl's
 * module, so a program or a kernel known by its build id alone would still need the folders
 * here. Where DEBUGINFOD_URLS is set it asks servers in the middle of a view, where it is not
 * it skips debuginfod's cache, and its open() waits for a FIFO that a .gnu_debuglink names.
 */
#define _GNU_SOURCE
#include "debug_file.h"

#include <elfutils/libdwelf.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "../util/text.h"
#include "../util/xalloc.h"

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

/* The folder where debuginfod's client keeps what it fetched, by debuginfod's own rules. */
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

/* Make the path of a file; false: the file is not there. */
__attribute__((format(printf, 3, 4)))
static bool is_file(char *path, size_t room, const char *format, ...)
{
	struct stat st;
	va_list args;
	int length;

	va_start(args, format);
	length = vsnprintf(path, room, format, args);
	va_end(args);
	/* debuginfod leaves an empty file to note that it found nothing. */
	return length > 0 && (size_t)length < room && !stat(path, &st) && S_ISREG(st.st_mode) &&
	       st.st_size;
}

static bool find_by_id(const char *folders, const __u8 *id, size_t size, const char *suffix,
		       const char *in_cache, char *path, size_t room)
{
	char text[ID_TEXT_MAX], cache[PATH_MAX], *list, *rest, *folder;
	bool found = false;

	if (!id_text(text, id, size))
		return false;
	list = rest = xstrdup(folders ? folders : FOLDERS);
	while (!found && (folder = strsep(&rest, ":")))
		found = *folder && is_file(path, room, "%s/.build-id/%.2s/%s%s", folder, text,
					   text + 2, suffix);
	free(list);
	return found || (cache_folder(cache, sizeof(cache)) &&
			 is_file(path, room, "%s/%s/%s", cache, text, in_cache));
}

bool debug_program_by_id(const char *folders, const __u8 *id, size_t size, char *path,
			 size_t room)
{
	return find_by_id(folders, id, size, "", "executable", path, room);
}

bool debug_program_by_path(const char *folders, const char *program, size_t at, char *path,
			   size_t room)
{
	char *list, *rest, *folder;
	bool more = false;

	if (!folders)
		return false;
	list = rest = xstrdup(folders);
	while ((folder = strsep(&rest, ":")) && at >= 2)
		at -= 2;
	more = folder;
	if (at)
		program = text_last_part(program);
	if (!folder || !is_file(path, room, "%s/%s", folder, program))
		*path = '\0';
	free(list);
	return more;
}

bool debug_file_by_id(const char *folders, const __u8 *id, size_t size, char *path,
		      size_t room)
{
	return find_by_id(folders, id, size, ".debug", "debuginfo", path, room);
}

/* Take a file if it belongs to the program: by build id if both have one, else by the CRC. */
static bool accept_file(struct elf_file *file, const char *path, const __u32 *crc)
{
	const void *id;
	size_t size;
	char *raw;
	Elf *elf;
	int fd;

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
		if (!raw || crc32_z(0, (unsigned char *)raw, size) != *crc)
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

static void look_by_link(struct elf_files *files, struct elf_file *file)
{
	int length = (int)(file->name - file->path) - 1;	/* of the program's folder */
	static const char *const beside[] = { "", "/.debug" };
	char path[PLACE_MAX], *list, *rest, *folder;
	bool found = false;
	const char *name;
	unsigned int i;
	GElf_Word crc;

	name = dwelf_elf_gnu_debuglink(file->elf, &crc);
	if (!name || !*name || strchr(name, '/') || length < 0)
		return;
	for (i = 0; !found && i < sizeof(beside) / sizeof(beside[0]); i++)
		/* A program that names itself has no other. */
		found = is_file(path, sizeof(path), "%.*s%s/%s", length, file->path, beside[i],
				name) && strcmp(path, file->path) && accept_file(file, path, &crc);
	list = rest = xstrdup(files->debug ? files->debug : FOLDERS);
	while (!found && (folder = strsep(&rest, ":")))
		found = *folder && is_file(path, sizeof(path), "%s%.*s/%s", folder, length,
					   file->path, name) && accept_file(file, path, &crc);
	free(list);
}

void debug_file_look(struct elf_files *files, struct elf_file *file)
{
	char path[PLACE_MAX];

	if (file->debug_looked)
		return;
	file->debug_looked = true;
	if (!file->elf)
		return;
	if (!debug_file_by_id(files->debug, file->build_id, file->build_id_size, path,
			      sizeof(path)) || !accept_file(file, path, NULL))
		look_by_link(files, file);
}
