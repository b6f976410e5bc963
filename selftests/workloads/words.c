// SPDX-License-Identifier: GPL-2.0
/*
 * A word that all threads use, in one of several ways: as a flag, a lock, a count of references,
 * the head of a list, or the next ticket. No layout helps any of them.
 */
#include "team.h"
#include "workload.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

static struct {
	uint64_t word;
	char rest[WORKLOAD_LINE - sizeof(uint64_t)];
} __attribute__((aligned(WORKLOAD_LINE))) flag, references, head, ticket;

static struct {
	pthread_spinlock_t lock;
	char rest[2 * WORKLOAD_LINE - sizeof(pthread_spinlock_t)];
	uint64_t guarded;
} __attribute__((aligned(WORKLOAD_LINE))) gate;

static uint64_t taken[TEAM_MAX][8] __attribute__((aligned(WORKLOAD_LINE)));	/* a line each */

static void other_work(void)
{
	__asm__ volatile(".rept 30\n\tadd $1, %%rcx\n\t.endr" : : : "rcx", "cc");
}

static void raise_flag(uint64_t value)
{
	*(volatile uint64_t *)&flag.word = value;
}

static uint64_t look_at_flag(void)
{
	return *(volatile uint64_t *)&flag.word;
}

/* The first two threads raise the flag, the others look at it. */
static void use_flag(int index, uint64_t iterations)
{
	volatile uint64_t seen = 0;

	while (iterations--) {
		if (index < 2)
			raise_flag(index);
		else
			seen = look_at_flag();
		other_work();
	}
	(void)seen;
}

static void use_lock(int index, uint64_t iterations)
{
	(void)index;
	while (iterations--) {
		pthread_spin_lock(&gate.lock);
		gate.guarded++;
		pthread_spin_unlock(&gate.lock);
		other_work();
	}
}

static void get(void)
{
	__atomic_fetch_add(&references.word, 1, __ATOMIC_RELAXED);
}

static int put(void)
{
	return __atomic_sub_fetch(&references.word, 1, __ATOMIC_ACQ_REL) == 0;
}

static void use_references(int index, uint64_t iterations)
{
	while (iterations--) {
		get();
		other_work();
		taken[index][0] += put();
	}
}

static void push(void)
{
	uint64_t old = __atomic_load_n(&head.word, __ATOMIC_RELAXED);

	while (!__atomic_compare_exchange_n(&head.word, &old, old + 1, 0, __ATOMIC_ACQ_REL,
					    __ATOMIC_RELAXED))
		continue;
}

static void use_head(int index, uint64_t iterations)
{
	(void)index;
	while (iterations--) {
		push();
		other_work();
	}
}

static uint64_t draw_ticket(void)
{
	return __atomic_fetch_add(&ticket.word, 1, __ATOMIC_RELAXED);
}

static void use_ticket(int index, uint64_t iterations)
{
	while (iterations--) {
		taken[index][draw_ticket() % 8]++;
		other_work();
	}
}

static const struct {
	const char *kind, *object;
	void (*use)(int index, uint64_t iterations);
} words[] = {
	{ "flag", "flag.word", use_flag },
	{ "lock", "gate.lock", use_lock },
	{ "references", "references.word", use_references },
	{ "swapped", "head.word", use_head },
	{ "ticket", "ticket.word", use_ticket },
};

#define KINDS	(sizeof(words) / sizeof(words[0]))

int main(int argc, char **argv)
{
	struct team team = { .iterations = 100000, .least = 2, .most = TEAM_MAX };
	size_t i = 0;

	workload_name = "words";
	while (argc > 1 && i < KINDS && strcmp(argv[1], words[i].kind))
		i++;
	if (argc < 2 || i == KINDS)
		workload_usage("give flag, lock, references, swapped or ticket");
	team_options(&team, argc - 1, argv + 1, TEAM_ALL);
	pthread_spin_init(&gate.lock, PTHREAD_PROCESS_PRIVATE);
	references.word = 1;
	printf("{\"word\":\"%s\",\"object\":\"%s\",\"verdict\":\"%s\",", words[i].kind, words[i].object,
	       strcmp(words[i].kind, "lock") ? "true_sharing" : "lock");
	team_print_rest(&team);
	team_run(&team, words[i].use);
	if (i == 4 && ticket.word != team.iterations * team.nr)
		workload_fail("drew %" PRIu64, ticket.word);
	return 0;
}
