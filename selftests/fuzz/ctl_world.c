// SPDX-License-Identifier: GPL-2.0
/*
 * The files that memlat-ctl's parsers see, and what it prints. The linker redirects their calls to
 * here (--wrap), because a target must neither depend on this machine nor change it.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <wchar.h>
#include <wctype.h>

#include "ctl.h"
#include "host/privilege.h"

int __real_open(const char *path, int flags, ...);
FILE *__real_fopen(const char *path, const char *mode);
DIR *__real_opendir(const char *path);
int __real_stat(const char *path, struct stat *st);
long __real_syscall(long number, ...);
int __wrap_open(const char *path, int flags, ...);
FILE *__wrap_fopen(const char *path, const char *mode);
DIR *__wrap_opendir(const char *path);
int __wrap_stat(const char *path, struct stat *st);
long __wrap_syscall(long number, ...);

struct file {
	const char *path;
	const void *bytes;
	size_t size;
};

static struct {
	bool closed;
	struct file file[2];
} world;

void world_file(unsigned int number, const char *path, const void *bytes, size_t size)
{
	world.closed = true;
	world.file[number] = (struct file){ path, bytes, size };
	if (!number)
		world.file[1].path = NULL;
}

/* NULL: it is none of the world's. */
static const struct file *file_of(const char *path)
{
	unsigned int i;

	for (i = 0; world.closed && i < 2; i++)
		if (world.file[i].path && !strcmp(path, world.file[i].path))
			return &world.file[i];
	return NULL;
}

void world_open(void)
{
	world.closed = false;
}

static char folder[256];

static void remove_folder(void)
{
	DIR *listing = __real_opendir(folder);
	struct dirent *entry;

	world_open();
	while (listing && (entry = readdir(listing)))
		unlinkat(dirfd(listing), entry->d_name, 0);
	if (listing)
		closedir(listing);
	rmdir(folder);
}

const char *world_folder(void)
{
	const char *tmp = getenv("TMPDIR");

	if (*folder)
		return folder;
	snprintf(folder, sizeof(folder), "%s/memlat-fuzz-XXXXXX", tmp ? tmp : "/tmp");
	fuzz_check(mkdtemp(folder));
	atexit(remove_folder);
	return folder;
}

static bool is_in_folder(const char *path)
{
	size_t length = strlen(folder);

	return length && !strncmp(path, folder, length) && path[length] == '/' &&
	       !strchr(path + length + 1, '/');
}

static bool is_there(const char *path)
{
	return !world.closed || is_in_folder(path) || !strcmp(path, folder);
}

static int bytes_open(const struct file *file)
{
	int fd = memfd_create("fuzz", MFD_CLOEXEC);

	fuzz_check(fd >= 0 && write(fd, file->bytes, file->size) == (ssize_t)file->size &&
		   !lseek(fd, 0, SEEK_SET));
	return fd;
}

int __wrap_open(const char *path, int flags, ...)
{
	mode_t mode = 0;
	va_list args;

	va_start(args, flags);
	if (flags & (O_CREAT | O_TMPFILE))
		mode = va_arg(args, mode_t);
	va_end(args);
	if (file_of(path))
		return bytes_open(file_of(path));
	/* The root from which openat2() below starts. */
	if (is_there(path) || flags & O_PATH)
		return __real_open(path, flags, mode);
	errno = ENOENT;
	return -1;
}

FILE *__wrap_fopen(const char *path, const char *mode)
{
	if (file_of(path))
		return fdopen(bytes_open(file_of(path)), "r");
	/* libFuzzer writes an input that failed before the target lets calls through again. */
	if (is_there(path) || *mode == 'w')
		return __real_fopen(path, mode);
	errno = ENOENT;
	return NULL;
}

DIR *__wrap_opendir(const char *path)
{
	if (is_there(path))
		return __real_opendir(path);
	errno = ENOENT;
	return NULL;
}

int __wrap_stat(const char *path, struct stat *st)
{
	if (is_there(path))
		return __real_stat(path, st);
	errno = ENOENT;
	return -1;
}

long __wrap_syscall(long number, ...)
{
	long args[5];
	va_list list;
	unsigned int i;

	va_start(list, number);
	for (i = 0; i < 5; i++)
		args[i] = va_arg(list, long);
	va_end(list);
	if (world.closed && number == SYS_openat2) {
		if (file_of((const char *)args[1]))
			return bytes_open(file_of((const char *)args[1]));
		errno = ENOENT;
		return -1;
	}
	return __real_syscall(number, args[0], args[1], args[2], args[3], args[4]);
}

/* Replaces the library's function, because libFuzzer still has to write files. */
void privilege_drop(enum privilege_need need)
{
	(void)need;
}

static FILE *real_out, *real_complaint;

void said_begin(struct said *said)
{
	memset(said, 0, sizeof(*said));
	real_out = stdout;
	real_complaint = stderr;
	stdout = open_memstream(&said->out, &said->out_size);
	stderr = open_memstream(&said->complaint, &said->complaint_size);
	fuzz_check(stdout && stderr);
}

void said_check(const char *text, size_t size)
{
	mbstate_t state = { 0 };
	size_t at = 0, length;
	wchar_t character;

	fuzz_check(strlen(text) == size);
	while (at < size) {
		length = mbrtowc(&character, text + at, size - at, &state);
		if (length > size - at)
			fuzz_wrong("byte %zu of the output is no character: 0x%02x", at,
				   (unsigned char)text[at]);
		if (character != '\n' && !iswprint((wint_t)character))
			fuzz_wrong("byte %zu of the output is obeyed, not shown: U+%04X", at,
				   (unsigned int)character);
		at += length;
	}
}

void said_end(struct said *said)
{
	fclose(stdout);
	fclose(stderr);
	stdout = real_out;
	stderr = real_complaint;
	said_check(said->complaint, said->complaint_size);
}
