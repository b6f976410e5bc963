// SPDX-License-Identifier: GPL-2.0
/* Drop the objects that were not sampled: a program allocates millions, and few matter. */
#include "heap_internal.h"

#include <stdlib.h>

#include "../util/order.h"
#include "../util/search.h"
#include "../util/xalloc.h"

#define LINE	((__u64)MEMLAT_LINE_BYTES)

/* Is any of these lines between start and end? */
static bool any_between(const __u64 *lines, size_t nr, __u64 start, __u64 end)
{
	size_t at = FIRST_WHERE(i, nr, lines[i] >= start);

	return at < nr && lines[at] < end;
}

void heap_keep(struct heap_log *log, const struct snapshot *snap)
{
	size_t i, k, nr = 0, kept = 0;
	__u64 *lines;

	lines = xmallocarray(snap->nr_lines + snap->nr_accesses, sizeof(*lines));
	for (i = 0; i < snap->nr_lines; i++)
		lines[nr++] = snap->lines[i].addr & ~(LINE - 1);
	for (i = 0; i < snap->nr_accesses; i++)
		lines[nr++] = snap->accesses[i].addr & ~(LINE - 1);
	SORT(lines, nr, order_u64);
	/* Keep whatever shares a line with what was sampled: false sharing needs the neighbours. */
	for (i = 0; i < log->nr_processes; i++) {
		struct heap_process *process = &log->processes[i];
		size_t first = process->first;

		process->first = kept;
		for (k = first; k < first + process->nr; k++) {
			const struct heap_object *object = &log->objects[k];

			if (any_between(lines, nr, object->start & ~(LINE - 1),
					object->start + object->size))
				log->objects[kept++] = *object;
		}
		process->nr = kept - process->first;
	}
	log->nr_objects = kept;
	free(lines);
	heap_settle(log);
}
