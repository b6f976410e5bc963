/* SPDX-License-Identifier: GPL-2.0 */
/* Random numbers, for what silicon does at random; the same again with the same seed. No libc. */
#ifndef VPEBS_RANDOM_H
#define VPEBS_RANDOM_H

#include <stdint.h>

/* One CPU's own sequence of a seed (the finisher of splitmix64); never 0. */
static inline uint64_t vp_random_start(uint64_t seed, unsigned int cpu)
{
	uint64_t x = seed + (cpu + 1) * 0x9e3779b97f4a7c15ULL;

	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9ULL;
	x = (x ^ x >> 27) * 0x94d049bb133111ebULL;
	x ^= x >> 31;
	return x ? x : 1;
}

/* The next 32 bits (xorshift64*). */
static inline uint32_t vp_random(uint64_t *state)
{
	uint64_t x = *state;

	x ^= x >> 12;
	x ^= x << 25;
	x ^= x >> 27;
	*state = x;
	return (uint32_t)(x * 0x2545f4914f6cdd1dULL >> 32);
}

/* From 0 to n - 1. */
static inline uint32_t vp_random_below(uint64_t *state, uint32_t n)
{
	return (uint32_t)((uint64_t)vp_random(state) * n >> 32);
}

#endif
