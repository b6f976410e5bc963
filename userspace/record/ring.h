/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The ring of one CPU: a perf event that counts nothing, through which the kernel reports
 * processes.
 */
#ifndef MEMLAT_RING_H
#define MEMLAT_RING_H

#include <stdbool.h>
#include <stddef.h>

#include <linux/perf_event.h>

struct history;

struct ring {
	unsigned int cpu;
	int fd;
	struct perf_event_mmap_page *page;
	size_t bytes;		/* of data */
	bool hung;		/* its CPU is offline */
};

/* what a user without CAP_IPC_LOCK may lock on each CPU (perf_event_mlock_kb) */
#define RING_PAGES	128
/* for long runs on machines with hundreds of CPUs; lost events are counted */
#define RING_PAGES_FEW	16

/*
 * Listen to all processes on this CPU from now on. pages_most is a power of two. Returns 0 or
 * -errno.
 */
int ring_open(struct ring *ring, unsigned int cpu, size_t pages_most);
void ring_close(struct ring *ring);

/* Read the ring. A malformed record counts as lost. */
void ring_read(struct ring *ring, struct history *history);

#endif
