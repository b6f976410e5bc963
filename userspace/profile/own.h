/* SPDX-License-Identifier: GPL-2.0 */
/* What memlat-ctl itself does: a live view that reads tables fills them. */
#ifndef MEMLAT_PROFILE_OWN_H
#define MEMLAT_PROFILE_OWN_H

#include "profile.h"

/* Processes called memlat-ctl, as the table of threads has them. All zero: none. */
struct own_known {
	struct own_process {
		__u32 pid, gen;
	} *process;
	size_t nr, room;
};

/* Those of a snapshot as well. */
void own_find(struct own_known *known, const struct snapshot *snap);
void own_free(struct own_known *known);
/* Is a row of lines, sites, accesses or strides of such processes alone? */
bool own_has(const struct own_known *known, enum snapshot_table table, const void *row);

/*
 * Take rows out that are of processes called memlat-ctl alone: lines, sites, accesses,
 * threads and strides. Their sums stay: a share is of all that was sampled. Needs the
 * table of threads, which has the names.
 */
void own_leave_out(struct snapshot *snap, struct own_left_out *left_out);

/* What that would take out, in all. */
void own_count(const struct snapshot *snap, struct own_left_out *own);

#endif
