/* SPDX-License-Identifier: GPL-2.0 */
/* A file that gets its name only once it is complete, so that a crash leaves no partial file. */
#ifndef MEMLAT_FILE_NEW_H
#define MEMLAT_FILE_NEW_H

#include <stdbool.h>
#include <stddef.h>

#define FILE_NEW_WHY_MAX	256

/*
 * The file that this path leads to: the target of a symbolic link, so that the link itself stays.
 * Newly allocated. NULL, with errno and why, if file_new_write() would write no such file.
 */
char *file_new_target(const char *path, char why[FILE_NEW_WHY_MAX]);

/* Write everything to a descriptor and sync it to the disk: 0 or -errno. */
typedef int file_new_writer(int fd, const void *context);

/*
 * Write a whole file that only its owner can read. An older file of that name stays until then. The
 * target of a symbolic link is replaced, and not the link. Returns 0 or -errno; why says what could
 * not be done.
 */
int file_new_write(const char *path, file_new_writer *write, const void *context,
		   char why[FILE_NEW_WHY_MAX]);
/*
 * As file_new_write(), with bytes from memory. shared: the user's umask decides who can read the
 * file.
 */
int file_new_bytes(const char *path, const void *bytes, size_t size, bool shared,
		   char why[FILE_NEW_WHY_MAX]);

#endif
