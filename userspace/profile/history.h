/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Who lived while it was measured, and what was mapped where: from the kernel's perf
 * events (or /proc), so that names survive exit. A process is a row of images: one
 * from its fork, and one from each exec. Times: CLOCK_MONOTONIC, ns.
 */
#ifndef MEMLAT_HISTORY_H
#define MEMLAT_HISTORY_H

#include <stdbool.h>
#include <stddef.h>

#include <linux/types.h>

#include "snapshot.h"

#define HISTORY_BUILD_ID_MAX	20
#define HISTORY_DELETED		" (deleted)"	/* /proc puts it behind a path */

struct history_map {
	__u64 start, end;	/* [start, end) */
	__u64 offset;		/* in the file */
	__u64 time;		/* when it was made; 0: before recording */
	__u32 major, minor;
	__u64 inode;		/* 0: no file, or the kernel told its build id instead */
	__u32 prot, flags;	/* PROT_*, MAP_* */
	__u8 build_id_size;	/* 0: not known */
	__u8 build_id[HISTORY_BUILD_ID_MAX];
	const char *path;	/* as the kernel names it: "/usr/bin/x", "[heap]", "//anon"; any bytes */
};

/* A thread that an image had. */
struct history_thread {
	__u32 tid;
	const char *comm;	/* its last name */
	__u64 stack_start, stack_end;	/* 0, 0: not known */
};

/* Code that a program made while it ran, where something of it was sampled. */
struct history_code {
	__u64 start, end;	/* what was sampled, and all between */
	__u64 function;		/* where the function begins */
	const char *name;	/* as the program told it; any bytes */
};

struct history_image {
	__u32 pid;
	__u32 parent;		/* 0: not known */
	__u64 from, until;	/* ns; 0 .. ~0: from before, to after recording */
	const char *comm;	/* last name of its first thread */
	size_t nr_maps;
	const struct history_map *maps;	/* by start; where they overlapped, the later one */
	size_t nr_threads;
	const struct history_thread *threads;
	size_t nr_codes;
	const struct history_code *codes;	/* by start; none overlaps its neighbour */
};

struct history;

struct history *history_new(void);
void history_free(struct history *history);

/* What happened, in any order of time. path and comm are copied. */
void history_fork(struct history *history, __u64 time, __u32 pid, __u32 tid,
		  __u32 parent_pid, __u32 parent_tid);
void history_comm(struct history *history, __u64 time, __u32 pid, __u32 tid,
		  const char *comm, bool exec);
void history_map(struct history *history, __u32 pid, const struct history_map *map);
/* The same, where it is known which thread made it: from that threads' stacks are known. */
void history_map_by(struct history *history, __u32 pid, __u32 tid,
		    const struct history_map *map);
/* Where a thread's stack is, by who looked at it then. */
void history_stack(struct history *history, __u64 time, __u32 pid, __u32 tid,
		   __u64 start, __u64 end);
void history_exit(struct history *history, __u64 time, __u32 pid, __u32 tid);
/* Events that the kernel could not hand over: names may be missing. */
void history_lost(struct history *history, __u64 events);
__u64 history_lost_events(const struct history *history);

/*
 * A process that lives, from /proc: its threads, names and mappings. 0, or -errno when
 * it is gone or may not be asked.
 */
int history_read_proc(struct history *history, __u32 pid);

/*
 * All events are in: sort them into images, and bind the generations that the tables
 * know to these, by when each thread was first sampled. Processes that are in no table
 * are left out, unless snap is NULL. Again after more events or with other tables:
 * these count in addition, and bind anew.
 */
void history_settle(struct history *history, const struct snapshot *snap);

/*
 * Of all that was told, that of one process, which has another number in the tables: the
 * kernel tells of processes as the listener's PID namespace numbers them. pid 0: of none.
 */
void history_only(struct history *history, __u32 pid, __u32 as);

/*
 * For who listens for long (history_fold.c): what has happened until then is taken in, so
 * that a process takes the room of what it has, not of all that it ever had.
 */
struct history_watch {
	/* A process mapped something, maybe a while ago. */
	void (*mapped)(void *arg, __u32 pid, const struct history_map *map);
	/* Its last thread has ended, or it executes another program from then on. */
	void (*ended)(void *arg, __u32 pid);
	void *arg;
};

/* watch: told of what is taken in; NULL: nobody is. */
void history_fold(struct history *history, __u64 until, const struct history_watch *watch);
/* What that takes, in bytes, nearly. */
size_t history_size(const struct history *history);
/*
 * Let go of what had ended before that time and is not among these numbers, of processes
 * and threads (sorted); then, while more than most bytes are left, of those that ended
 * first, and of those that live. How many of these last two: names that will be missing.
 */
size_t history_trim(struct history *history, const __u32 *numbers, size_t nr, __u64 before,
		    size_t most);
/* These processes (sorted; NULL: all) as they are now: another history, of images. */
struct history *history_extract(const struct history *history, const __u32 *pids, size_t nr);
/* All processes of the tables, sorted; newly allocated. With its threads: the second. */
__u32 *history_pids_of(const struct snapshot *snap, size_t *nr);
__u32 *history_numbers_of(const struct snapshot *snap, size_t *nr);

/*
 * Add what a later session of the same run of the kernel knew; both are settled, and
 * all of the first was before boundary (ns) and all of the other after it. A process
 * that outlived the first and was there before the other is one when its program is
 * the same. The caller settles into again.
 */
void history_merge(struct history *into, const struct history *later, __u64 boundary);

/* The image that a row of the tables means; NULL: not known. gen 0: the last one. */
const struct history_image *history_find(const struct history *history, __u32 pid,
					 __u32 gen);
size_t history_images(const struct history *history);
const struct history_image *history_image(const struct history *history, size_t index);
/* The mapping at an address; NULL: none. */
const struct history_map *history_map_at(const struct history_image *image, __u64 address);
/* Does the mapping's path name a file, or is it the kernel's word for memory? */
bool history_path_is_file(const char *path);

/*
 * What programs noted of code that they made (jit.c), for what is in the tables; after
 * settling. What is not there, or is not theirs, is left out.
 */
void history_read_jit(struct history *history, const struct snapshot *snap);
/* The code at an address; NULL: none that is known. */
const struct history_code *history_code_at(const struct history_image *image, __u64 address);

/* For the file, once settled: newly allocated bytes (free()). */
void history_encode(const struct history *history, void **bytes, size_t *size);
/* A new one, settled by the caller; 0, or -EBADMSG with *why (static text). */
int history_decode(struct history **history, const void *bytes, size_t size,
		   const char **why);

#endif
