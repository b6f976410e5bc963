/* SPDX-License-Identifier: GPL-2.0 */
/* Reading and writing all that was asked for, where the kernel gives or takes less at a time. */
#ifndef MEMLAT_WHOLE_H
#define MEMLAT_WHOLE_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include <linux/types.h>

/* A file of one read(), as /proc's are, as text without the newline at its end. False: it has none. */
bool whole_text(const char *path, char *text, size_t size);

/* How many bytes were there: less than size at the end only. -errno on failure. */
ssize_t whole_read(int fd, void *bytes, size_t size);
ssize_t whole_read_at(int fd, void *bytes, size_t size, __u64 offset);
/* 0 or -errno. A reader that has gone is -EPIPE where the program ignores SIGPIPE. */
int whole_write(int fd, const void *bytes, size_t size);
int whole_write_at(int fd, const void *bytes, size_t size, __u64 offset);

#endif
