// SPDX-License-Identifier: GPL-2.0
/*
 * packed: read a snapshot of packed records, as memlat-ctl does, and print the number of its bytes.
 */
#include <fcntl.h>
#include <linux/memlat.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <unistd.h>

int main(void)
{
	struct memlat_reader reader = { .size = sizeof(reader), .flags = MEMLAT_READER_PACKED };
	static char buffer[128 * 1024];
	const int fd = open(MEMLAT_DEVICE, O_RDWR | O_CLOEXEC);
	unsigned long long bytes = 0;
	ssize_t got;

	if (fd < 0 || ioctl(fd, MEMLAT_IOC_READER, &reader)) {
		perror("packed");
		return 1;
	}
	while ((got = read(fd, buffer, sizeof(buffer))) > 0)
		bytes += got;
	if (got < 0) {
		perror("packed");
		return 1;
	}
	printf("%llu\n", bytes);
	return 0;
}
