/* SPDX-License-Identifier: GPL-2.0 */
/* Which threads wait, or which groups of threads. */
#ifndef MEMLAT_VIEW_THREADS_H
#define MEMLAT_VIEW_THREADS_H

#include <stdio.h>

#include "../util/json.h"
#include "row.h"

enum threads_by {
	THREADS_BY_THREAD,
	THREADS_BY_PROCESS,
	THREADS_BY_CGROUP,
	THREADS_BY_NODE,	/* a row for each set of nodes on which a thread was sampled */
	THREADS_BY_CPU,		/* a row for each set of CPUs on which a thread was sampled */
	THREADS_BY
};

const char *threads_by_name(enum threads_by by);

/* The threads of one row, and their sums. */
struct threads_row {
	const struct memlat_rec_thread *first;	/* the costliest thread */
	const char *group;	/* path of the control group */
	size_t threads;
	__u64 samples, stores, hitm, latency, weight, cost, cpus, nodes;
};

/* Group the threads of a profile, in the order of what they are grouped by. Newly allocated. */
struct threads_row *threads_group(const struct profile *profile, enum threads_by by, size_t *nr);

#define THREAD_NAME_MAX	64

/*
 * The thread's last name: from the table of threads, otherwise from its process's history. NULL:
 * not known. Any bytes; valid until the next call.
 */
const char *thread_name(const struct profile *profile, __u32 tgid, __u32 gen, __u32 tid);

void threads_print(FILE *out, const struct rows_view *view);
void threads_csv(FILE *out, const struct rows_view *view);
struct json_object *threads_json(const struct rows_view *view);

#endif
