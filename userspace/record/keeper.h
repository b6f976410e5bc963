/* SPDX-License-Identifier: GPL-2.0 */
/* Starting the keeper (see ../profile/keeper.h), and its work. */
#ifndef MEMLAT_RECORD_KEEPER_H
#define MEMLAT_RECORD_KEEPER_H

#include <stdbool.h>
#include <sys/types.h>

#include <linux/memlat.h>

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

#endif
