/* SPDX-License-Identifier: GPL-2.0 */
/* Keep the names of a session that memlat-ctl start began, beside what its keeper has left. */
#ifndef MEMLAT_NAMES_LEFT_H
#define MEMLAT_NAMES_LEFT_H

#include <linux/types.h>

/*
 * Find the names of all that was sampled, and write them. So they stay when programs are built anew
 * afterwards. For root, after the session's end and after the keeper has left its file. It drops
 * privileges, so it is the last thing that a process does.
 */
void names_leave(__u64 started_ns);

#endif
