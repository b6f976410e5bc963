// SPDX-License-Identifier: GPL-2.0
/*
 * A program of 32 bits, whose two threads count in two members of an object of the heap. It is
 * linked statically and with nothing else, as few machines have libraries of 32 bits.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define CPUS_APART	2	/* CPU 2 is on another node */
#define TIMES		100000

struct ledger {
	char before[64];
	unsigned int paid, owed;
};

static struct ledger *ledger;
static pthread_barrier_t both;

static void begin(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	if (sched_setaffinity(0, sizeof(set), &set))
		exit(1);
	pthread_barrier_wait(&both);
}

static void *pay(void *unused)
{
	volatile struct ledger *to = ledger;
	int i;

	(void)unused;
	begin(0);
	for (i = 0; i < TIMES; i++)
		to->paid = to->paid + 1;
	return NULL;
}

static void *owe(void *unused)
{
	volatile struct ledger *to = ledger;
	int i;

	(void)unused;
	begin(CPUS_APART);
	for (i = 0; i < TIMES; i++)
		to->owed = to->owed + 1;
	return NULL;
}

int main(void)
{
	pthread_t threads[2];
	void *memory;

	if (posix_memalign(&memory, 64, sizeof(*ledger)))
		return 1;
	ledger = memory;
	ledger->paid = ledger->owed = 0;
	printf("{\"object\":\"0x%lx\",\"pid\":%d}\n", (unsigned long)ledger, getpid());
	fflush(stdout);
	pthread_barrier_init(&both, NULL, 2);
	if (pthread_create(&threads[0], NULL, pay, NULL) ||
	    pthread_create(&threads[1], NULL, owe, NULL))
		return 1;
	pthread_join(threads[0], NULL);
	pthread_join(threads[1], NULL);
	return 0;
}
