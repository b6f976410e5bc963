/* SPDX-License-Identifier: GPL-2.0 */
/* What memlat-ctl itself does: a live view that reads tables fills them. */
#ifndef MEMLAT_PROFILE_OWN_H
#define MEMLAT_PROFILE_OWN_H

#include "profile.h"

/*
 * Take rows out that are of processes called memlat-ctl alone: lines, sites, accesses,
 * threads and strides. Their sums stay: a share is of all that was sampled. Needs the
 * table of threads, which has the names.
 */
void own_leave_out(struct snapshot *snap, struct own_left_out *left_out);

#endif
