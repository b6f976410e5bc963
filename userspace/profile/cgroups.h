/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Which cgroup a process was in, as /proc/PID/cgroup had it when it was last looked at. One
 * that nobody looked at is taken to be in its parent's, as the kernel has it begin there.
 */
#ifndef MEMLAT_PROFILE_CGROUPS_H
#define MEMLAT_PROFILE_CGROUPS_H

#include <stddef.h>

#include <linux/types.h>

struct cgroup_of {
	__u32 pid;
	char *path;	/* from the mount on: "/user.slice"; any bytes */
};

struct cgroups {
	struct cgroup_of *of;	/* by pid */
	size_t nr, room;
};

struct history;
struct json_object;

void cgroups_free(struct cgroups *cgroups);
/* Ask for a process's, or for those of all; who is gone keeps what was noted before. */
void cgroups_note(struct cgroups *cgroups, __u32 pid);
void cgroups_note_all(struct cgroups *cgroups);
void cgroups_set(struct cgroups *cgroups, __u32 pid, const char *path);
/* What is noted in the other one alone is added. */
void cgroups_merge(struct cgroups *into, const struct cgroups *other);

/* NULL: not known. */
const char *cgroups_find(const struct cgroups *cgroups, const struct history *history,
			 __u32 pid, __u32 gen);

/* As the member "cgroups"; that may be missing. 0 or -EBADMSG. */
void cgroups_to_json(struct json_object *object, const struct cgroups *cgroups);
int cgroups_from_json(struct cgroups *cgroups, struct json_object *object);

#endif
