// SPDX-License-Identifier: GPL-2.0
/*
 * starve: take the machine's memory until little is left, and then piece by piece, as long as a
 * session can be started that has small tables and everything that a CPU can have. Print the result
 * of the last start: "start: Cannot allocate memory". A start takes some MB, and a piece is small,
 * so a start fails long before there is no memory for a piece. No program is started meanwhile.
 *
 * Then print what became of the results of the session before: "results: kept" or "results: empty".
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

#define PIECE	(256UL << 10)
#define LOADED	(16UL << 20)
#define LITTLE	16384		/* KiB above what the kernel keeps for itself */

static long figure(const char *text, const char *name)
{
	const char *at = strstr(text, name);

	return at ? atol(at + strlen(name)) : 0;
}

/* What the kernel can still provide: free pages, and pages of files. */
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

static long min_free_kib(void)
{
	FILE *file = fopen("/proc/sys/vm/min_free_kbytes", "r");
	long kib = 0;

	if (!file || fscanf(file, "%ld", &kib) != 1)
		err(1, "min_free_kbytes");
	fclose(file);
	return kib;
}

/* What a start that failed has made of the results of a session with samples. */
static const char *results(const struct memlat_status *before, const struct memlat_status *after)
{
	if (!before->samples)
		return "there were none";
	if (!memcmp(before, after, sizeof(*before)))
		return "kept";
	if (after->started_ns != before->started_ns || after->duration_ns || after->records ||
	    after->samples || after->lines || after->merges)
		return "mixed";
	return "empty";
}

/* Loads that a session samples: each of another page, so that they are not prefetched. */
static void load(const volatile char *memory)
{
	unsigned long i;

	for (i = 0; i < 8192; i++)
		(void)memory[i * (4096 + MEMLAT_LINE_BYTES) % LOADED];
}

int main(void)
{
	const size_t most = 8UL << 30;
	struct memlat_config config = device_config(30, 101), fresh;
	struct memlat_status before = {}, after = {};
	const long keep = min_free_kib() + LITTLE;
	struct memlat_query query = {};
	int fd, meminfo, ret, starts = 0;
	size_t taken = 0;
	char *memory;

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
	while (left_kib(meminfo) > keep && taken + PIECE <= most) {
		memset(memory + taken, 1, PIECE);
		taken += PIECE;
	}
	do {
		memset(memory + taken, 1, PIECE);
		taken += PIECE;
		fresh = config;
		if (device_status(fd, &before))
			err(1, "status");
		ret = device_start(fd, &fresh);
		starts++;
		if (!ret)
			load(memory);
	} while (!ret && !device_stop(fd) && taken + PIECE <= most);
	if (device_status(fd, &after))
		err(1, "status");
	munmap(memory, most);
	fprintf(stderr, "start %d, with %zu KiB taken\n", starts, taken >> 10);
	printf("start: %s\nresults: %s\n", strerror(-ret), results(&before, &after));
	return 0;
}
