// SPDX-License-Identifier: GPL-2.0
/*
 * lsm_perf COMMAND...: run the command while a security module forbids to open events of perf. The
 * module is a program of BPF's at the hook security_perf_event_open(). Exits with 4 if that program
 * cannot be attached.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/bpf.h>
#include <linux/btf.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define HOOK	"bpf_lsm_perf_event_open"
#define MOST	(64 << 20)	/* bytes of the kernel's types */

static int fail(const char *what)
{
	fprintf(stderr, "lsm_perf: %s: %s\n", what, strerror(errno));
	return 4;
}

/* Bytes after a type of the kernel's. */
static size_t rest_of(const struct btf_type *type)
{
	const size_t n = BTF_INFO_VLEN(type->info);

	switch (BTF_INFO_KIND(type->info)) {
	case BTF_KIND_INT:
	case BTF_KIND_VAR:
	case BTF_KIND_DECL_TAG:
		return 4;
	case BTF_KIND_ARRAY:
		return sizeof(struct btf_array);
	case BTF_KIND_STRUCT:
	case BTF_KIND_UNION:
		return n * sizeof(struct btf_member);
	case BTF_KIND_ENUM:
		return n * sizeof(struct btf_enum);
	case BTF_KIND_FUNC_PROTO:
		return n * sizeof(struct btf_param);
	case BTF_KIND_DATASEC:
		return n * sizeof(struct btf_var_secinfo);
	case BTF_KIND_ENUM64:
		return n * sizeof(struct btf_enum64);
	default:
		return 0;
	}
}

/* The number of the hook's type; 0: the kernel has none. */
static uint32_t hook_id(const char *types)
{
	const struct btf_header *head = (const void *)types;
	const char *at = types + head->hdr_len + head->type_off, *end = at + head->type_len;
	const char *names = types + head->hdr_len + head->str_off;
	uint32_t id;

	for (id = 1; at < end; id++) {
		const struct btf_type *type = (const void *)at;

		if (BTF_INFO_KIND(type->info) == BTF_KIND_FUNC &&
		    !strcmp(names + type->name_off, HOOK))
			return id;
		at += sizeof(*type) + rest_of(type);
	}
	return 0;
}

static bool types_read(char *types)
{
	int fd = open("/sys/kernel/btf/vmlinux", O_RDONLY);
	ssize_t n, have = 0;

	while (fd >= 0 && (n = read(fd, types + have, (size_t)(MOST - have))) > 0)
		have += n;
	return have > (ssize_t)sizeof(struct btf_header);
}

int main(int argc, char **argv)
{
	static char types[MOST];
	/* return -EACCES; */
	const struct bpf_insn program[] = {
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0, .imm = -EACCES },
		{ .code = BPF_JMP | BPF_EXIT },
	};
	union bpf_attr load = {
		.prog_type = BPF_PROG_TYPE_LSM,
		.expected_attach_type = BPF_LSM_MAC,
		.insns = (uintptr_t)program,
		.insn_cnt = sizeof(program) / sizeof(program[0]),
		.license = (uintptr_t)"GPL",
	};
	union bpf_attr attach = { };
	int link;

	if (argc < 2)
		return 2;
	if (!types_read(types))
		return fail("the kernel's types");
	load.attach_btf_id = hook_id(types);
	attach.raw_tracepoint.prog_fd = (uint32_t)syscall(SYS_bpf, BPF_PROG_LOAD, &load,
							  sizeof(load));
	if ((int)attach.raw_tracepoint.prog_fd < 0)
		return fail("load");
	link = (int)syscall(SYS_bpf, BPF_RAW_TRACEPOINT_OPEN, &attach, sizeof(attach));
	/* The program stays attached as long as the command has this file open. */
	if (link < 0 || fcntl(link, F_SETFD, 0))
		return fail("attach");
	return execvp(argv[1], argv + 1) ? fail(argv[1]) : 0;
}
