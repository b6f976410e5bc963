/* SPDX-License-Identifier: GPL-2.0 */
/* Sequences of instructions of known or measured duration. The compiler cannot change them. */
#ifndef MEMLAT_CHAIN_H
#define MEMLAT_CHAIN_H

#include <linux/types.h>

#define CHAIN_STEPS	16	/* in a turn of chain_walk() */
#define CHAIN_ADDITIONS	64	/* in a turn of chain_add() */

/* Read the time stamp counter when all instructions before it, which are timed, have finished. */
static inline __u64 chain_ticks(void)
{
	__u32 low, high;

	asm volatile("lfence; rdtsc; lfence" : "=a"(low), "=d"(high) : : "memory");
	return (__u64)high << 32 | low;
}

/* Follow pointers, each the first word of what the last one points to. There are no other loads. */
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

/* Dependent additions, each of which takes a core cycle. */
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
