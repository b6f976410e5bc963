// SPDX-License-Identifier: GPL-2.0
/* Call the emulator from inside the guest (magic.h). This needs no privilege. */
#include <errno.h>
#include <limits.h>
#include <linux/perf_event.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "magic.h"
#include "module_text.h"

#define EXIT_NONE	4	/* kselftest's "skip" */
#define EXIT_USAGE	2

/* The defaults of the verbs' numbers. */
#define DEFAULT_LATE	200
#define DEFAULT_GRACE	10000000

struct result {
	uint32_t eax;
	uint32_t ebx;
};

static struct result call(enum vp_call which, uint64_t b, uint64_t d, uint64_t s, uint64_t t)
{
	uint64_t a = VP_MAGIC_LEAF, c = which;

	__asm__ volatile("cpuid" : "+a"(a), "+b"(b), "+c"(c), "+d"(d) : "S"(s), "D"(t) : "memory");
	return (struct result) { .eax = (uint32_t)a, .ebx = (uint32_t)b };
}

static struct result call_plain(enum vp_call which)
{
	return call(which, 0, 0, 0, 0);
}

/*
 * Where perf cannot be kept from the PMU by a reservation (version 6), a driver may have perf
 * itself keep it. perf's first event leaves a value in GLOBAL_CTRL and in IA32_DS_AREA for good, so
 * it must have come and gone before the registers are noted.
 */
static void let_perf_leave_its_values(void)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_HARDWARE, .size = sizeof(attr),
		.config = PERF_COUNT_HW_REF_CPU_CYCLES,
	};
	unsigned int a = 0xa, b, c = 0, d;
	long cpus = sysconf(_SC_NPROCESSORS_ONLN), cpu;

	__asm__ volatile("cpuid" : "+a"(a), "=b"(b), "+c"(c), "=d"(d));
	for (cpu = 0; (a & 0xff) >= 6 && cpu < cpus; cpu++) {
		int fd = (int)syscall(SYS_perf_event_open, &attr, -1, cpu, -1, 0);

		if (fd >= 0)
			close(fd);
	}
}

static int complain(const char *fmt, const char *what)
{
	fprintf(stderr, "vpebsctl: ");
	fprintf(stderr, fmt, what);
	fprintf(stderr, "\n");
	return EXIT_USAGE;
}

/* A number, decimal or with 0x; status or 0. */
static int number(const char *text, const char *what, uint64_t *value)
{
	char *end;

	errno = 0;
	*value = strtoull(text, &end, 0);
	if (errno || *text < '0' || *text > '9' || *end) {
		fprintf(stderr, "vpebsctl: %s must be a number, as 200 or 0xffffffffc0000000, not '%s'\n",
			what, text);
		return EXIT_USAGE;
	}
	return 0;
}

