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

/* As much as a user without CAP_IPC_LOCK may lock on each CPU (perf_event_mlock_kb). */
#define RING_PAGES	128
/* For long, on machines with hundreds of CPUs: what is lost is counted. */
#define RING_PAGES_FEW	16

/* Of all processes on this CPU, from now on; a power of two of pages at most. 0 or -errno. */
int ring_open(struct ring *ring, unsigned int cpu, size_t pages_most);
void ring_close(struct ring *ring);

/* A whole record; valid during the call. */
typedef void ring_take(void *arg, const struct perf_event_header *record);

/* Take out what is there. */
void ring_read(struct ring *ring, ring_take *take, void *arg);

#endif
