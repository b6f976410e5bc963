/* SPDX-License-Identifier: GPL-2.0 */
/* What memlat-ctl itself causes: a live view fills the tables by reading them. */
#ifndef MEMLAT_PROFILE_OWN_H
#define MEMLAT_PROFILE_OWN_H

#include "profile.h"

/* Processes called memlat-ctl, by the names in the table of threads. All zero: none. */
struct own_known {
	struct own_process {
		__u32 pid, gen;
	} *process;
	size_t nr, room;
};

/* Add those of a snapshot. */
void own_find(struct own_known *known, const struct snapshot *snap);
void own_free(struct own_known *known);
/* Does a row of lines, sites, accesses, strides or stacks belong only to such processes? */
bool own_has(const struct own_known *known, enum snapshot_table table, const void *row);

/*
 * Remove the rows that belong only to processes called memlat-ctl from lines, sites, accesses,
 * threads and strides. The sums stay, so a share is still of all that was sampled. The snapshot
 * must have the table of threads, which has the names.
 */
void own_leave_out(struct snapshot *snap, struct own_left_out *left_out);

/* Count what own_leave_out() would remove. */
void own_count(const struct snapshot *snap, struct own_left_out *own);

#endif
