/* SPDX-License-Identifier: GPL-2.0 */
/* The keeper: see ../profile/keeper.h. Here it is made, and does its work. */
#ifndef MEMLAT_RECORD_KEEPER_H
#define MEMLAT_RECORD_KEEPER_H

#include <sys/types.h>

#include <linux/types.h>

#include "../profile/keeper.h"

/* Where it leaves what it knows, and where the module tells of its session. */
struct keeper_place {
	const char *folder, *sys;
};

#define KEEPER_PLACE	((struct keeper_place){ KEEPER_FOLDER, "/sys/kernel/memlat" })

struct keeper_child {
	int wire;	/* -1: there is none */
	pid_t pid;
	int error;	/* why there is none, errno; 0: there is one */
};

/*
 * Before the session starts, so that nothing falls between the two: make it, and wait until
 * it listens on all CPUs. device is closed there: an open device keeps the module from
 * being unloaded. task: the process that the session is of; 0: all.
 */
void keeper_begin(struct keeper_child *child, const struct keeper_place *place, int device,
		  __u32 task);
/* It has started: stay, from now on by itself. */
void keeper_stay(struct keeper_child *child, __u64 started_ns);
/* It has not. */
void keeper_drop(struct keeper_child *child);

#endif
