// SPDX-License-Identifier: GPL-2.0
/*
 * Two threads count in one line, in one of several ways, with so many other instructions in
 * between. The cost of the false sharing is from nearly all of the time to almost nothing. --apart
 * mends it, so running both shows the gain.
 */
#include "team.h"
#include "workload.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Two words of one line. With --apart, the first and the last of four lines. */
static struct {
	uint64_t word[64];
} counts __attribute__((aligned(512)));

static int apart;

/* Nothing waits for the count. */
#define PLAIN	"mov (%[hits]), %%rax\n\tadd $1, %%rax\n\tmov %%rax, (%[hits])\n\t"
/* The next count waits for the result of the last one. */
#define NEEDED	PLAIN "mov %%rax, %%rcx\n\t"
#define LOCKED	"lock incq (%[hits])\n\t"

#define LOOP(form, code, work) \
	__attribute__((noinline)) static void form##_##work(int cpu, uint64_t iterations) \
	{ \
		uint64_t *hits = &counts.word[cpu ? apart ? 32 : 1 : 0]; \
		__asm__ volatile("1:\n\t" code ".rept " #work "\n\tadd $1, %%rcx\n\t.endr\n\t" \
				 "dec %[left]\n\tjnz 1b" \
				 : [left] "+r" (iterations) : [hits] "r" (hits) \
				 : "rax", "rcx", "memory", "cc"); \
	}
#define LOOPS(form, code) \
	LOOP(form, code, 0) LOOP(form, code, 20) LOOP(form, code, 60) LOOP(form, code, 150) \
	LOOP(form, code, 400) LOOP(form, code, 1000)
#define ROW(form, work)	{ #form, work, form##_##work }
#define ROWS(form) \
	ROW(form, 0), ROW(form, 20), ROW(form, 60), ROW(form, 150), ROW(form, 400), ROW(form, 1000)

LOOPS(plain, PLAIN)
LOOPS(needed, NEEDED)
LOOPS(locked, LOCKED)

static const struct {
	const char *form;
	unsigned int work;
	void (*run)(int cpu, uint64_t iterations);
} loops[] = { ROWS(plain), ROWS(needed), ROWS(locked) };

int main(int argc, char **argv)
{
	struct team team = { .iterations = 100000, .least = 2, .most = 2, .flag = "apart" };
	size_t i;

	workload_name = "contend";
	if (argc < 3)
		workload_usage("give plain, needed or locked, and how many instructions are between");
	for (i = 0; i < sizeof(loops) / sizeof(loops[0]); i++)
		if (!strcmp(argv[1], loops[i].form) && strtoul(argv[2], NULL, 10) == loops[i].work)
			break;
	if (i == sizeof(loops) / sizeof(loops[0]))
		workload_usage("%s %s: there are plain, needed and locked, with 0, 20, 60, 150, 400 and 1000",
			       argv[1], argv[2]);
	team_options(&team, argc - 2, argv + 2, TEAM_PAIR);
	apart = team.flagged;
	printf("{\"line\":\"0x%" PRIxPTR "\",\"variable\":\"counts\",\"verdict\":\"%s\",",
	       (uintptr_t)&counts, apart ? "one_thread" : "false_sharing");
	team_print_rest(&team);
	team_run(&team, loops[i].run);
	if (counts.word[0] != team.iterations || counts.word[apart ? 32 : 1] != team.iterations)
		workload_fail("the counts are wrong");
	return 0;
}
