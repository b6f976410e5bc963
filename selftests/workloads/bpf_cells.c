// SPDX-License-Identifier: GPL-2.0
/*
 * A program of BPF counts system calls in a map of the name cells, and two threads make them. The
 * kinds of map differ in where the kernel keeps their elements. Map and program are gone when this
 * program has ended.
 */
#include "team.h"
#include "workload.h"

#include <errno.h>
#include <linux/bpf.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define ENTRIES	8
#define KEY	3	/* of kinds whose elements do not go by the CPU */

static const struct kind {
	const char *name;
	uint32_t type, flags;
	int by_cpu;
} kinds[] = {
	{ "array", BPF_MAP_TYPE_ARRAY, 0, 1 },
	/* Its elements begin at a page of their own. */
	{ "mapped", BPF_MAP_TYPE_ARRAY, BPF_F_MMAPABLE, 1 },
	{ "hash", BPF_MAP_TYPE_HASH, 0, 0 },
	{ "percpu", BPF_MAP_TYPE_PERCPU_ARRAY, 0, 0 },
	{ "percpu_hash", BPF_MAP_TYPE_PERCPU_HASH, 0, 0 },
};

static int bpf(int command, union bpf_attr *attr)
{
	int fd = (int)syscall(SYS_bpf, command, attr, sizeof(*attr));

	if (fd < 0)
		workload_fail("bpf(%d): %s", command, strerror(errno));
	return fd;
}

static int make_map(const struct kind *kind)
{
	static uint64_t values[TEAM_MAX];
	uint32_t key = KEY;
	union bpf_attr map = {
		.map_type = kind->type, .key_size = 4, .value_size = 8, .max_entries = ENTRIES,
		.map_flags = kind->flags, .map_name = "cells",
	};
	union bpf_attr element = { .key = (uintptr_t)&key, .value = (uintptr_t)values };
	int fd = bpf(BPF_MAP_CREATE, &map);

	element.map_fd = (uint32_t)fd;
	bpf(BPF_MAP_UPDATE_ELEM, &element);
	return fd;
}

#define INSN(c, d, s, o, i) \
	{ .code = (c), .dst_reg = (d), .src_reg = (s), .off = (o), .imm = (i) }

/* u64 *cell = bpf_map_lookup_elem(&cells, &key); if (cell) ++*cell; return 0; */
static void attach(const struct kind *kind, int map)
{
	const struct bpf_insn program[] = {
		kind->by_cpu ?
		(struct bpf_insn)INSN(BPF_JMP | BPF_CALL, 0, 0, 0, BPF_FUNC_get_smp_processor_id) :
		(struct bpf_insn)INSN(BPF_ALU64 | BPF_MOV | BPF_K, BPF_REG_0, 0, 0, KEY),
		INSN(BPF_STX | BPF_MEM | BPF_W, BPF_REG_10, BPF_REG_0, -4, 0),
		INSN(BPF_ALU64 | BPF_MOV | BPF_X, BPF_REG_2, BPF_REG_10, 0, 0),
		INSN(BPF_ALU64 | BPF_ADD | BPF_K, BPF_REG_2, 0, 0, -4),
		INSN(BPF_LD | BPF_IMM | BPF_DW, BPF_REG_1, BPF_PSEUDO_MAP_FD, 0, map),
		INSN(0, 0, 0, 0, 0),
		INSN(BPF_JMP | BPF_CALL, 0, 0, 0, BPF_FUNC_map_lookup_elem),
		INSN(BPF_JMP | BPF_JEQ | BPF_K, BPF_REG_0, 0, 3, 0),
		INSN(BPF_LDX | BPF_MEM | BPF_DW, BPF_REG_1, BPF_REG_0, 0, 0),
		INSN(BPF_ALU64 | BPF_ADD | BPF_K, BPF_REG_1, 0, 0, 1),
		INSN(BPF_STX | BPF_MEM | BPF_DW, BPF_REG_0, BPF_REG_1, 0, 0),
		INSN(BPF_ALU64 | BPF_MOV | BPF_K, BPF_REG_0, 0, 0, 0),
		INSN(BPF_JMP | BPF_EXIT, 0, 0, 0, 0),
	};
	union bpf_attr load = {
		.prog_type = BPF_PROG_TYPE_RAW_TRACEPOINT, .insns = (uintptr_t)program,
		.insn_cnt = sizeof(program) / sizeof(program[0]), .license = (uintptr_t)"GPL",
		.prog_name = "count_calls",
	};
	union bpf_attr point = { .raw_tracepoint.name = (uintptr_t)"sys_enter" };

	point.raw_tracepoint.prog_fd = (uint32_t)bpf(BPF_PROG_LOAD, &load);
	bpf(BPF_RAW_TRACEPOINT_OPEN, &point);
}

static void calls(int index, uint64_t n)
{
	(void)index;
	while (n--)
		syscall(SYS_getppid);
}

int main(int argc, char **argv)
{
	const char *name = argc > 1 ? argv[1] : "";
	struct team team = { .least = 2, .most = 2, .iterations = 40000 };
	size_t i;

	workload_name = "bpf_cells";
	team_options(&team, argc > 1 ? argc - 1 : argc, argc > 1 ? argv + 1 : argv, TEAM_PAIR);
	for (i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		if (strcmp(kinds[i].name, name))
			continue;
		attach(&kinds[i], make_map(&kinds[i]));
		printf("{\"kind\":\"%s\",", name);
		team_print_rest(&team);
		team_run(&team, calls);
		return 0;
	}
	workload_usage("no such kind: '%s'", name);
}
