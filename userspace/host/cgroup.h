/* SPDX-License-Identifier: GPL-2.0 */
/* Control groups (version 2) by name and by id. */
#ifndef MEMLAT_CGROUP_H
#define MEMLAT_CGROUP_H

#include <stdbool.h>
#include <stddef.h>

#include <linux/types.h>

enum cgroup_result {
	CGROUP_OK,
	CGROUP_NONE,	/* there is no such folder */
	CGROUP_NOT,	/* it is there, and no cgroup v2 */
	CGROUP_DENIED	/* it may be there: errno says what is in the way */
};

/*
 * The id of a cgroup: the inode number of its folder. The path is as typed,
 * or relative to where cgroups v2 are mounted, as /proc/PID/cgroup has it.
 */
enum cgroup_result cgroup_id(const char *path, __u64 *id);

/*
 * The path of a cgroup under its mount, such as "/user.slice"; false when it
 * is gone or the caller may not ask.
 */
bool cgroup_path(__u64 id, char *path, size_t room);

#endif
