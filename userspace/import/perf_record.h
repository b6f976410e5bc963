/* SPDX-License-Identifier: GPL-2.0 */
/* Parse the kernel's perf records about processes, from a ring or from a file. */
#ifndef MEMLAT_PERF_RECORD_H
#define MEMLAT_PERF_RECORD_H

#include <stdbool.h>

#include <linux/perf_event.h>
#include <linux/types.h>

#include "../profile/history.h"

/* The fields that sample_id_all appends to each record. */
struct perf_trailer {
	unsigned short size;	/* bytes */
	/* offset of the time in it; size: there is none, and it counts as 0 */
	unsigned short time;
};

struct perf_record_map {
	__u32 pid, tid;
	struct history_map map;	/* its path points into the record */
};

/* Parse PERF_RECORD_MMAP and _MMAP2; false: the record is malformed. */
bool perf_record_map(struct perf_record_map *map, const struct perf_event_header *record,
		     const struct perf_trailer *trailer);

/* Add one record to the history. A malformed one counts as lost. */
void perf_record_take(struct history *history, const struct perf_event_header *record,
		      const struct perf_trailer *trailer);

struct perf_record_task {
	__u32 pid, parent_pid;
	__u32 tid, parent_tid;
	__u64 time;
};

/* Parse PERF_RECORD_FORK and _EXIT. */
bool perf_record_task(struct perf_record_task *task, const struct perf_event_header *record,
		      const struct perf_trailer *trailer);

struct perf_record_comm {
	__u32 pid, tid;
	__u64 time;
	const char *comm;
	bool exec;
};

bool perf_record_comm(struct perf_record_comm *comm, const struct perf_event_header *record,
		      const struct perf_trailer *trailer);

#endif
