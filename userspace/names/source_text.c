// SPDX-License-Identifier: GPL-2.0
#define _GNU_SOURCE
#include "source_text.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../util/io.h"
#include "../util/xalloc.h"

#define BYTES_MAX	(8 << 20)	/* bytes of a file; no source is longer */
#define FILES_MAX	256		/* files that are kept */

/* A file that was looked up. It has no lines if it can't be read. */
struct source_file {
	char *name;		/* the path in debug information */
	char *bytes;		/* the file's content; each line ends with a zero byte */
	char **line;
	unsigned int nr_lines;
	bool changed;		/* left out because it has changed since the recording */
};

struct source_texts {
	char *folders;		/* NULL: none */
	__u64 recorded_at;
	struct source_file file[FILES_MAX];
	size_t nr;
};

struct source_texts *source_texts_new(const char *folders, __u64 recorded_at)
{
	struct source_texts *texts = xcalloc(1, sizeof(*texts));

	texts->folders = folders ? xstrdup(folders) : NULL;
	texts->recorded_at = recorded_at;
	return texts;
}

void source_texts_free(struct source_texts *texts)
{
	size_t i;

	if (!texts)
		return;
	for (i = 0; i < texts->nr; i++) {
		free(texts->file[i].name);
		free(texts->file[i].bytes);
		free(texts->file[i].line);
	}
	free(texts->folders);
	free(texts);
}

/*
 * Is it the name of source code? Other files are not read, because debug information may name any
 * file, also one that the user may read and does not mean to show.
 */
static bool is_source(const char *path)
{
	static const char *const known[] = {
		"c", "h", "cc", "cpp", "cxx", "c++", "C", "hh", "hpp", "hxx", "h++", "H", "inc",
		"inl", "ipp", "tcc", "S", "s", "asm", "rs", "go", "d", "f", "F", "f90", "F90",
		"f95", "f03", "f08", "adb", "ads", "pas", "zig", "nim", "swift", "m", "mm", "cu",
		"cuh", "y", "l", "java", "kt", "scala", "ml", "hs", "jl", "v", "cr", "vala", "odin",
	};
	const char *dot = strrchr(path, '.');
	size_t i;

	for (i = 0; dot && i < sizeof(known) / sizeof(known[0]); i++)
		if (!strcmp(dot + 1, known[i]))
			return true;
	return false;
}

/* Open a regular file that is not too large; below 0: it is none. */
static int open_source(const char *path, struct stat *found)
{
	int fd = is_source(path) ? io_open(path, found) : -1;

	if (fd < 0 || found->st_size <= BYTES_MAX)
		return fd;
	close(fd);
	return -1;
}

/* Open a file under a folder, by its whole path first and then by fewer of its last parts. */
static int open_under(const char *folder, size_t length, const char *file, struct stat *found)
{
	const char *part = file;
	int fd = -1;

	while (fd < 0 && part) {
		while (*part == '/')
			part++;
		if (*part && !strstr(part, "..")) {
			char *path = xasprintf("%.*s/%s", (int)length, folder, part);

			fd = open_source(path, found);
			free(path);
		}
		part = strchr(part, '/');
	}
	return fd;
}

/* Open a source file; -1: it is not on this machine, or has changed. */
static int open_current(const struct source_texts *texts, struct source_file *file, struct stat *found)
{
	const char *folder = texts->folders;
	int fd = -1;

	while (fd < 0 && folder) {
		const char *end = strchrnul(folder, ':');

		if (end > folder)
			fd = open_under(folder, (size_t)(end - folder), file->name, found);
		folder = *end ? end + 1 : NULL;
	}
	if (fd >= 0)
		return fd;
	fd = open_source(file->name, found);
	file->changed = fd >= 0 && (__u64)found->st_mtime > texts->recorded_at;
	if (!file->changed)
		return fd;
	close(fd);
	return -1;
}

static void split(struct source_file *file, size_t size)
{
	size_t room = 0;
	char *at = file->bytes, *end = at + size;

	while (at < end) {
		char *stop = memchr(at, '\n', (size_t)(end - at));

		ARRAY_GROW(file->line, file->nr_lines + 1, room);
		file->line[file->nr_lines++] = at;
		stop = stop ? stop : end;
		*stop = '\0';
		if (stop > at && stop[-1] == '\r')
			stop[-1] = '\0';
		at = stop + 1;
	}
}

static void read_source(const struct source_texts *texts, struct source_file *file)
{
	struct stat found;
	int fd = open_current(texts, file, &found);
	ssize_t got;

	if (fd < 0)
		return;
	file->bytes = xmalloc((size_t)found.st_size + 1);
	got = io_read(fd, file->bytes, (size_t)found.st_size);
	close(fd);
	/* A file with a zero byte is no text. */
	if (got > 0 && !memchr(file->bytes, '\0', (size_t)got))
		split(file, (size_t)got);
}

const char *source_text(struct source_texts *texts, const char *file, unsigned int line)
{
	struct source_file *of;
	size_t i;

	if (!file || !line)
		return NULL;
	for (i = 0; i < texts->nr && strcmp(texts->file[i].name, file); i++)
		;
	if (i == FILES_MAX)
		return NULL;
	of = &texts->file[i];
	if (i == texts->nr) {
		of->name = xstrdup(file);
		texts->nr++;
		read_source(texts, of);
	}
	return line <= of->nr_lines ? of->line[line - 1] : NULL;
}

const char *source_texts_without(const struct source_texts *texts, const char **missing)
{
	size_t i;

	*missing = NULL;
	for (i = 0; i < texts->nr; i++) {
		if (texts->file[i].changed)
			return texts->file[i].name;
		if (!texts->file[i].nr_lines && !*missing)
			*missing = texts->file[i].name;
	}
	return NULL;
}
