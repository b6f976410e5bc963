/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The names and generations of threads and processes at the time of a sample, from perf's records.
 * Those of a file are in no order, so all are held. Those of rings are live: they come in order of
 * time, with the samples among them, so only the present is held.
 */
#ifndef MEMLAT_PERF_TASKS_H
#define MEMLAT_PERF_TASKS_H

#include <stddef.h>

#include "perf_record.h"

/* A thread's name from this time on. */
struct perf_task_name {
	__u32 tid;
	__u32 parent;	/* the thread whose name of this time it is, if it was forked */
	bool forked;
	__u64 time;
	size_t order;
	char comm[16];
};

/* A process begins, or executes another program. */
struct perf_task_begin {
	__u32 pid;
	__u64 time;
};

/* A thread as it is now, and a process as that of its first thread. */
struct perf_task {
	__u32 begins;
	bool named;
	char comm[16];
};

struct perf_tasks {
	bool live;
	struct perf_task **now;		/* live: pages of persons, by tid */
	struct perf_task_name *names;	/* by tid, then by time, once settled */
	size_t nr_names, room_names;
	struct perf_task_begin *begins;	/* by pid, then by time, once settled */
	size_t nr_begins, room_begins;
};

/*
 * Take PERF_RECORD_COMM and _FORK. At most HISTORY_EVENTS of each kind are held. The history, which
 * gets the same records and more, counts as lost what is left out here.
 */
void perf_tasks_take(struct perf_tasks *people, const struct perf_event_header *record,
		     const struct perf_trailer *trailer);
/* Sort everything; all records have been taken. */
void perf_tasks_settle(struct perf_tasks *people);
void perf_tasks_free(struct perf_tasks *people);

/*
 * The thread's name at that time; "": not known. Of a live one that is older than the recording,
 * /proc tells it.
 */
const char *perf_tasks_name(struct perf_tasks *people, __u32 tid, __u64 time);
/* A number that differs for each process and program that had this pid; never 0. */
__u32 perf_tasks_generation(struct perf_tasks *people, __u32 pid, __u64 time);

#endif
