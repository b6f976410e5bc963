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

/* The clock's ticks in a core cycle. */
static inline double chain_cycle(void)
{
	const __u64 turns = 20000;
	double best = 0;
	int i;

	for (i = 0; i < 5; i++) {
		__u64 began = chain_ticks();
		double taken;

		chain_add(turns);
		taken = (double)(chain_ticks() - began) / (double)(CHAIN_ADDITIONS * turns);
		/* Take the quickest reading, which nothing interrupted. */
		if (!i || taken < best)
			best = taken;
	}
	return best;
}

/* xorshift64, for the order of a walk: the same each time, so that runs can be compared. */
static inline __u64 chain_draw(__u64 *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state;
}

#endif
