// SPDX-License-Identifier: GPL-2.0
/* Talks to the emulator from inside the guest (magic.h). Needs no privilege. */
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "magic.h"

#define EXIT_NONE	4	/* kselftest's "skip" */
#define EXIT_USAGE	2

struct result {
	uint32_t eax;
	uint32_t ebx;
};

static struct result call(enum vp_call which, void *buf, uint64_t size)
{
	uint64_t a = VP_MAGIC_LEAF, b = (uintptr_t)buf, c = which, d = size;

	__asm__ volatile("cpuid" : "+a"(a), "+b"(b), "+c"(c), "+d"(d) : : "memory");
	return (struct result) { .eax = (uint32_t)a, .ebx = (uint32_t)b };
}

static int need_emulator(void)
{
	struct result r = call(VP_CALL_IDENTIFY, NULL, 0);

	if (r.eax != VP_MAGIC_ANSWER) {
		fprintf(stderr, "vpebsctl: this machine is not vpebs, the emulated machine with PEBS\n");
		return EXIT_NONE;
	}
	if (r.ebx != VP_MAGIC_VERSION) {
		fprintf(stderr, "vpebsctl: the emulator speaks version %u, this tool %u\n", r.ebx,
			VP_MAGIC_VERSION);
		return 1;
	}
	return 0;
}

/* The truth in memory that the emulator can write without a page fault. */
static char *get_truth(uint32_t *length)
{
	size_t room = 4 << 20;

	for (;;) {
		char *buf = mmap(NULL, room, PROT_READ | PROT_WRITE,
				 MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
		struct result r;

		if (buf == MAP_FAILED) {
			fprintf(stderr, "vpebsctl: no memory for %zu bytes of truth: %s\n", room,
				strerror(errno));
			return NULL;
		}
		memset(buf, 0, room);
		r = call(VP_CALL_TRUTH, buf, room);
		if (!r.eax) {
			fprintf(stderr, "vpebsctl: the emulator could not write the truth\n");
			return NULL;
		}
		if (r.eax <= room) {
			*length = r.eax;
			return buf;
		}
		munmap(buf, room);
		room = r.eax + room;
	}
}

static int print_truth(void)
{
	uint32_t length;
	char *json = get_truth(&length);

	if (!json)
		return 1;
	if (fwrite(json, 1, length, stdout) != length || fflush(stdout)) {
		fprintf(stderr, "vpebsctl: writing the truth: %s\n", strerror(errno));
		return 1;
	}
	return 0;
}

/* The list of violations of the truth, which is its last member. */
static int compare(void)
{
	struct result r = call(VP_CALL_COMPARE, NULL, 0);
	uint32_t length;
	char *json, *list;

	if (!r.eax)
		return 0;
	fprintf(stderr, "vpebsctl: %u registers are not as they were\n", r.eax);
	json = get_truth(&length);
	list = json ? strstr(json, "\"violations\"") : NULL;
	if (list)
		fprintf(stderr, "%s\n", list);
	return 1;
}

static const struct {
	const char *name;
	const char *help;
	enum vp_call which;
} commands[] = {
	{ "identify", "is this the emulated machine? (exit status 4: no)", VP_CALL_IDENTIFY },
	{ "begin", "zero the counts and count", VP_CALL_BEGIN },
	{ "end", "stop counting", VP_CALL_END },
	{ "truth", "print the counts as JSON", VP_CALL_TRUTH },
	{ "photo", "note every PMU register of every CPU", VP_CALL_PHOTO },
	{ "compare", "are they as noted? (exit status 1: no)", VP_CALL_COMPARE },
	{ "forgive", "forget all violations so far", VP_CALL_FORGIVE },
};

static int usage(FILE *to)
{
	size_t i;

	fprintf(to, "usage: vpebsctl COMMAND\n");
	for (i = 0; i < sizeof(commands) / sizeof(commands[0]); i++)
		fprintf(to, "  %-10s%s\n", commands[i].name, commands[i].help);
	return EXIT_USAGE;
}

int main(int argc, char **argv)
{
	size_t i, n = sizeof(commands) / sizeof(commands[0]);
	int rc;

	if (argc == 2 && (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h"))) {
		usage(stdout);
		return 0;
	}
	if (argc != 2)
		return usage(stderr);
	for (i = 0; i < n && strcmp(argv[1], commands[i].name); i++)
		;
	if (i == n) {
		fprintf(stderr, "vpebsctl: unknown command '%s'\n", argv[1]);
		return usage(stderr);
	}
	rc = need_emulator();
	if (rc)
		return rc;
	switch (commands[i].which) {
	case VP_CALL_IDENTIFY:
		printf("vpebs, interface %u\n", VP_MAGIC_VERSION);
		return 0;
	case VP_CALL_TRUTH:
		return print_truth();
	case VP_CALL_COMPARE:
		return compare();
	default:
		call(commands[i].which, NULL, 0);
		return 0;
	}
}
