/* SPDX-License-Identifier: GPL-2.0 */
/* Clocks in nanoseconds, as in the module. */
#ifndef MEMLAT_CLOCK_H
#define MEMLAT_CLOCK_H

#include <time.h>

#include <linux/types.h>

#define CLOCK_SECOND	1000000000ULL

static inline __u64 clock_ns(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return (__u64)now.tv_sec * CLOCK_SECOND + (__u64)now.tv_nsec;
}

/* The clock by which sessions are timed. */
static inline __u64 clock_now(void)
{
	return clock_ns(CLOCK_MONOTONIC);
}

#endif
