// SPDX-License-Identifier: GPL-2.0
/*
 * rate THREADS INSTRUCTIONS: run threads on the CPUs from 0 on until this is killed. Each makes a
 * slow load (of a line that L2 has evicted) for every so many instructions.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define BYTES	(4u << 20)
#define LINE	64u
/* The instructions of the loop around the inner loop. */
#define AROUND	6

static unsigned long turns;

static void *run(void *data)
{
	volatile char *array;
	cpu_set_t set;
	size_t at;

	CPU_ZERO(&set);
	CPU_SET((uintptr_t)data, &set);
	array = aligned_alloc(LINE, BYTES);
	if (!array || sched_setaffinity(0, sizeof(set), &set)) {
		perror("rate");
		exit(1);
	}
	for (at = 0; at < BYTES; at += LINE)
		array[at] = 1;
	for (at = 0;; at = (at + LINE) % BYTES) {
		unsigned long n = turns;

		(void)array[at];
		/* Two instructions per iteration. */
		__asm__ volatile("1: dec %0\n\tjnz 1b" : "+r"(n));
	}
	return NULL;
}

int main(int argc, char **argv)
{
	unsigned long threads = argc == 3 ? strtoul(argv[1], NULL, 10) : 0, i;
	unsigned long every = argc == 3 ? strtoul(argv[2], NULL, 10) : 0;
	pthread_t thread;

	if (!threads || threads > 64 || every < AROUND + 2) {
		fprintf(stderr, "usage: rate THREADS INSTRUCTIONS\n");
		return 2;
	}
	turns = (every - AROUND) / 2;
	for (i = 0; i < threads; i++)
		if (pthread_create(&thread, NULL, run, (void *)i)) {
			perror("rate");
			return 1;
		}
	pause();
	return 0;
}
