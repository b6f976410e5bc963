// SPDX-License-Identifier: GPL-2.0
/*
 * snapshot_hold N [FILE]: take snapshots through up to N open files and keep them unread, until
 * standard input ends. With FILE, which may be the device or any other file, open it N times and
 * take none. Print how many there are, and the error that prevented more: "held 7: Cannot allocate
 * memory".
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/memlat.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	const long wanted = argc > 1 ? atol(argv[1]) : 0;
	const bool take = argc == 2;
	int error = 0;
	long held;
	char byte;

	if (wanted < 1 || argc > 3) {
		fprintf(stderr, "usage: snapshot_hold N [FILE]\n");
		return 2;
	}
	for (held = 0; held < wanted; held++) {
		int fd = open(take ? MEMLAT_DEVICE : argv[2], O_RDWR | O_CLOEXEC);

		if (fd < 0 || (take && ioctl(fd, MEMLAT_IOC_SNAPSHOT))) {
			error = errno;
			break;
		}
	}
	printf("held %ld: %s\n", held, error ? strerror(error) : "all");
	fflush(stdout);
	while (read(STDIN_FILENO, &byte, 1) > 0)
		continue;
	return 0;
}
