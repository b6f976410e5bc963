// SPDX-License-Identifier: GPL-2.0
/*
 * starve KIB: take the machine's memory until KIB of it are left, and then start a session with
 * small tables and, for each CPU, all that there can be. Prints how that went: "start: Cannot
 * allocate memory". Nothing is executed and nothing forked while there is so little.
 */
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "device.h"

#define PIECE	(64UL << 10)

static long figure(const char *text, const char *name)
{
	const char *at = strstr(text, name);

	return at ? atol(at + strlen(name)) : 0;
}

/* What the kernel could still give away: free pages, and those of files. */
static long left_kib(int meminfo)
{
	char text[4096];
	const ssize_t n = pread(meminfo, text, sizeof(text) - 1, 0);

	if (n <= 0)
		err(1, "/proc/meminfo");
	text[n] = 0;
	return figure(text, "MemFree:") + figure(text, "Active(file):") +
	       figure(text, "Inactive(file):");
}

int main(int argc, char **argv)
{
	const long keep = argc > 1 ? atol(argv[1]) : 0;
	struct memlat_config config = device_config(30, 1009);
	struct memlat_query query = {};
	const size_t most = 8UL << 30;
	long before, left;
	size_t taken = 0;
	int fd, meminfo, ret;
	char *memory;

	if (keep < 1) {
		fprintf(stderr, "usage: starve KIB\n");
		return 2;
	}
	fd = device_open();
	meminfo = open("/proc/meminfo", O_RDONLY | O_CLOEXEC);
	memory = mmap(NULL, most, PROT_READ | PROT_WRITE,
		      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (fd < 0 || device_query(fd, &query) || meminfo < 0 || memory == MAP_FAILED)
		err(1, "device, meminfo or mmap");
	madvise(memory, most, MADV_NOHUGEPAGE);
	config.flags |= MEMLAT_F_CALL_GRAPH | MEMLAT_F_CHILDREN;
	config.pid = getpid();
	config.max_memory = query.memory_min;
	before = left_kib(meminfo);
	do {
		memset(memory + taken, 1, PIECE);
		taken += PIECE;
		left = left_kib(meminfo);
	} while (left > keep && taken + PIECE <= most);
	ret = device_start(fd, &config);
	munmap(memory, most);
	fprintf(stderr, "of %ld KiB %zu were taken, and %ld were left\n", before, taken >> 10,
		left);
	printf("start: %s\n", strerror(-ret));
	return 0;
}
