/* SPDX-License-Identifier: GPL-2.0 */
/* The heap log in memory. */
#ifndef MEMLAT_HEAP_INTERNAL_H
#define MEMLAT_HEAP_INTERNAL_H

#include "heap.h"

/* One file of the library: one program that a process executed, or a forked child. */
struct heap_process {
	__u32 pid, file;
	__u64 from, until;
	size_t parent;		/* index of the process that forked it; HEAP_NO_PARENT: none */
	size_t first, nr;	/* its objects */
};

#define HEAP_NO_PARENT	((size_t)-1)

struct heap_log {
	struct heap_process *processes;	/* by pid, then by from, then by file */
	size_t nr_processes, room_processes;
	struct heap_object *objects;	/* by process, then by start, then by from */
	/* the highest end of any object up to there, within a process */
	__u64 *reach;
	size_t nr_objects, room_objects;
	struct heap_site *sites;
	size_t nr_sites, room_sites;
	__u64 lost;
	__u64 cut;			/* incomplete files */
};

/*
 * Make the log ready for queries. Objects of all processes are in place and sorted. A process and
 * its objects end where the next one of that number begins.
 */
void heap_settle(struct heap_log *log);

#endif
