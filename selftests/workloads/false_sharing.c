// SPDX-License-Identifier: GPL-2.0
/*
 * Two threads on two nodes count in different words of one cache line. Each count is a load and a
 * store. So a thread finds the line modified in the other thread's cache whenever the other one has
 * counted since.
 */
#define _GNU_SOURCE
#include "workload.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Named and laid out for profilers: .a at offset 0, .b at offset 8. */
struct shared_counters {
	volatile uint64_t a;
	volatile uint64_t b;
} __attribute__((aligned(WORKLOAD_LINE)));

struct shared_counters shared_counters;

struct writer {
	int cpu;
	uint64_t iterations;
	void (*count)(uint64_t iterations);
};

static pthread_barrier_t together;

__attribute__((noinline)) void writer_a(uint64_t iterations)
{
	while (iterations--)
		shared_counters.a = shared_counters.a + 1;
}

__attribute__((noinline)) void writer_b(uint64_t iterations)
{
	while (iterations--)
		shared_counters.b = shared_counters.b + 1;
}

static void *run(void *data)
{
	struct writer *writer = data;

	workload_pin(writer->cpu);
	pthread_barrier_wait(&together);
	writer->count(writer->iterations);
	return NULL;
}

int main(int argc, char **argv)
{
	uint64_t iterations = 1000000;
	int cpus[2] = { -1, -1 };
	const char *pair = NULL;
	struct writer writers[2];
	pthread_t threads[2];
	int i, error;
	const struct workload_arg args[] = {
		{ "cpus", .text = &pair },
		{ "iterations", 1, UINT64_MAX / 2, .number = &iterations },
		{ }
	};

	workload_name = "false_sharing";
	workload_args(argc, argv, "false_sharing [--cpus A,B] [--iterations N]", args);
	if (pair)
		workload_cpu_pair(pair, cpus);
	else
		workload_cpus_of_two_nodes(cpus);

	printf("{\"line\":\"0x%" PRIxPTR "\",\"slots\":[0,1],\"variable\":\"shared_counters\","
	       "\"functions\":[\"writer_a\",\"writer_b\"],\"cpus\":[%d,%d],"
	       "\"nodes\":[%d,%d],\"iterations\":%" PRIu64 ",\"pid\":%d}\n",
	       (uintptr_t)&shared_counters, cpus[0], cpus[1],
	       workload_node_of(cpus[0]), workload_node_of(cpus[1]), iterations,
	       (int)getpid());
	fflush(stdout);

	pthread_barrier_init(&together, NULL, 2);
	writers[0] = (struct writer){ cpus[0], iterations, writer_a };
	writers[1] = (struct writer){ cpus[1], iterations, writer_b };
	for (i = 0; i < 2; i++) {
		error = pthread_create(&threads[i], NULL, run, &writers[i]);
		if (error)
			workload_fail("cannot start a thread: %s", strerror(error));
	}
	for (i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);

	if (shared_counters.a != iterations || shared_counters.b != iterations)
		workload_fail("counted %" PRIu64 " and %" PRIu64 ", not %" PRIu64,
			      shared_counters.a, shared_counters.b, iterations);
	return 0;
}
