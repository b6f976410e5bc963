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

void threads_print(FILE *out, const struct rows_view *view);
void threads_csv(FILE *out, const struct rows_view *view);
struct json_object *threads_json(const struct rows_view *view);

#endif
