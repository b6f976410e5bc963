// SPDX-License-Identifier: GPL-2.0
#include "own.h"

#include <string.h>

#define OWN_COMM	"memlat-ctl"
#define KERNEL_BIT	63

struct own {
	const struct memlat_rec_thread *threads;	/* its own, which are few */
	size_t nr;
};

static bool is_own(const struct own *own, __u32 tgid, __u32 gen)
{
	size_t i;

	for (i = 0; tgid && i < own->nr; i++)
		if (own->threads[i].tgid == tgid && own->threads[i].gen == gen)
			return true;
	return false;
}

/* Its own threads to the end of the table, the others stay in their order. */
static void part_threads(struct snapshot *snap, struct own *own)
{
	struct memlat_rec_thread *threads = snap->threads, thread;
	size_t i, kept = 0;

	for (i = 0; i < snap->nr_threads; i++) {
		if (!strncmp(threads[i].comm, OWN_COMM, sizeof(threads[i].comm)))
			continue;
		thread = threads[kept];
		threads[kept++] = threads[i];
		threads[i] = thread;
	}
	own->threads = threads + kept;
	own->nr = snap->nr_threads - kept;
	snap->nr_threads = kept;
}

void own_leave_out(struct snapshot *snap, struct own_left_out *left_out)
{
	size_t i, kept;
	struct own own;

	memset(left_out, 0, sizeof(*left_out));
	part_threads(snap, &own);
	for (i = 0; i < own.nr; i++) {
		left_out->samples += own.threads[i].samples;
		left_out->cost += own.threads[i].cost;
	}
	if (!own.nr)
		return;
	for (i = kept = 0; i < snap->nr_lines; i++)
		/* One that others use too is theirs as well. */
		if (snap->lines[i].shared || !is_own(&own, snap->lines[i].space, snap->lines[i].gen))
			snap->lines[kept++] = snap->lines[i];
	snap->nr_lines = kept;
	for (i = kept = 0; i < snap->nr_sites; i++)
		if (!is_own(&own, snap->sites[i].space, snap->sites[i].gen))
			snap->sites[kept++] = snap->sites[i];
	snap->nr_sites = kept;
	for (i = kept = 0; i < snap->nr_accesses; i++)
		/* Of the kernel's data the lines are everybody's, and stay. */
		if (snap->accesses[i].addr >> KERNEL_BIT ||
		    !is_own(&own, snap->accesses[i].tgid, snap->accesses[i].gen))
			snap->accesses[kept++] = snap->accesses[i];
	snap->nr_accesses = kept;
	for (i = kept = 0; i < snap->nr_strides; i++)
		if (!is_own(&own, snap->strides[i].space, snap->strides[i].gen))
			snap->strides[kept++] = snap->strides[i];
	snap->nr_strides = kept;
}
