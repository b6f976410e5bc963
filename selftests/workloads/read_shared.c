// SPDX-License-Identifier: GPL-2.0
/*
 * Constants that a program writes when it starts. After that its threads only read them: their page
 * is made read-only. Each thread reads a word of its own in every line. In between it rests, walks
 * memory of its own that falls into the same sets of L2, and rests again, so its cache has the
 * constants for half of the time. Often it loads them while another core has the only copy, which
 * that core then forwards, clean.
 *
 * No core may have them all the time, or L3 would keep its copy and serve every thread. So they are
 * written on the CPU of the first thread, not on one that then sleeps with them in its cache. Only
 * within large pages does the thread's own memory fall into the same sets. So if there are no large
 * pages, this is an error.
 */
#define _GNU_SOURCE
#include "team.h"
#include "workload.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#ifndef MADV_COLLAPSE
#define MADV_COLLAPSE 25	/* Linux 6.1 */
#endif

#define HUGE	(2UL << 20)	/* within a large page, as addresses go, so go the sets */
#define APART	(128UL << 10)	/* of 2048 sets; of 1024 twice */
#define LINES	4
#define OWN	24		/* lines; L2 has 16 ways */
#define REST	800		/* at most so many passes of an empty loop */
#define WORDS	(WORKLOAD_LINE / sizeof(uint64_t))

static const char *constants, *own[TEAM_MAX];

static char *large_pages(size_t size)
{
	char *memory = mmap(NULL, size + HUGE, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	size_t i;

	if (memory == MAP_FAILED)
		workload_fail("no %zu bytes of memory", size);
	memory += -(uintptr_t)memory % HUGE;
	madvise(memory, size, MADV_HUGEPAGE);
	for (i = 0; i < size; i += HUGE)
		memory[i] = 1;
	if (madvise(memory, size, MADV_COLLAPSE))
		workload_fail("no large pages: %s", strerror(errno));
	return memory;
}

static void make_constants(void)
{
	char *memory = large_pages(HUGE);
	size_t i, word;

	for (i = 0; i < LINES; i++)
		for (word = 0; word < WORDS; word++)
			((uint64_t *)(memory + i * APART))[word] = i + word + 1;
	if (mprotect(memory, HUGE, PROT_READ))
		workload_fail("cannot protect the constants");
	constants = memory;
}

/* Load a word of each line. */
static uint64_t words(const char *first, size_t lines)
{
	uint64_t sum = 0;
	size_t i;

	for (i = 0; i < lines; i++)
		sum += *(const volatile uint64_t *)(first + i * APART);
	return sum;
}

__attribute__((noinline)) uint64_t look_up(int word)
{
	return words(constants + (size_t)word * sizeof(uint64_t), LINES);
}

__attribute__((noinline)) uint64_t walk_own(int index)
{
	return words(own[index], OWN);
}

/* Rest for a random time, so that no loop is in step with another one. */
__attribute__((noinline)) void rest(uint64_t *state)
{
	uint64_t passes;

	*state = *state * 6364136223846793005ull + 1442695040888963407ull;
	for (passes = (*state >> 33) % REST; passes; passes--)
		__asm__ volatile("");
}

static void work(int index, uint64_t iterations)
{
	uint64_t state = (uint64_t)index, sum = 0;

	while (iterations--) {
		sum += look_up(index);
		rest(&state);
		sum += walk_own(index);
		rest(&state);
	}
	if (!sum)
		workload_fail("the constants are gone");
}

int main(int argc, char **argv)
{
	struct team team = { .iterations = 20000, .least = 2, .most = WORDS };
	int i;

	workload_name = "read_shared";
	team_options(&team, argc, argv, TEAM_PAIR);
	workload_pin(team.cpus[0]);
	make_constants();
	for (i = 0; i < team.nr; i++)
		own[i] = large_pages((OWN * APART + HUGE - 1) / HUGE * HUGE);
	printf("{\"lines\":[");
	for (i = 0; i < LINES; i++)
		printf("%s\"0x%" PRIxPTR "\"", i ? "," : "", (uintptr_t)constants + i * APART);
	printf("],\"functions\":[\"look_up\"],\"verdict\":\"read_shared\",");
	team_print_rest(&team);
	team_run(&team, work);
	return 0;
}
