/* SPDX-License-Identifier: GPL-2.0 */
/* What memlat-ctl itself causes: a live view fills the tables by reading them. */
#ifndef MEMLAT_SELF_H
#define MEMLAT_SELF_H

#include "profile.h"

/* Processes called memlat-ctl, by the names in the table of threads. All zero: none. */
struct self_known {
	struct self_process {
		__u32 pid, gen;
	} *process;
	size_t nr, room;
};

/* Add those of a snapshot. */
void self_find(struct self_known *known, const struct snapshot *snap);
void self_free(struct self_known *known);
/* Does a row of lines, sites, accesses, strides or stacks belong only to such processes? */
bool self_has(const struct self_known *known, enum snapshot_table table, const void *row);

/*
 * Remove the rows that belong only to processes called memlat-ctl from lines, sites, accesses,
 * threads and strides. The sums stay, so a share is still of all that was sampled. The snapshot
 * must have the table of threads, which has the names.
 */
void self_leave_out(struct snapshot *snap, struct own_left_out *left_out);

/* Count what own_leave_out() would remove. */
void self_count(const struct snapshot *snap, struct own_left_out *own);

#endif
