/* SPDX-License-Identifier: GPL-2.0 */
/* Read or write everything that was asked for, even if the kernel transfers less at a time. */
#ifndef MEMLAT_IO_H
#define MEMLAT_IO_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/stat.h>
#include <sys/types.h>

#include <linux/types.h>

/*
 * Read a file with one read(), such as a file in /proc, as text without its final newline. False:
 * it is missing or empty.
 */
bool io_text(const char *path, char *text, size_t size);

/*
 * Open a regular file to read it, and get its status. -errno on failure; -EINVAL: it is of another
 * kind, such as a device, whose opening may already have an effect.
 */
int io_open(const char *path, struct stat *st);

/* The number of bytes read, which is less than size only at the end. -errno on failure. */
ssize_t io_read(int fd, void *bytes, size_t size);
ssize_t io_read_at(int fd, void *bytes, size_t size, __u64 offset);
/* 0 or -errno. If the reader has gone, it is -EPIPE, provided that SIGPIPE is ignored. */
int io_write(int fd, const void *bytes, size_t size);
int io_write_at(int fd, const void *bytes, size_t size, __u64 offset);

#endif
