// SPDX-License-Identifier: GPL-2.0
/*
 * False sharing that costs almost nothing: two threads count in one line, and do something else
 * meanwhile that takes longer. hidden: 3,000 additions that do not wait for the count. BEHIND: a
 * step of a walk through memory, whose latency hides that of the line. PADDED mends this, so
 * running both shows the gain.
 */
#include "team.h"
#include "workload.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#ifdef PADDED
#define ELEMENT	__attribute__((aligned(2 * WORKLOAD_LINE)))
#define VERDICT	"one_thread"
#else
#define ELEMENT
#define VERDICT	"false_sharing"
#endif

struct count {
	uint64_t hits;
} ELEMENT;

struct count counts[2] __attribute__((aligned(2 * WORKLOAD_LINE)));

#define COUNT	"mov (%[hits]), %%rax\n\tadd $1, %%rax\n\tmov %%rax, (%[hits])\n\t"

#ifdef BEHIND
#define ELEMENTS	(65536ULL)	/* 4 MiB a walk */

struct element {
	struct element *next;
	char pad[WORKLOAD_LINE - sizeof(void *)];
};

static struct element walks[2][ELEMENTS] __attribute__((aligned(4096)));

__attribute__((noinline)) void count_hit(int cpu, uint64_t iterations)
{
	struct element *at = walks[cpu];

	__asm__ volatile("1:\n\t" COUNT "mov (%[at]), %[at]\n\t"
			 ".rept 20\n\tadd $1, %%rcx\n\t.endr\n\tdec %[left]\n\tjnz 1b"
			 : [left] "+r" (iterations), [at] "+r" (at)
			 : [hits] "r" (&counts[cpu].hits) : "rax", "rcx", "memory", "cc");
}

/* Link all elements to one cycle, with a stride that has no common factor with their number. */
static void prepare(int cpu)
{
	uint64_t i;

	for (i = 0; i < ELEMENTS; i++)
		walks[cpu][i].next = &walks[cpu][(i + 24593) % ELEMENTS];
}
#else
__attribute__((noinline)) void count_hit(int cpu, uint64_t iterations)
{
	__asm__ volatile("1:\n\t" COUNT ".rept 3000\n\tadd $1, %%rcx\n\t.endr\n\tdec %[left]\n\tjnz 1b"
			 : [left] "+r" (iterations)
			 : [hits] "r" (&counts[cpu].hits) : "rax", "rcx", "memory", "cc");
}

static void prepare(int cpu)
{
	(void)cpu;
}
#endif

int main(int argc, char **argv)
{
	struct team team = { .iterations = 100000, .least = 2, .most = 2 };

	workload_name = "hidden";
	team_options(&team, argc, argv, TEAM_PAIR);
	prepare(0);
	prepare(1);
	printf("{\"line\":\"0x%" PRIxPTR "\",\"variable\":\"counts\",\"fields\":[\"[0].hits\",\"[1].hits\"],"
	       "\"functions\":[\"count_hit\"],\"verdict\":\"" VERDICT "\",", (uintptr_t)counts);
	team_print_rest(&team);
	team_run(&team, count_hit);
	if (counts[0].hits != team.iterations || counts[1].hits != team.iterations)
		workload_fail("the counts are wrong");
	return 0;
}
