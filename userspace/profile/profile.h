/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A profile: the tables of one session, with all that is needed to name and read them. It comes
 * from a file or was just read from the device. Every view takes one.
 */
#ifndef MEMLAT_PROFILE_H
#define MEMLAT_PROFILE_H

#include <stdbool.h>

#include "cgroups.h"
#include "keeper.h"
#include "machine.h"
#include "snapshot.h"

struct history;
struct intervals;
struct heap_log;
struct kernel_names;
struct known;

/* Rows of processes called memlat-ctl, see own.h. */
struct own_left_out {
	__u64 samples, cost;	/* of their threads */
};

struct profile {
	struct snapshot snap;		/* all tables, or those asked for */
	struct machine machine;
	struct history *history;	/* processes and their mappings; never NULL */
	struct heap_log *heap;		/* allocations; NULL: not recorded */
	struct cgroups cgroups;		/* of processes */
	struct kernel_names *kernel;	/* names of kernel addresses; NULL: ask this kernel */
	struct known *known;		/* names that were found when it was written; NULL: none */
	struct intervals *intervals;	/* what was sampled when; NULL: without record --interval */
	/* of a counting run before the sampling; NULL: without record --counts */
	struct snapshot *counts;
	char *command;			/* the command that was recorded; NULL: none */
	__u64 recorded_at;		/* seconds since 1970, when it was taken */
	/*
	 * When the profile's sessions began (status.started_ns), in rising order. Only a merged
	 * profile has several. 0 of them: there is one, which its status describes.
	 */
	__u64 *sessions;
	size_t nr_sessions;
	bool live;			/* of the running kernel, not from a file */
	struct keeper_told keeper;	/* live: who kept names */
	struct own_left_out own;	/* what a view of it leaves out */
};

void profile_init(struct profile *profile);
void profile_free(struct profile *profile);

/*
 * For each process in the tables ask the keeper, and /proc for a live process that the keeper does
 * not know. The answers become a new profile->history, which is settled.
 */
void profile_find_processes(struct profile *profile);

/*
 * As profile_find_processes(), for these processes only (sorted). The caller keeps the profile's
 * previous history, because names may point into it.
 */
void profile_find_some(struct profile *profile, const __u32 *pids, size_t nr);

#endif
