// SPDX-License-Identifier: GPL-2.0
/*
 * rdpmc COUNTER: read a counter of the PMU with the instruction of that name, and print "read", or
 * "refused" if the CPU did not allow it (#GP, which is SIGSEGV here). 0 is the first general
 * counter, 0x40000000 the first fixed one.
 */
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

static sigjmp_buf refused;

static void on_fault(int number)
{
	(void)number;
	siglongjmp(refused, 1);
}

int main(int argc, char **argv)
{
	uint32_t low, high;

	if (argc != 2) {
		fprintf(stderr, "usage: rdpmc COUNTER\n");
		return 2;
	}
	signal(SIGSEGV, on_fault);
	if (sigsetjmp(refused, 1)) {
		puts("refused");
		return 0;
	}
	asm volatile("rdpmc" : "=a" (low), "=d" (high) : "c" ((uint32_t)strtoul(argv[1], NULL, 0)));
	puts("read");
	return 0;
}
