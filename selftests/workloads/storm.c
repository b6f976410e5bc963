// SPDX-License-Identifier: GPL-2.0
/*
 * Many short processes and many threads. Each sets its name to p<pid> or t<tid>, and then loads
 * from memory of its own.
 */
#define _GNU_SOURCE
#include "workload.h"

#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define WORDS	1024		/* of each worker */
#define STACK	(64 << 10)
#define AT_ONCE	4		/* processes; the threads are all at once */

static uint64_t loads = 2000;
static pthread_barrier_t all;

static void name_self(char kind)
{
	char text[16];

	snprintf(text, sizeof(text), "%c%ld", kind, syscall(SYS_gettid));
	prctl(PR_SET_NAME, text);
}

__attribute__((noinline)) void load(volatile uint64_t *words)
{
	uint64_t i;

	for (i = 0; i < loads; i++)
		(void)words[i * 8 % WORDS];
}

static void *thread(void *data)
{
	volatile uint64_t words[WORDS];

	(void)data;
	words[0] = 0;
	name_self('t');
	/* Wait until all threads exist, so that they live at the same time. */
	pthread_barrier_wait(&all);
	load(words);
	return NULL;
}

static void run_threads(uint64_t count)
{
	pthread_t *threads = calloc(count, sizeof(*threads));
	pthread_attr_t attributes;
	uint64_t i;
	int error;

	if (!threads)
		workload_fail("no memory for %" PRIu64 " threads", count);
	pthread_attr_init(&attributes);
	pthread_attr_setstacksize(&attributes, STACK);
	pthread_barrier_init(&all, NULL, count);
	for (i = 0; i < count; i++) {
		error = pthread_create(&threads[i], &attributes, thread, NULL);
		if (error)
			workload_fail("cannot start thread %" PRIu64 ": %s", i,
				      strerror(error));
	}
	for (i = 0; i < count; i++)
		pthread_join(threads[i], NULL);
	free(threads);
}

static void reap(void)
{
	int status;

	if (wait(&status) < 0 || status)
		workload_fail("a process failed");
}

static void run_processes(uint64_t count)
{
	static volatile uint64_t words[WORDS];
	uint64_t i, alive = 0;

	for (i = 0; i < count; i++) {
		pid_t pid = fork();

		if (pid < 0)
			workload_fail("cannot fork: %s", strerror(errno));
		if (!pid) {
			name_self('p');
			load(words);
			_exit(0);
		}
		if (++alive == AT_ONCE) {
			reap();
			alive--;
		}
	}
	while (alive--)
		reap();
}

int main(int argc, char **argv)
{
	uint64_t processes = 100, threads = 0;
	const struct workload_arg args[] = {
		{ "processes", 0, 1000000, .number = &processes },
		{ "threads", 0, 30000, .number = &threads },
		{ "loads", 0, UINT64_MAX / 16, .number = &loads },
		{ }
	};

	workload_name = "storm";
	workload_args(argc, argv, "storm [--processes N] [--threads N] [--loads N]", args);
	printf("{\"pid\":%d,\"processes\":%" PRIu64 ",\"threads\":%" PRIu64
	       ",\"loads\":%" PRIu64 "}\n", (int)getpid(), processes, threads, loads);
	fflush(stdout);
	if (processes)
		run_processes(processes);
	if (threads)
		run_threads(threads);
	return 0;
}
