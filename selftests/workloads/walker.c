// SPDX-License-Identifier: GPL-2.0
/*
 * Walks through arrays, one for each worker, at addresses that show whose load it was. Workers are
 * threads of one process, or processes, each forked by the one before. An array is larger than the
 * L2 cache, so each of its loads is slower than the default threshold.
 */
#define _GNU_SOURCE
#include "workload.h"

#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define MAX_WORKERS	4096
#define STRIDE		0x100000000ul	/* between the workers' arrays */

static uint64_t at = 0x200000000000ul, size = 2ul << 20, rounds = 10, idle;
static const char *name, *then;
static int cpu = -1, cpus, threads = 1, children, wait_for_go;

static struct worker {
	pthread_t thread;
	pid_t tid;
	volatile uint64_t *array;
} workers[MAX_WORKERS];

static pthread_barrier_t ready, go;

/*
 * Like walk(), with an empty loop after each load. An emulated machine that watches memory executes
 * the empty loop many times as fast. So this is for walkers that run beside a test for long.
 */
static void walk_slowly(volatile uint64_t *array)
{
	const uint64_t words = size / sizeof(*array);
	uint64_t round, i, turn;

	for (round = 0; round < rounds; round++)
		for (i = 0; i < words; i += WORKLOAD_LINE / sizeof(*array)) {
			(void)array[i];
			for (turn = idle; turn; turn--)
				asm volatile("" : "+r"(turn));
		}
}

/* Load a word from each line. */
__attribute__((noinline)) void walk(volatile uint64_t *array)
{
	const uint64_t words = size / sizeof(*array);
	uint64_t round, i;

	if (idle) {
		walk_slowly(array);
		return;
	}
	for (round = 0; round < rounds; round++)
		for (i = 0; i < words; i += WORKLOAD_LINE / sizeof(*array))
			(void)array[i];
}

static void rename_self(int index)
{
	char text[16];

	if (!name)
		return;
	snprintf(text, sizeof(text), "%s%d", name, index);
	prctl(PR_SET_NAME, text);
}

static void prepare(int index)
{
	struct worker *worker = &workers[index];
	void *address = (void *)(at + index * STRIDE);
	void *map;

	if (cpu >= 0)
		workload_pin(cpus ? (cpu + index) % cpus : cpu);
	rename_self(index);
	map = mmap(address, size, PROT_READ | PROT_WRITE, MAP_PRIVATE |
		   MAP_ANONYMOUS | MAP_FIXED_NOREPLACE | MAP_POPULATE, -1, 0);
	if (map != address)
		workload_fail("no array at %p: %s", address, strerror(errno));
	worker->array = map;
	worker->tid = syscall(SYS_gettid);
}

static void *thread(void *data)
{
	int index = (struct worker *)data - workers;

	prepare(index);
	pthread_barrier_wait(&ready);
	pthread_barrier_wait(&go);
	walk(workers[index].array);
	return NULL;
}

static void print_answer(void)
{
	int i;

	printf("{\"pid\":%d,\"bytes\":%" PRIu64 ",\"rounds\":%" PRIu64
	       ",\"loads\":%" PRIu64 ",\"code\":\"0x%" PRIxPTR "\",\"arrays\":[",
	       (int)getpid(), size, rounds, size / WORKLOAD_LINE * rounds,
	       (uintptr_t)&walk);
	for (i = 0; i < threads; i++)
		/* glibc's pthread_t is the thread pointer. */
		printf("%s{\"tid\":%d,\"tls\":\"0x%" PRIxPTR "\",\"start\":\"0x%" PRIxPTR "\"}",
		       i ? "," : "", (int)workers[i].tid, (uintptr_t)workers[i].thread,
		       (uintptr_t)workers[i].array);
	for (i = 1; i <= children; i++)
		printf(",{\"start\":\"0x%" PRIx64 "\"}", at + i * STRIDE);
	printf("]}\n");
	fflush(stdout);
}

static void wait_here(void)
{
	char byte;

	if (wait_for_go && read(STDIN_FILENO, &byte, 1) != 1)
		workload_fail("nobody said go");
}

/* Each child is forked by the one before. Each walks, and then waits for its own child. */
static int chain(int index)
{
	int status = 0;
	pid_t child = -1;

	if (index < children) {
		child = fork();
		if (child < 0)
			workload_fail("cannot fork: %s", strerror(errno));
		if (!child) {
			prepare(index + 1);
			_exit(chain(index + 1));
		}
	}
	walk(workers[index].array);
	if (child > 0 && (waitpid(child, &status, 0) != child || status))
		workload_fail("a child failed");
	return 0;
}

static int walk_threads(void)
{
	int i, error;

	pthread_barrier_init(&ready, NULL, threads + 1);
	pthread_barrier_init(&go, NULL, threads + 1);
	for (i = 0; i < threads; i++) {
		error = pthread_create(&workers[i].thread, NULL, thread,
				       &workers[i]);
		if (error)
			workload_fail("cannot start a thread: %s",
				      strerror(error));
	}
	pthread_barrier_wait(&ready);
	print_answer();
	wait_here();
	pthread_barrier_wait(&go);
	for (i = 0; i < threads; i++)
		pthread_join(workers[i].thread, NULL);
	return 0;
}

static int walk_processes(void)
{
	prepare(0);
	print_answer();
	wait_here();
	return chain(0);
}

int main(int argc, char **argv)
{
	int result;
	const struct workload_arg args[] = {
		{ "at", 1, 1ull << 56, .number = &at },
		{ "size", 4096, STRIDE, .number = &size },
		{ "rounds", 0, UINT64_MAX / 2, .number = &rounds },
		{ "cpu", 0, 1023, .integer = &cpu },
		{ "cpus", 1, 1024, .integer = &cpus },
		{ "threads", 1, MAX_WORKERS, .integer = &threads },
		{ "children", 0, MAX_WORKERS - 1, .integer = &children },
		{ "name", .text = &name },
		{ "idle", 0, 1000000, .number = &idle },
		{ "wait", .flag = &wait_for_go },
		{ "then", .text = &then },
		{ }
	};

	workload_name = "walker";
	workload_args(argc, argv, "walker [--at ADDRESS] [--size BYTES] [--rounds N] [--cpu N [--cpus N]]\n"
		      "              [--threads N | --children N] [--name NAME] [--idle TURNS] [--wait] [--then COMMAND]", args);
	if (children && threads > 1)
		workload_usage("--threads and --children exclude each other");

	result = threads > 1 ? walk_threads() : walk_processes();
	if (!result && then) {
		execl("/bin/sh", "sh", "-c", then, NULL);
		workload_fail("cannot run a shell: %s", strerror(errno));
	}
	return result;
}
