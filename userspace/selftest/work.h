/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Programs with a known answer, built in: each runs in a process of its own, pinned, and
 * works between two signs of its parent.
 */
#ifndef MEMLAT_SELFTEST_WORK_H
#define MEMLAT_SELFTEST_WORK_H

#include <stdbool.h>
#include <sys/types.h>

#include <linux/types.h>

#define WORK_LINE	64
#define WORK_APART	4096	/* bytes between words that are to share nothing */

enum work_kind {
	WORK_CHASE,	/* one thread; each load's address is the value of the one before */
	WORK_SHARED,	/* two threads count in two words of one line */
	WORK_PRIVATE	/* the same in lines of their own */
};

/* What both processes see. */
struct work_shared {
	int stop;
	int failed;		/* errno of what went wrong before the work */
	__u64 steps;		/* done, of chases */
	double cycles;		/* a step takes, as it was timed before the session */
};

struct work {
	enum work_kind kind;
	int cpu[2];
	__u64 bytes;		/* of a chase: the memory it goes through */
	struct work_shared *shared;
	volatile __u64 *words[2];	/* of the two that count; same address in both */
	pid_t pid;
	int ready, go;
};

/*
 * Fork it and wait until all is laid out, and a chase is timed. 0 or -errno; then
 * work_end() is to come in any case, and work_go() starts it.
 */
int work_begin(struct work *work);
int work_go(struct work *work);
/* It finishes what it is at. Was it still there? */
bool work_finish(struct work *work);
void work_end(struct work *work);

/* What they do: prepare returns -errno, go until shared->stop. */
struct chase;
int chase_prepare(struct chase **chase, const struct work *work);
void chase_work(struct chase *chase, struct work_shared *shared);
int counters_work(const struct work *work);

/* This thread stays on one CPU. 0 or -errno */
int work_pin(int cpu);

#endif
