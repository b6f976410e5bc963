// SPDX-License-Identifier: GPL-2.0
#include "kmsg.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

int kmsg_open(void)
{
	int fd = open("/dev/kmsg", O_RDONLY | O_NONBLOCK | O_CLOEXEC);

	if (fd < 0 || lseek(fd, 0, SEEK_END) == 0)
		return fd;
	close(fd);
	return -1;
}

const char *kmsg_next(int fd)
{
	static char line[8192];
	ssize_t got;
	char *text;

	do
		got = read(fd, line, sizeof(line) - 1);
	/* Some messages were overwritten: continue with the next. */
	while (got < 0 && errno == EPIPE);
	if (got < 0)
		return NULL;
	line[got] = 0;
	text = strchr(line, ';');
	return text ? text + 1 : line;
}
