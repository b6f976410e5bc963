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
	CGROUP_NOT,	/* the folder exists and is no cgroup v2 */
	CGROUP_DENIED	/* the folder may exist: errno says what is in the way */
};

/*
 * The id of a cgroup: the inode number of its folder. The path is as typed, or relative to the
 * mount of cgroups v2, as in /proc/PID/cgroup. folder: NULL, or for a descriptor of it.
 */
enum cgroup_result cgroup_id(const char *path, __u64 *id, int *folder);

/*
 * The path of a cgroup below its mount, such as "/user.slice"; false if the cgroup is gone or the
 * caller may not look it up.
 */
bool cgroup_path(__u64 id, char *path, size_t room);

/*
 * Move this process to the root of each hierarchy that is mounted, of version 1 or 2, as far as the
 * kernel permits it. mountinfo: the file in /proc that lists mounts.
 */
void cgroup_leave(const char *mountinfo);

#endif
