/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The ring of one CPU: a perf event that counts nothing, through which the kernel reports
 * processes. Other events of the CPU may write to it, too.
 */
#ifndef MEMLAT_RING_H
#define MEMLAT_RING_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include <linux/memlat.h>
#include <linux/perf_event.h>

struct history;

#define RING_SAMPLES	(-1)
#define RING_LIFE	(-2)	/* as the first event, of another task */
#define RING_CLOCK	(-3)	/* runs while the others may, and counts nothing */
#define RING_BURSTS	(-4)	/* as RING_SAMPLES, while those rest; two kinds */

struct ring {
	unsigned int cpu;
	int fd;
	struct perf_event_mmap_page *page;
	size_t bytes;		/* of data */
	__u64 head;		/* what is read ends here: ring_look() */
	bool hung;		/* its CPU is offline */
	struct ring_other {
		int fd;
		int what;	/* enum memlat_event_id: it counts that; or RING_* */
	} *others;		/* other events that write to it */
	size_t nr_others, room_others;
};

/* What the events of rings lost, and how long they ran. */
struct ring_sums {
	__u64 life_lost, lost;
	__u64 running;			/* so long could each event */
	__u64 counting[MEMLAT_EVENT_NR];
};

/* what a user without CAP_IPC_LOCK may lock on each CPU (perf_event_mlock_kb) */
#define RING_PAGES	128
/* for long runs on machines with hundreds of CPUs; lost events are counted */
#define RING_PAGES_FEW	16

/* What the kernel reports of processes, times of CLOCK_MONOTONIC, and nothing else. */
struct perf_event_attr ring_attr(void);
/* A cgroup's descriptor in place of a pid, and the descriptor again. */
#define RING_CGROUP(fd)	(-2 - (fd))
/* perf_event_open() on a CPU. Returns a descriptor or -errno. */
int ring_event(const struct perf_event_attr *attr, pid_t pid, unsigned int cpu, int leader);

/*
 * Listen to a process or thread (-1: all) on this CPU from now on. pages_most is a power of two.
 * Returns 0 or -errno.
 */
int ring_open(struct ring *ring, unsigned int cpu, size_t pages_most,
	      const struct perf_event_attr *attr, pid_t pid);
/* Let another event of the CPU write to the ring. 0, or -errno; the descriptor is taken over. */
int ring_add(struct ring *ring, int fd, int what);
void ring_close(struct ring *ring);

struct ring_sums ring_sums(const struct ring *ring);
/* Add (1) or subtract (-1). */
void ring_sums_add(struct ring_sums *sums, const struct ring_sums *more, int sign);

/* Note how far the kernel has written. */
void ring_look(struct ring *ring);
/*
 * The next record until there, valid until the next one of any ring; NULL: there is none. *bad: the
 * rest is no record, and is left out.
 */
const struct perf_event_header *ring_next(struct ring *ring, bool *bad);
/* A word of that record. It may be asked for before ring_next(). */
__u64 ring_word(const struct ring *ring, size_t offset);
/* Leave the record to the kernel. */
void ring_done(struct ring *ring, const struct perf_event_header *record);

/* Read the ring of an event of ring_attr(). A malformed record counts as lost. */
void ring_read(struct ring *ring, struct history *history);

#endif
