/* SPDX-License-Identifier: GPL-2.0 */
#ifndef MEMLAT_CALIBRATE_WALL_H
#define MEMLAT_CALIBRATE_WALL_H

#include <time.h>

#include <linux/types.h>

static inline __u64 wall_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (__u64)now.tv_sec * 1000000000 + (__u64)now.tv_nsec;
}

#endif
