/* SPDX-License-Identifier: GPL-2.0 */
/* What the kernel tells of processes on one CPU: a perf event that counts nothing. */
#ifndef MEMLAT_RING_H
#define MEMLAT_RING_H

#include <stdbool.h>
#include <stddef.h>

#include <linux/perf_event.h>
#include <linux/types.h>

struct ring {
	unsigned int cpu;
	int fd;			/* -1: closed */
	struct perf_event_mmap_page *page;
	size_t bytes;		/* of data */
	bool hung;		/* its CPU has gone */
};

/* Of all processes on this CPU, from now on. 0 or -errno. */
int ring_open(struct ring *ring, unsigned int cpu);
void ring_close(struct ring *ring);

/* A whole record; valid during the call. */
typedef void ring_take(void *arg, const struct perf_event_header *record);

/* Take out what is there. */
void ring_read(struct ring *ring, ring_take *take, void *arg);

#endif
