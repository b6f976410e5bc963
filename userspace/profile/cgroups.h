/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Which cgroup a process was in, as /proc/PID/cgroup said when it was last read. A process that was
 * never looked up is taken to be in its parent's cgroup, since the kernel starts it there.
 */
#ifndef MEMLAT_PROFILE_CGROUPS_H
#define MEMLAT_PROFILE_CGROUPS_H

#include <stddef.h>

#include <linux/types.h>

struct cgroup_of {
	__u32 pid;
	char *path;	/* below the mount: "/user.slice"; any bytes */
};

struct cgroups {
	struct cgroup_of *of;	/* by pid */
	size_t nr, room;
};

struct history;
struct json_object;

void cgroups_free(struct cgroups *cgroups);
/* Look up the cgroup of one process, or of all. A process that has ended keeps what was noted. */
void cgroups_note(struct cgroups *cgroups, __u32 pid);
void cgroups_note_all(struct cgroups *cgroups);
void cgroups_set(struct cgroups *cgroups, __u32 pid, const char *path);
/* Add the entries that only the other one has. */
void cgroups_merge(struct cgroups *into, const struct cgroups *other);

/* NULL: not known. */
const char *cgroups_find(const struct cgroups *cgroups, const struct history *history,
			 __u32 pid, __u32 gen);

/* Written as the member "cgroups", which may be missing when it is read. Returns 0 or -EBADMSG. */
void cgroups_to_json(struct json_object *object, const struct cgroups *cgroups);
int cgroups_from_json(struct cgroups *cgroups, struct json_object *object);

#endif
