// SPDX-License-Identifier: GPL-2.0
/*
 * Two processes share a page, mapped at a different address in each, and count in different words
 * of one of its lines. By linear address there are two lines, by physical address one. The page is
 * on the requested node.
 *
 * At the end, each process moves to the other's CPU, so that it certainly leaves its own CPU while
 * the page is still mapped. With --at-once it exits immediately instead. --at sets the address of
 * the first mapping: beyond 2^47 the kernel has to use page tables of five levels.
 */
#define _GNU_SOURCE
#include "workload.h"

#include <errno.h>
#include <inttypes.h>
#include <numa.h>
#include <numaif.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#define STRIDE	0x001000000000ul
#define OFFSET	640	/* of the line within the page */

static uint64_t first = 0x220000000000ul;

static volatile uint64_t *map_at(int fd, int index, size_t page)
{
	void *address = (void *)(first + index * STRIDE);
	void *map = mmap(address, page, PROT_READ | PROT_WRITE,
			 MAP_SHARED | MAP_FIXED_NOREPLACE, fd, 0);

	if (map != address)
		workload_fail("cannot map the page: %s", strerror(errno));
	return map;
}

/* Allocate the page on that node, or fail. */
static int place(volatile uint64_t *page, size_t bytes, int node)
{
	unsigned long mask = 1ul << node;
	void *pages[] = { (void *)page };
	int where = -1;

	if (mbind((void *)page, bytes, MPOL_BIND, &mask, 8 * sizeof(mask), 0))
		workload_fail("cannot bind memory to node %d: %s", node,
			      strerror(errno));
	page[0] = 1;
	if (move_pages(0, 1, pages, NULL, &where, 0) || where < 0)
		workload_fail("cannot tell on which node the page is");
	return where;
}

__attribute__((noinline)) void count(volatile uint64_t *word, uint64_t iterations)
{
	while (iterations--)
		*word = *word + 1;
}

int main(int argc, char **argv)
{
	int fd, i, status, node = 0, cpus[2], failed = 0, at_once = 0;
	size_t page = sysconf(_SC_PAGESIZE);
	uint64_t iterations = 500000;
	volatile uint64_t *map;
	pid_t pids[2];
	int go[2];
	char byte = 0;
	const struct workload_arg args[] = {
		{ "iterations", 1, UINT64_MAX / 2, .number = &iterations },
		{ "node", 0, 63, .integer = &node },
		{ "at", page, 1ull << 56, .number = &first },
		{ "at-once", .flag = &at_once },
		{ }
	};

	workload_name = "shared_memory";
	workload_args(argc, argv,
		      "shared_memory [--iterations N] [--node N] [--at ADDRESS] [--at-once]",
		      args);
	if (numa_available() < 0 || node > numa_max_node())
		workload_usage("--node %d: this machine has no such node", node);
	workload_cpus_of_two_nodes(cpus);
	fd = memfd_create("shared", MFD_CLOEXEC);
	if (fd < 0 || ftruncate(fd, page) || pipe(go))
		workload_fail("no shared memory: %s", strerror(errno));
	map = map_at(fd, 2, page);
	node = place(map, page, node);
	for (i = 0; i < 2; i++) {
		pids[i] = fork();
		if (pids[i] < 0)
			workload_fail("cannot fork: %s", strerror(errno));
		if (pids[i])
			continue;
		workload_pin(cpus[i]);
		map = map_at(fd, i, page);
		if (read(go[0], &byte, 1) != 1)
			_exit(1);
		count(&map[OFFSET / sizeof(*map) + i], iterations);
		if (!at_once)
			workload_pin(cpus[!i]);
		_exit(0);
	}
	printf("{\"pids\":[%d,%d],\"lines\":[\"0x%lx\",\"0x%lx\"],\"node\":%d,"
	       "\"cpus\":[%d,%d],\"iterations\":%" PRIu64 "}\n",
	       (int)pids[0], (int)pids[1], first + OFFSET,
	       first + STRIDE + OFFSET, node, cpus[0], cpus[1], iterations);
	fflush(stdout);
	if (write(go[1], "go", 2) != 2)
		workload_fail("cannot begin");
	for (i = 0; i < 2; i++)
		if (wait(&status) < 0 || status)
			failed = 1;
	return failed;
}
