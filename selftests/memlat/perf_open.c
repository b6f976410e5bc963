// SPDX-License-Identifier: GPL-2.0
/*
 * perf_open N [UID]: as that user (65534, nobody), open and close N of perf's hardware events, each
 * in the next of all ways below. Prints how many perf has opened, refused, and let count:
 *
 *	WAY opened N refused N counted N
 */
#include <errno.h>
#include <linux/perf_event.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../signal_child.h"

/* Loop rounds while an event is open: long enough to count something. */
#define ROUNDS	2000

struct way {
	const char *name;
	bool disabled, pinned, exclusive, of_cpu, inherit, grouped, of_other, precise, mapped;
	unsigned int opened, refused, counted;
};

static struct way ways[] = {
	{ .name = "disabled", .disabled = true },
	{ .name = "enabled" },
	{ .name = "pinned", .pinned = true },
	{ .name = "exclusive", .pinned = true, .exclusive = true },
	{ .name = "cpu", .of_cpu = true },
	{ .name = "cpu-pinned", .of_cpu = true, .pinned = true },
	{ .name = "inherited", .inherit = true },
	{ .name = "grouped", .grouped = true },
	{ .name = "other-task", .of_other = true },
	{ .name = "precise", .precise = true },
	{ .name = "mapped", .mapped = true },
};
#define WAYS	(sizeof(ways) / sizeof(ways[0]))

static volatile unsigned long spun;

static void spin(void)
{
	unsigned int i;

	for (i = 0; i < ROUNDS; i++)
		spun += i;
}

static int event_open(const struct way *w, pid_t pid, int cpu, int group)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_HARDWARE, .size = sizeof(attr),
		.config = group < 0 ? PERF_COUNT_HW_CPU_CYCLES : PERF_COUNT_HW_BRANCH_INSTRUCTIONS,
		.disabled = w->disabled && group < 0, .pinned = w->pinned,
		.exclusive = w->exclusive, .inherit = w->inherit, .exclude_kernel = 1,
	};

	if (w->precise) {
		attr.precise_ip = 2;
		attr.sample_period = 100003;
	}
	return (int)syscall(SYS_perf_event_open, &attr, pid, cpu, group, 0);
}

static void one(struct way *w, int cpu, pid_t other)
{
	int fd = event_open(w, w->of_cpu ? -1 : w->of_other ? other : 0, w->of_cpu ? cpu : -1, -1);
	int second = -1;
	uint64_t value = 0;
	void *page = MAP_FAILED;
	pid_t child;

	if (fd < 0) {
		w->refused++;
		return;
	}
	w->opened++;
	if (w->grouped)
		second = event_open(w, 0, -1, fd);
	if (w->mapped)
		page = mmap(NULL, (size_t)sysconf(_SC_PAGESIZE), PROT_READ | PROT_WRITE,
			    MAP_SHARED, fd, 0);
	if (w->inherit) {
		child = fork();
		if (!child) {
			spin();
			_exit(0);
		}
		waitpid(child, NULL, 0);
	}
	/* Let the other task run, and come back. */
	if (w->of_other || w->of_cpu)
		usleep(100);
	spin();
	if (read(fd, &value, sizeof(value)) == sizeof(value) && value)
		w->counted++;
	if (page != MAP_FAILED)
		munmap(page, (size_t)sysconf(_SC_PAGESIZE));
	if (second >= 0)
		close(second);
	close(fd);
}

int main(int argc, char **argv)
{
	unsigned long n = argc > 1 ? strtoul(argv[1], NULL, 10) : 0, i;
	const uid_t user = argc > 2 ? (uid_t)strtoul(argv[2], NULL, 10) : 65534;
	const int cpus = (int)sysconf(_SC_NPROCESSORS_ONLN);
	cpu_set_t one_cpu;
	pid_t other;

	if (!n || argc > 3) {
		fprintf(stderr, "usage: perf_open N [UID]\n");
		return 2;
	}
	if (setgid(user) || setuid(user)) {
		perror("perf_open: setuid");
		return 1;
	}
	/* A process that has changed its user may not look at its children otherwise. */
	prctl(PR_SET_DUMPABLE, 1);
	other = fork();
	if (!other) {
		for (;;) {
			spin();
			usleep(50);
		}
	}
	for (i = 0; i < n; i++) {
		CPU_ZERO(&one_cpu);
		CPU_SET((int)(i / WAYS) % cpus, &one_cpu);
		sched_setaffinity(0, sizeof(one_cpu), &one_cpu);
		sched_setaffinity(other, sizeof(one_cpu), &one_cpu);
		one(&ways[i % WAYS], (int)(i / WAYS) % cpus, other);
	}
	signal_child(other, SIGKILL);
	waitpid(other, NULL, 0);
	for (i = 0; i < WAYS; i++)
		printf("%s opened %u refused %u counted %u\n", ways[i].name, ways[i].opened,
		       ways[i].refused, ways[i].counted);
	return 0;
}
