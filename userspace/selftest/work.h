/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Built-in programs with known results. Each runs pinned in a process of its own, and works between
 * two signs from its parent.
 */
#ifndef MEMLAT_SELFTEST_WORK_H
#define MEMLAT_SELFTEST_WORK_H

#include <stdbool.h>
#include <sys/types.h>

#include <linux/types.h>

#define WORK_LINE	64
#define WORK_APART	4096	/* bytes between words that must not share anything */

enum work_kind {
	WORK_CHASE,	/* one thread; the address of each load is the value of the previous one */
	WORK_SHARED,	/* two threads increment two words of one line */
	WORK_PRIVATE	/* the same with a line for each word */
};

/* The memory that both processes share. */
struct work_shared {
	int stop;
	int failed;		/* errno of a failure before the work */
	__u64 steps;		/* number of steps of the chase */
	double cycles;		/* of a step, as timed before the session */
};

struct work {
	enum work_kind kind;
	int cpu[2];
	__u64 bytes;		/* of the chase's memory */
	struct work_shared *shared;
	/* of the two threads; at the same address in both processes */
	volatile __u64 *words[2];
	pid_t pid;
	int wire;		/* a byte each way: ready, and go */
};

/*
 * Fork the child, and wait until its memory is laid out and a chase is timed. Returns 0 or -errno.
 * work_go() then starts the work, and work_end() is needed in any case.
 */
int work_begin(struct work *work);
int work_go(struct work *work);
/* Let the child finish. Was it still alive? */
bool work_finish(struct work *work);
void work_end(struct work *work);

/* The programs: prepare returns -errno, go works until shared->stop. */
struct chase;
int chase_prepare(struct chase **chase, const struct work *work);
void chase_work(struct chase *chase, struct work_shared *shared);
int counters_work(const struct work *work);

/* Bind this thread to one CPU. 0 or -errno */
int work_pin(int cpu);

#endif
