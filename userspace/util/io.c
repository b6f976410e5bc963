// SPDX-License-Identifier: GPL-2.0
#include "io.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

/* The kernel refuses pread() and pwrite() for sockets and pipes, which have no offset. */
static ssize_t read_all(int fd, char *bytes, size_t size, bool at, __u64 offset)
{
	size_t got = 0;

	while (got < size) {
		ssize_t now = at ? pread(fd, bytes + got, size - got, (off_t)(offset + got)) :
				   read(fd, bytes + got, size - got);

		if (now < 0 && errno == EINTR)
			continue;
		if (now < 0)
			return -errno;
		if (!now)
			break;
		got += (size_t)now;
	}
	return (ssize_t)got;
}

static int write_all(int fd, const char *bytes, size_t size, bool at, __u64 offset)
{
	size_t put = 0;

	while (put < size) {
		ssize_t now = at ? pwrite(fd, bytes + put, size - put, (off_t)(offset + put)) :
				   write(fd, bytes + put, size - put);

		if (now < 0 && errno == EINTR)
			continue;
		if (now <= 0)
			return now ? -errno : -EIO;
		put += (size_t)now;
	}
	return 0;
}

bool io_text(const char *path, char *text, size_t size)
{
	ssize_t got;
	int fd;

	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	got = read(fd, text, size - 1);
	close(fd);
	if (got <= 0)
		return false;
	/* Drop only the last newline, which /proc adds. A name in the file may contain others. */
	if (text[got - 1] == '\n')
		got--;
	text[got] = '\0';
	return true;
}

int io_open(const char *path, struct stat *st)
{
	int fd;

	if (stat(path, st))
		return -errno;
	if (!S_ISREG(st->st_mode))
		return -EINVAL;
	/* Another file may have the name by now. */
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (fd < 0)
		return -errno;
	if (fstat(fd, st) || !S_ISREG(st->st_mode)) {
		close(fd);
		return -EINVAL;
	}
	return fd;
}

ssize_t io_read(int fd, void *bytes, size_t size)
{
	return read_all(fd, bytes, size, false, 0);
}

ssize_t io_read_at(int fd, void *bytes, size_t size, __u64 offset)
{
	return read_all(fd, bytes, size, true, offset);
}

int io_write(int fd, const void *bytes, size_t size)
{
	return write_all(fd, bytes, size, false, 0);
}

int io_write_at(int fd, const void *bytes, size_t size, __u64 offset)
{
	return write_all(fd, bytes, size, true, offset);
}
