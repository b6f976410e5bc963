/* SPDX-License-Identifier: GPL-2.0 */
/* Instructions whose time is known, or is what is measured, however this is compiled. */
#ifndef MEMLAT_CHAIN_H
#define MEMLAT_CHAIN_H

#include <linux/types.h>

#define CHAIN_STEPS	16	/* of chain_walk() in a turn */
#define CHAIN_ADDITIONS	64	/* of chain_add() in a turn */

/* The time stamp counter, after all that came before, which is what is timed. */
static inline __u64 chain_ticks(void)
{
	__u32 low, high;

	asm volatile("lfence; rdtsc; lfence" : "=a"(low), "=d"(high) : : "memory");
	return (__u64)high << 32 | low;
}

/* Follow pointers, each the first word of what the last one points to: these loads and nothing else. */
static inline void *chain_walk(void *at, __u64 turns)
{
	asm volatile("1:\n\t"
		     ".rept 16\n\t"
		     "mov (%0), %0\n\t"
		     ".endr\n\t"
		     "dec %1\n\t"
		     "jnz 1b"
		     : "+r"(at), "+r"(turns) : : "memory", "cc");
	return at;
}

/* Additions, each of which waits for the one before: a core cycle each. */
static inline void chain_add(__u64 turns)
{
	__u64 sum = 1;

	asm volatile("1:\n\t"
		     ".rept 64\n\t"
		     "add %0, %0\n\t"
		     ".endr\n\t"
		     "dec %1\n\t"
		     "jnz 1b"
		     : "+r"(sum), "+r"(turns) : : "cc");
}

#endif
