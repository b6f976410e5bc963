// SPDX-License-Identifier: GPL-2.0
/*
 * Loads from a great many lines, one from each. Among them are a few hot lines, which are loaded
 * again after every so many loads. The lines are many by linear address: the same memory is mapped
 * again for each pass.
 */
#define _GNU_SOURCE
#include "workload.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define HOT		64		/* hot lines */
#define EVERY		16384		/* cold loads between two visits to them */
#define WORDS		(WORKLOAD_LINE / sizeof(uint64_t))
#define PAGE_LINES	64

static volatile uint64_t *cold, *hot;

/* Each hot line is on a page of its own, and no two are in one set of a cache. */
static volatile uint64_t *hot_line(unsigned int i)
{
	return hot + (i * PAGE_LINES + i) * WORDS;
}

__attribute__((noinline)) void visit(void)
{
	unsigned int i;

	for (i = 0; i < HOT; i++)
		(void)*hot_line(i);
}

__attribute__((noinline)) void pass(volatile uint64_t *start, uint64_t lines)
{
	uint64_t i;

	for (i = 0; i < lines; i++) {
		(void)start[i * WORDS];
		if (i % EVERY == 0)
			visit();
	}
}

static void *map(void *at, uint64_t bytes, int flags, int fd)
{
	void *memory = mmap(at, bytes, PROT_READ | PROT_WRITE, flags, fd, 0);

	if (memory == MAP_FAILED)
		workload_fail("no %" PRIu64 " bytes of memory: %s", bytes,
			      strerror(errno));
	return memory;
}

/* Map the same memory so many times, one after the other. */
static volatile uint64_t *map_again(uint64_t bytes, uint64_t times)
{
	int fd = memfd_create("lines", MFD_CLOEXEC);
	char *all;
	uint64_t i;

	if (fd < 0 || ftruncate(fd, bytes))
		workload_fail("no memory to share: %s", strerror(errno));
	all = map(NULL, bytes * times, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1);
	for (i = 0; i < times; i++)
		map(all + i * bytes, bytes, MAP_SHARED | MAP_FIXED | MAP_POPULATE, fd);
	return (volatile uint64_t *)all;
}

int main(int argc, char **argv)
{
	uint64_t lines = 1 << 20, passes = 18, i;
	const struct workload_arg args[] = {
		{ "lines", PAGE_LINES, 1ull << 26, .number = &lines },
		{ "passes", 1, 1000, .number = &passes },
		{ }
	};

	workload_name = "many_lines";
	workload_args(argc, argv, "many_lines [--lines N] [--passes N]", args);
	workload_pin(0);
	/* Whole pages. */
	lines -= lines % PAGE_LINES;
	cold = map_again(lines * WORKLOAD_LINE, passes);
	hot = map(NULL, HOT * (PAGE_LINES + 1) * WORKLOAD_LINE,
		  MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1);
	printf("{\"pid\":%d,\"start\":\"0x%" PRIxPTR "\",\"lines\":%" PRIu64
	       ",\"passes\":%" PRIu64 ",\"hot\":\"0x%" PRIxPTR
	       "\",\"hot_lines\":%d,\"hot_bytes\":%d,\"hot_stride\":%d}\n",
	       (int)getpid(), (uintptr_t)cold, lines, passes, (uintptr_t)hot, HOT,
	       HOT * (PAGE_LINES + 1) * WORKLOAD_LINE,
	       (PAGE_LINES + 1) * WORKLOAD_LINE);
	fflush(stdout);
	for (i = 0; i < passes; i++)
		pass(cold + i * lines * WORDS, lines);
	return 0;
}
