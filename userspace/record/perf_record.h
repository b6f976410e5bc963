/* SPDX-License-Identifier: GPL-2.0 */
/* What the records of the kernel's perf events say of processes: from a ring, or from a file. */
#ifndef MEMLAT_PERF_RECORD_H
#define MEMLAT_PERF_RECORD_H

#include <stdbool.h>

#include <linux/perf_event.h>
#include <linux/types.h>

#include "../profile/history.h"

/* What the kernel puts behind each record with sample_id_all. */
struct perf_trailer {
	unsigned short size;	/* bytes */
	unsigned short time;	/* where in it the time is; size: nowhere, it counts as 0 */
};

__u64 perf_record_time(const struct perf_event_header *record,
		       const struct perf_trailer *trailer);

struct perf_record_map {
	__u32 pid, tid;
	struct history_map map;	/* its path is the record's */
};

/* Of PERF_RECORD_MMAP and _MMAP2; false: it is no proper record. */
bool perf_record_map(struct perf_record_map *map, const struct perf_event_header *record,
		     const struct perf_trailer *trailer);

/* What one record tells; what is no proper record counts as lost. */
void perf_record_take(struct history *history, const struct perf_event_header *record,
		      const struct perf_trailer *trailer);

struct perf_record_task {
	__u32 pid, parent_pid;
	__u32 tid, parent_tid;
	__u64 time;
};

/* Of PERF_RECORD_FORK and _EXIT. */
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
