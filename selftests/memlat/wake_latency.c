// SPDX-License-Identifier: GPL-2.0
/*
 * wake_latency CPU WAKES: a real-time task (SCHED_FIFO, priority 80, memory locked) that wakes up
 * every 5 ms on this CPU. Print how late it was on average and at most, in ns.
 */
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>

#define INTERVAL	5000000	/* ns */
#define SECOND		1000000000

static int64_t now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * SECOND + t.tv_nsec;
}

int main(int argc, char **argv)
{
	const struct sched_param fifo = { .sched_priority = 80 };
	const long cpu = argc == 3 ? atol(argv[1]) : -1, wakes = argc == 3 ? atol(argv[2]) : 0;
	int64_t due, late, sum = 0, most = 0;
	cpu_set_t set;
	long i;

	if (cpu < 0 || wakes < 1) {
		fprintf(stderr, "usage: wake_latency CPU WAKES\n");
		return 2;
	}
	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	if (sched_setaffinity(0, sizeof(set), &set) || mlockall(MCL_CURRENT | MCL_FUTURE) ||
	    sched_setscheduler(0, SCHED_FIFO, &fifo)) {
		perror("wake_latency");
		return 1;
	}
	due = now();
	for (i = 0; i < wakes; i++) {
		struct timespec until;

		due += INTERVAL;
		until.tv_sec = due / SECOND;
		until.tv_nsec = due % SECOND;
		clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL);
		late = now() - due;
		/* The task was still awake when this wake-up was due. */
		if (late >= INTERVAL)
			due += late / INTERVAL * INTERVAL;
		sum += late;
		if (late > most)
			most = late;
	}
	printf("mean %lld max %lld\n", (long long)(sum / wakes), (long long)most);
	return 0;
}