static int need_emulator(void)
{
	struct result r = call_plain(VP_CALL_IDENTIFY);

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

/* How often pages are touched again before an error of the emulator is final. */
#define TOUCHES 20

/*
 * Get the truth in memory that the emulator can write without a page fault. NUMA balancing may
 * unmap a page between the touch and the call. start and bytes are for the calls that take a range.
 */
static char *get_truth(enum vp_call which, uint64_t start, uint64_t bytes, uint32_t *length)
{
	size_t room = 4 << 20;

	for (;;) {
		char *buf = mmap(NULL, room, PROT_READ | PROT_WRITE,
				 MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
		unsigned int touches = 0;
		struct result r;

		if (buf == MAP_FAILED) {
			fprintf(stderr, "vpebsctl: no memory for %zu bytes of truth: %s\n", room,
				strerror(errno));
			return NULL;
		}
		do {
			memset(buf, 0, room);
			r = call(which, (uintptr_t)buf, room, start, bytes);
		} while (!r.eax && ++touches < TOUCHES);
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

static int print_truth(char **args, int n)
{
	const bool lines = n && !strcmp(args[0], "--lines"), sum = n && !strcmp(args[0], "--sum");
	uint64_t start = 0, bytes = 0;
	uint32_t length;
	char *json;

	if (n && !(n == 3 && (lines || sum)))
		return complain("truth takes nothing, or --lines or --sum with ADDRESS BYTES%s", "");
	if (n && (number(args[1], "ADDRESS", &start) || number(args[2], "BYTES", &bytes)))
		return EXIT_USAGE;
	if (n && !bytes)
		return complain("BYTES must be above 0%s", "");
	json = get_truth(sum ? VP_CALL_SUM : lines ? VP_CALL_LINES : VP_CALL_TRUTH, start, bytes,
			 &length);
	if (!json)
		return 1;
	if (fwrite(json, 1, length, stdout) != length || fflush(stdout)) {
		fprintf(stderr, "vpebsctl: writing the truth: %s\n", strerror(errno));
		return 1;
	}
	return 0;
}

/* Print the violations in the truth, which are its last member. */
static int compare(void)
{
	struct result r = call_plain(VP_CALL_COMPARE);
	uint32_t length;
	char *json, *list;

	if (!r.eax)
		return 0;
	fprintf(stderr, "vpebsctl: %u registers are not as they were\n", r.eax);
	json = get_truth(VP_CALL_TRUTH, 0, 0, &length);
	list = json ? strstr(json, "\"violations\"") : NULL;
	if (list)
		fprintf(stderr, "%s\n", list);
	return 1;
}

/* nmi CPU; hold and late CPU [N] */
static int to_cpu(enum vp_call which, char **args, int n)
{
	uint64_t cpu, late = DEFAULT_LATE;
	struct result r;

	if (number(args[0], "CPU", &cpu) || (n > 1 && number(args[1], "N", &late)))
		return EXIT_USAGE;
	r = call(which, cpu, late, 0, 0);
	if (r.eax != VP_MAGIC_BAD)
		return 0;
	fprintf(stderr, "vpebsctl: no CPU %s: this machine has CPUs 0 to %u, and each must be online\n",
		args[0], r.ebx - 1);
	return 1;
}

static int vmxe(char **args, int n)
{
	uint64_t grace = DEFAULT_GRACE;
	bool on = !strcmp(args[0], "on");

	if (!on && (strcmp(args[0], "off") || n > 1))
		return complain("vmxe takes on [GRACE], or off; not '%s'", args[0]);
	if (n > 1 && !strcmp(args[1], "never"))
		grace = VP_GRACE_NEVER;
	else if (n > 1 && number(args[1], "GRACE", &grace))
		return EXIT_USAGE;
	call(VP_CALL_VMXE, on, grace, 0, 0);
	return 0;
}

static int owner(char **args, int n)
{
	uint64_t start = 0, end = 0;
	int rc;

	if (n == 2) {
		if (number(args[0], "START", &start) || number(args[1], "END", &end))
			return EXIT_USAGE;
		if (start >= end)
			return complain("END must be above START%s", "");
	} else if (strcmp(args[0], "off")) {
		rc = module_text(args[0], &start, &end);
		if (rc)
			return rc;
	}
	call(VP_CALL_OWNER, start, end, 0, 0);
	return 0;
}

static int qualify(char **args)
{
	uint64_t threshold = 0;

	if (strcmp(args[0], "off")) {
		if (number(args[0], "N", &threshold))
			return EXIT_USAGE;
		if (!threshold || threshold > UINT16_MAX)
			return complain("N must be 1 to 65535 cycles, not %s", args[0]);
	}
	call(VP_CALL_QUALIFY, threshold, 0, 0, 0);
	return 0;
}

/* Run a command. Returns its status, as a shell would. */
static int run_command(char **args)
{
	int status = 0;
	pid_t child = fork();

	if (!child) {
		execvp(args[0], args);
		fprintf(stderr, "vpebsctl: %s: %s\n", args[0], strerror(errno));
		_exit(127);
	}
	if (child < 0 || waitpid(child, &status, 0) < 0) {
		fprintf(stderr, "vpebsctl: cannot run %s: %s\n", args[0], strerror(errno));
		return 1;
	}
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static int begin(char **args, int n)
{
	static const char *const words[] = {
		[VP_BEGIN_TIME] = "time", [VP_BEGIN_SUMS] = "sums", [VP_BEGIN_LIVES] = "lives",
	};
	unsigned int what = VP_BEGIN_LINES;
	int status;

	if (n) {
		for (what = VP_BEGIN_TIME; what <= VP_BEGIN_LIVES && strcmp(args[0], words[what]);)
			what++;
		if (what > VP_BEGIN_LIVES)
			return complain("begin takes nothing, lives, sums or time; not '%s'", args[0]);
	}
	if (call(VP_CALL_BEGIN, what, 0, 0, 0).eax == VP_MAGIC_BAD)
		return complain("the emulator has no memory for the lives of lines%s", "");
	if (n < 2)
		return 0;
	status = run_command(args + 1);
	call_plain(VP_CALL_END);
	return status;
}

static int sweep(char **args)
{
	bool on = !strcmp(args[0], "on");

	if (!on && strcmp(args[0], "off"))
		return complain("sweep takes on or off, not '%s'", args[0]);
	call(VP_CALL_SWEEP, on, 0, 0, 0);
	return 0;
}

static int identify(void)
{
	char text[4096] = "";
	struct result r = call(VP_CALL_MACHINE, (uintptr_t)text, sizeof(text), 0, 0);

	if (!r.eax || r.eax > sizeof(text)) {
		fprintf(stderr, "vpebsctl: the emulator could not say what it is\n");
		return 1;
	}
	printf("vpebs, interface %u\n%.*s", VP_MAGIC_VERSION, (int)r.eax, text);
	return 0;
}

static const struct {
	const char *name;
	const char *args;
	const char *help;
	enum vp_call which;
	int min, max;			/* arguments */
} commands[] = {
	{ "identify", "",
	  "is this the emulated machine (exit status 4: no), which one, and which CPUs are of\n"
	  "which kind of core", VP_CALL_IDENTIFY, 0, 0 },
	{ "begin", "[lives|sums|time [COMMAND ...]]",
	  "zero the counts and count; with sums, not by line and instruction, which is faster;\n"
	  "with lives, sums and which misses of shared lines communicate;\n"
	  "with time, do not even watch memory for it: the truth is then of what a counter makes\n"
	  "the machine watch, in sum, and the cost. Run the COMMAND, and stop counting at its end",
	  VP_CALL_BEGIN, 0, INT_MAX },
	{ "end", "", "stop counting", VP_CALL_END, 0, 0 },
	{ "truth", "[--lines|--sum ADDRESS BYTES]",
	  "print the counts as JSON; with --lines, the lines of that range and no others; with\n"
	  "--sum, what these are in sum, and neither lines nor instructions, which is faster",
	  VP_CALL_TRUTH, 0, 3 },
	{ "photo", "", "note every PMU register of every CPU", VP_CALL_PHOTO, 0, 0 },
	{ "compare", "", "are they as noted? (exit status 1: no)", VP_CALL_COMPARE, 0, 0 },
	{ "forgive", "", "forget all violations so far", VP_CALL_FORGIVE, 0, 0 },
	{ "qualify", "N|off",
	  "from now on count loads slower than N cycles, and stores, by line and instruction,\n"
	  "whether a counter is on or not (in brackets)", VP_CALL_QUALIFY, 1, 1 },
	{ "owner", "START END|FILE.ko|off",
	  "from now on count instructions of the module whose text is at START to END, or that was\n"
	  "loaded from FILE.ko, and of the PMIs (in brackets)", VP_CALL_OWNER, 1, 2 },
	{ "nmi", "CPU", "send that CPU an NMI that is not a PMI", VP_CALL_NMI, 1, 1 },
	{ "hold", "CPU [N]",
	  "hold that CPU's next PMI until PEBS_ENABLE is cleared there, and send it N instructions\n"
	  "later (default 200)", VP_CALL_HOLD, 1, 2 },
	{ "late", "CPU [N]",
	  "the same for that CPU's next PEBS record", VP_CALL_LATE, 1, 2 },
	{ "vmxe", "on [GRACE|never]|off",
	  "let reads of CR4 show VMXE. A PEBS record written on a CPU more than GRACE of its\n"
	  "instructions later (default 10000000) is a violation", VP_CALL_VMXE, 1, 2 },
	{ "sweep", "on|off",
	  "let each record of a slow load carry the next of all source words, whatever is true, and\n"
	  "the address 0x7e0000000000 + 64 * word", VP_CALL_SWEEP, 1, 1 },
	{ "over", "",
	  "what this machine was to run has ended: count its instructions up to here, since how\n"
	  "far it comes until it is off depends on the host", VP_CALL_OVER, 0, 0 },
};

static void usage(FILE *to)
{
	size_t i;

	fprintf(to, "usage: vpebsctl COMMAND [ARGUMENT]...\n"
		"Talks to vpebs, the emulated machine with PEBS, from inside of it.\n\n");
	for (i = 0; i < sizeof(commands) / sizeof(commands[0]); i++) {
		const char *help = commands[i].help, *end;

		fprintf(to, "  %s%s%s\n", commands[i].name, *commands[i].args ? " " : "",
			commands[i].args);
		for (; (end = strchr(help, '\n')); help = end + 1)
			fprintf(to, "        %.*s\n", (int)(end - help), help);
		fprintf(to, "        %s\n", help);
	}
	fprintf(to, "\nExit status: 0 done; 1 it failed, or compare found a difference; 2 wrong use;\n"
		"4 this is not the emulated machine.\n");
}

static int run(enum vp_call which, char **args, int n)
{
	switch (which) {
	case VP_CALL_IDENTIFY:
		return identify();
	case VP_CALL_TRUTH:
		return print_truth(args, n);
	case VP_CALL_COMPARE:
		return compare();
	case VP_CALL_NMI:
	case VP_CALL_HOLD:
	case VP_CALL_LATE:
		return to_cpu(which, args, n);
	case VP_CALL_VMXE:
		return vmxe(args, n);
	case VP_CALL_OWNER:
		return owner(args, n);
	case VP_CALL_QUALIFY:
		return qualify(args);
	case VP_CALL_SWEEP:
		return sweep(args);
	case VP_CALL_BEGIN:
		return begin(args, n);
	case VP_CALL_PHOTO:
		let_perf_leave_its_values();
		call_plain(which);
		return 0;
	default:
		call_plain(which);
		return 0;
	}
}

int main(int argc, char **argv)
{
	size_t i, n = sizeof(commands) / sizeof(commands[0]);
	int rc;

	if (argc == 2 && (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h"))) {
		usage(stdout);
		return 0;
	}
	if (argc < 2) {
		usage(stderr);
		return EXIT_USAGE;
	}
	for (i = 0; i < n && strcmp(argv[1], commands[i].name); i++)
		;
	if (i == n)
		return complain("unknown command '%s'; see --help", argv[1]);
	if (argc - 2 < commands[i].min || argc - 2 > commands[i].max) {
		fprintf(stderr, "vpebsctl: usage: vpebsctl %s %s\n", commands[i].name,
			commands[i].args);
		return EXIT_USAGE;
	}
	rc = need_emulator();
	return rc ? rc : run(commands[i].which, argv + 2, argc - 2);
}
