/* SPDX-License-Identifier: GPL-2.0 */
/* Starting the keeper (see ../profile/keeper.h), and its work. */
#ifndef MEMLAT_RECORD_KEEPER_H
#define MEMLAT_RECORD_KEEPER_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include <linux/memlat.h>
#include <linux/types.h>

#include "../profile/history.h"
#include "../profile/keeper.h"

struct engine;

/* The keeper's folder, and the module's sysfs folder that shows the session. */
struct keeper_place {
	const char *folder, *sys;
	bool stays;	/* in the cgroups of its starter, which stays too */
	/*
	 * The session is of perf's engine: the keeper holds it, and has to know what it is. NULL: it
	 * is the module's.
	 */
	struct engine *engine;
	struct memlat_query query;
};

#define KEEPER_PLACE	((struct keeper_place){ .folder = KEEPER_FOLDER, .sys = "/sys/kernel/memlat" })

struct keeper_child {
	int wire;	/* to the keeper; -1: there is no keeper */
	pid_t pid;
	bool tied;	/* the session, of perf's engine, ends when the wire is closed */
	/* errno: why there is no keeper; -errno: perf's rings could not be opened; 0: there is one */
	int error;
};

/*
 * Before the session starts: fork the keeper, and wait until it listens on all CPUs, so that no
 * event is missed. The keeper closes all that the caller has open. task: the process that the
 * session is of; 0: all.
 */
void keeper_begin(struct keeper_child *child, const struct keeper_place *place, __u32 task);
/* The session has started: let the keeper run on its own. */
void keeper_stay(struct keeper_child *child, __u64 started_ns);
/* The session was not started: end the keeper. */
void keeper_drop(struct keeper_child *child);

/*
 * Keep programs and libraries readable that nobody can open any more, because they were deleted or
 * replaced, or because their container is gone. Each file is held open as long as a process that
 * mapped it lives, and no longer, so that it blocks no umount. Then a file that cannot be reached
 * by its path is copied, under its build id.
 */

struct held_file;

struct kept_files {
	const char *folder;	/* of the copies: FOLDER/.build-id/xx/yyyy; the caller's */
	__u64 most;		/* bytes of all copies */
	struct held_file *held;	/* open files */
	size_t nr_held, room_held;
	__u8 (*stored)[HISTORY_BUILD_ID_MAX];	/* build ids that were copied or refused */
	size_t nr_stored, room_stored;
	__u64 bytes;		/* of all copies */
	__u64 copies, lost;	/* number of copies; number of files for which there was no room */
	bool told;		/* the kernel tells build ids */
	__u32 last_pid;		/* the process of @last */
	struct history_map last;	/* the mapping whose build id was read last; no path */
};

/* Adds the file's build id to the mapping, if the kernel has not told it. */
void kept_files_mapped(struct kept_files *files, __u32 pid, struct history_map *map);
void kept_files_ended(struct kept_files *files, __u32 pid);
/* As if all processes had ended: nothing is held any more. */
void kept_files_end(struct kept_files *files);
/* Remove a folder with the copies in it, or with other files. */
void kept_files_remove(const char *folder);

#endif
