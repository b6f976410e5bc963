// SPDX-License-Identifier: GPL-2.0
/*
 * What is at an address changes while the program runs: it loads libraries one after the other,
 * each where the one before was; or it writes code where other code was, and notes that in
 * /tmp/perf-PID.map.
 */
#define _GNU_SOURCE
#include "team.h"
#include "workload.h"

#include <dlfcn.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static void (*count)(int index, uint64_t n);
static uint64_t made_cells[2] __attribute__((aligned(WORKLOAD_LINE)));

/*
 * mov $made_cells, %rax; movslq %edi, %rdi; again: incq (%rax,%rdi,8); dec %rsi; jnz again; ret
 */
static unsigned char counting[] = {
	0x48, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0x48, 0x63, 0xff,
	0x48, 0xff, 0x04, 0xf8, 0x48, 0xff, 0xce, 0x75, 0xf7, 0xc3,
};

static void make(const struct team *team, char letter)
{
	static unsigned char *code;
	const uintptr_t cells = (uintptr_t)made_cells;
	char path[64];
	FILE *map;

	if (!code)
		code = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC,
			    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (code == MAP_FAILED)
		workload_fail("no memory for code");
	memcpy(counting + 2, &cells, sizeof(cells));
	memcpy(code, counting, sizeof(counting));
	snprintf(path, sizeof(path), "/tmp/perf-%d.map", getpid());
	map = fopen(path, "a");
	if (!map)
		workload_fail("cannot write %s", path);
	fprintf(map, "%" PRIxPTR " %zx made_%c\n", (uintptr_t)code, sizeof(counting), letter);
	fclose(map);
	count = (void (*)(int, uint64_t))(uintptr_t)code;
	team_run(team, count);
}

/* Each letter of the order is the first one of a library's name. */
static void load(const struct team *team, char letter)
{
	static const char *const names[] = { "alpha", "beta", "gamma" };
	char path[4096], symbol[32];
	ssize_t length = readlink("/proc/self/exe", path, sizeof(path) - 32);
	const char *name = names[(letter - 'a') % 3];
	void *library;

	if (length < 0)
		workload_fail("no /proc/self/exe");
	path[length] = '\0';
	snprintf(strrchr(path, '/') + 1, 32, "lib%s.so", name);
	library = dlopen(path, RTLD_NOW);
	if (!library)
		workload_fail("%s", dlerror());
	snprintf(symbol, sizeof(symbol), "%s_count", name);
	count = (void (*)(int, uint64_t))(uintptr_t)dlsym(library, symbol);
	team_run(team, count);
	dlclose(library);
}

int main(int argc, char **argv)
{
	const char *order = argc > 1 ? argv[1] : "ab";
	struct team team = { .least = 2, .most = 2, .iterations = 100000 };

	workload_name = "plugins";
	team_options(&team, argc > 1 ? argc - 1 : argc, argc > 1 ? argv + 1 : argv, TEAM_PAIR);
	printf("{\"order\":\"%s\",", order);
	team_print_rest(&team);
	fflush(stdout);
	for (; *order; order++)
		if (*order >= 'x')
			make(&team, *order);
		else
			load(&team, *order);
	return 0;
}
