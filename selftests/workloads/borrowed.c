// SPDX-License-Identifier: GPL-2.0
/*
 * A program whose data and code are mostly not its own: two libraries walk their thread-local
 * variables. Code that the program generates while it runs, and describes in /tmp/perf-PID.map,
 * walks an array.
 */
#define _GNU_SOURCE
#include "workload.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define LINES	4096
#define MADE	"Walk:*made /srv/app.js:3:14"

void first_walk(uint64_t rounds);
void second_walk(uint64_t rounds);

/* again: mov (%rdi), %rax; add $64, %rdi; dec %rsi; jnz again; ret */
static const unsigned char walk[] = {
	0x48, 0x8b, 0x07, 0x48, 0x83, 0xc7, 0x40, 0x48, 0xff, 0xce, 0x75, 0xf4, 0xc3,
};

static struct {
	uint64_t cells[LINES][WORKLOAD_LINE / sizeof(uint64_t)];
} made_cells __attribute__((aligned(WORKLOAD_LINE)));

static void *make_code(void)
{
	void *code = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	char path[64];
	FILE *map;

	if (code == MAP_FAILED)
		workload_fail("no memory for code");
	memcpy(code, walk, sizeof(walk));
	if (mprotect(code, 4096, PROT_READ | PROT_EXEC))
		workload_fail("no code may be made here");
	snprintf(path, sizeof(path), "/tmp/perf-%d.map", getpid());
	map = fopen(path, "w");
	if (!map)
		workload_fail("cannot write %s", path);
	fprintf(map, "%" PRIxPTR " %zx %s\n", (uintptr_t)code, sizeof(walk), MADE);
	fclose(map);
	return code;
}

int main(int argc, char **argv)
{
	void (*made)(void *at, uint64_t steps);
	uint64_t iterations = 400;
	const struct workload_arg args[] = {
		{ "iterations", 1, UINT64_MAX, .number = &iterations },
		{ }
	};

	workload_name = "borrowed";
	workload_args(argc, argv, "borrowed [--iterations N]", args);
	memset(&made_cells, 1, sizeof(made_cells));
	made = (void (*)(void *, uint64_t))make_code();
	printf("{\"functions\":[\"first_walk\",\"second_walk\"],\"variables\":[\"first_cells\",\"second_cells\"],"
	       "\"kind\":\"tls\",\"made\":\"%s\",\"made_variable\":\"made_cells\"}\n", MADE);
	fflush(stdout);
	while (iterations--) {
		first_walk(1);
		second_walk(1);
		made(&made_cells, LINES);
	}
	return 0;
}
