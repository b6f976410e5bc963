// SPDX-License-Identifier: GPL-2.0
#define _GNU_SOURCE
#include "work.h"

#include <cpuid.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysinfo.h>

#include "../util/io.h"

#define CPUS_MAX	8192
#define KIB		1024ULL
#define MIB		(1024 * KIB)
#define DRAM_LEAST	(64 * MIB)	/* if no cache is known */
#define DRAM_MOST	(1024 * MIB)
#define HYPERVISOR	(1U << 31)	/* CPUID.1:ECX */

static bool text_at(const char *root, int cpu, const char *name, char *text, size_t room)
{
	char path[512];

	snprintf(path, sizeof(path), "%s/sys/devices/system/cpu/cpu%d/%s", root, cpu, name);
	return io_text(path, text, room);
}

/* Read a number from a small file, with the unit K or M; -1: none. */
static long long number_at(const char *root, int cpu, const char *name)
{
	char text[32], *end;
	long long number;

	if (!text_at(root, cpu, name, text, sizeof(text)))
		return -1;
	number = strtoll(text, &end, 10);
	if (end == text || number < 0 || number > 1LL << 40)
		return -1;
	return number * (long long)(*end == 'K' ? KIB : *end == 'M' ? MIB : 1);
}

static void find_caches(struct place *place, const char *root)
{
	char name[64], type[32];
	int i;

	for (i = 0; i < 16; i++) {
		long long level, size;
		bool code;

		snprintf(name, sizeof(name), "cache/index%d/level", i);
		level = number_at(root, place->cpu, name);
		snprintf(name, sizeof(name), "cache/index%d/size", i);
		size = number_at(root, place->cpu, name);
		snprintf(name, sizeof(name), "cache/index%d/type", i);
		code = text_at(root, place->cpu, name, type, sizeof(type)) &&
		       !strncmp(type, "Instruction", 11);
		if (!code && size > 0 && level >= 1 && level <= LEVEL_DRAM)
			place->cache[level - 1] = (__u64)size;
	}
}

void place_sizes(struct place *place, __u64 most)
{
	__u64 l1 = place->cache[LEVEL_L1] ? place->cache[LEVEL_L1] : 32 * KIB;
	__u64 l2 = place->cache[LEVEL_L2], l3 = place->cache[LEVEL_L3];
	__u64 last = l3 ? l3 : l2, dram;

	place->bytes[LEVEL_L1] = l1 / 2;
	/* Choose a size well beyond one cache and well within the next, or none. */
	place->bytes[LEVEL_L2] = l2 >= 6 * l1 ? 4 * l1 : 0;
	place->bytes[LEVEL_L3] = l3 >= 4 * l2 && l2 ? 2 * l2 : 0;
	dram = 4 * last;
	if (dram < DRAM_LEAST)
		dram = DRAM_LEAST;
	if (dram > DRAM_MOST)
		dram = DRAM_MOST;
	if (dram > most)
		dram = most;
	place->bytes[LEVEL_DRAM] = dram >= 2 * last ? dram - dram % (2 * MIB) : 0;
}

static bool find_cpus(struct place *place, const char *root)
{
	size_t size = CPU_ALLOC_SIZE(CPUS_MAX);
	cpu_set_t *set = CPU_ALLOC(CPUS_MAX);
	long long core = -1, socket = -1;
	int cpu;

	place->cpu = place->near = place->far = -1;
	if (!set || sched_getaffinity(0, size, set)) {
		CPU_FREE(set);
		return false;
	}
	for (cpu = 0; cpu < CPUS_MAX; cpu++) {
		long long own_core, own_socket;

		if (!CPU_ISSET_S((size_t)cpu, size, set))
			continue;
		own_core = number_at(root, cpu, "topology/core_id");
		own_socket = number_at(root, cpu, "topology/physical_package_id");
		if (place->cpu < 0) {
			place->cpu = cpu;
			core = own_core;
			socket = own_socket;
		} else if (own_socket != socket) {
			if (place->far < 0)
				place->far = cpu;
		} else if (own_core != core && place->near < 0) {
			place->near = cpu;
		}
	}
	CPU_FREE(set);
	return place->cpu >= 0;
}

bool place_find(struct place *place, const char *root)
{
	unsigned int a, b, c, d;
	struct sysinfo info;

	memset(place, 0, sizeof(*place));
	if (!find_cpus(place, root))
		return false;
	find_caches(place, root);
	place_sizes(place, sysinfo(&info) ? DRAM_LEAST :
		    (__u64)info.freeram * info.mem_unit / 4);
	place->emulated = __get_cpuid(1, &a, &b, &c, &d) && c & HYPERVISOR;
	return true;
}
