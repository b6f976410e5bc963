/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Which processes lived during the measurement, and what they had mapped where. It comes from the
 * kernel's perf events or from /proc, so that names survive a process's exit. A process is a row of
 * images: one from its fork, and one from each exec. Times are CLOCK_MONOTONIC in ns.
 */
#ifndef MEMLAT_HISTORY_H
#define MEMLAT_HISTORY_H

#include <stdbool.h>
#include <stddef.h>

#include <linux/types.h>

#include "snapshot.h"

#define HISTORY_BUILD_ID_MAX	20
#define HISTORY_DELETED		" (deleted)"	/* /proc puts it behind a path */
/* most events that are held, some 300 MiB; the others count as lost */
#define HISTORY_EVENTS		(1U << 21)

/*
 * What was mapped at an address until something else was is kept far above all addresses: at so
 * many HISTORY_PAST more. 1 is what came first; what is there at last keeps its address. So where a
 * time is known, as in samples of perf's, an address has a name at a time.
 */
#define HISTORY_PAST	(1ULL << 56)
#define HISTORY_PASTS	127
/* What is replaced sooner, as a loader does when it lays out a file, has no time to be sampled. */
#define HISTORY_BRIEF_NS	100000000ULL

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

/* A thread of an image. */
struct history_thread {
	__u32 tid;
	const char *comm;	/* its last name */
	__u64 stack_start, stack_end;	/* 0, 0: not known */
};

/*
 * Code that a program generated at run time. It is kept only where some of it was sampled. If the
 * program used the place for two functions, one after the other, the name has both, with
 * HISTORY_EARLIER between them, as it is not known which of them was sampled.
 */
#define HISTORY_EARLIER	", or before that "
struct history_code {
	__u64 start, end;	/* from the first to the last sampled address */
	__u64 function;		/* where the function begins */
	const char *name;	/* as the program noted it; any bytes */
};

struct history_image {
	__u32 pid;
	__u32 parent;		/* 0: not known */
	__u64 from, until;	/* ns; 0: since before recording; ~0: until after it */
	const char *comm;	/* last name of its first thread */
	size_t nr_maps;
	const struct history_map *maps;	/* by start; where they overlapped, the later one */
	size_t nr_threads;
	const struct history_thread *threads;
	size_t nr_codes;
	const struct history_code *codes;	/* by start; none overlaps its neighbour */
};

struct history;
struct kernel_names;

struct history *history_new(void);
void history_free(struct history *history);

/* Events. They may be reported in any order of time. path and comm are copied. */
void history_fork(struct history *history, __u64 time, __u32 pid, __u32 tid,
		  __u32 parent_pid, __u32 parent_tid);
void history_comm(struct history *history, __u64 time, __u32 pid, __u32 tid,
		  const char *comm, bool exec);
/* tid 0: it is not known which thread made the mapping. If it is, that reveals thread stacks. */
void history_map(struct history *history, __u32 pid, __u32 tid, const struct history_map *map);
void history_exit(struct history *history, __u64 time, __u32 pid, __u32 tid);
/* Events that the kernel could not deliver, so names may be missing. */
/*
 * The kernel loaded code: a program of BPF, or a trampoline. The names live as long as the history,
 * and are not in its file.
 */
void history_ksymbol(struct history *history, __u64 start, __u32 length, const char *name);
/* How many were programs, for who wants to know more of them while they are there. */
size_t history_loads(const struct history *history);
/* Add these names, unless the kernel itself says what is there; *names may be NULL. */
void history_name_kernel(const struct history *history, struct kernel_names **names);

void history_lost(struct history *history, __u64 events);
__u64 history_lost_events(const struct history *history);

/*
 * Read a live process from /proc: its threads, names and mappings. Returns 0, or -errno if the
 * process is gone or access to it is denied.
 */
int history_read_proc(struct history *history, __u32 pid);
/*
 * Read all processes that began before the kernel was listened to, or the one of this process id or
 * thread id (task; 0: all). Those that have ended or are hidden are left out.
 */
void history_read_live(struct history *history, __u32 task);
/* Read the live processes in the tables, for mappings that were not reported. */
void history_read_sampled(struct history *history, const struct snapshot *snap);

/*
 * All events are in. Sort them into images, and bind each generation in the tables to an image, by
 * the time when each thread was first sampled. Processes that are in no table are left out, unless
 * snap is NULL. Calling this again after more events, or with other tables, adds the events and
 * binds anew.
 */
void history_settle(struct history *history, const struct snapshot *snap);

/*
 * Keep, of all events, only those of one process, which has another number in the tables: the
 * kernel numbers processes as in the listener's PID namespace. pid 0: keep none.
 */
void history_only(struct history *history, __u32 pid, __u32 as);

/*
 * For a process that listens for long (history_fold.c). Events until then are folded into the lives
 * of processes, so a process takes memory for what it has now, not for all that it ever had.
 */
struct history_watch {
	/* A process mapped something, possibly a while ago. May add the build id. */
	void (*mapped)(void *arg, __u32 pid, struct history_map *map);
	/* The process's last thread has ended, or it executes another program from then on. */
	void (*ended)(void *arg, __u32 pid);
	void *arg;
};

/* Tell of the events that have come since the last call, without folding them. */
void history_tell(struct history *history, const struct history_watch *watch);
/* watch is called for what is folded in; it may be NULL. */
void history_fold(struct history *history, __u64 until, const struct history_watch *watch);
/* Approximate size in bytes. */
size_t history_size(const struct history *history);
/*
 * Drop what ended before that time, unless its pid or tid is among the numbers (sorted). If more
 * than most bytes remain, drop ended processes too, those that ended first going first, and then
 * live ones. Returns how many of the last two kinds were dropped: their names will be missing.
 */
size_t history_trim(struct history *history, const __u32 *numbers, size_t nr, __u64 before,
		    size_t most);
/* A copy of these processes (sorted; NULL: all) as they are now. It consists of images. */
struct history *history_extract(const struct history *history, const __u32 *pids, size_t nr);
/*
 * The pids of all processes in the tables, sorted; newly allocated. The second function adds tids.
 */
__u32 *history_pids_of(const struct snapshot *snap, size_t *nr);
__u32 *history_numbers_of(const struct snapshot *snap, size_t *nr);

/*
 * Add the history of a later session of the same run of the kernel. Both are settled, and boundary
 * (ns) separates them: all of the first is before it. A process that lived on after the first
 * session and existed before the second counts as one process if its program is the same. The
 * caller settles into again.
 */
void history_merge(struct history *into, const struct history *later, __u64 boundary);

/* The image that a row of the tables refers to; NULL: not known. gen 0: the last image. */
const struct history_image *history_find(const struct history *history, __u32 pid,
					 __u32 gen);
/* The name of a thread; NULL: not known. */
const char *history_thread_name(const struct history_image *image, __u32 tid);
/* The mapping at an address; NULL: none. */
const struct history_map *history_map_at(const struct history_image *image, __u64 address);
/* The address as this process had it at that time: see HISTORY_PAST. */
__u64 history_address_at(const struct history *history, __u32 pid, __u64 time, __u64 address);
/*
 * What was mapped at an address before what is there at last; NULL: nothing else, as far as it is
 * known and was there for long.
 */
const struct history_map *history_before(const struct history_image *image, __u64 address);
/* Once settled: drop the processes that are not in the tables. */
void history_keep_sampled(struct history *history, const struct snapshot *snap);
/* The mapping below this one of the image; NULL: none. */
const struct history_map *history_map_below(const struct history_image *image,
					    const struct history_map *map);
/* Is the mapping's path the name of a file, and not the kernel's word for a kind of memory? */
bool history_path_is_file(const char *path);

/*
 * After settling: read what programs noted about code that they generated (jit.c), as far as it is
 * in the tables. Files that are missing or not trusted are skipped.
 */
void history_read_jit(struct history *history, const struct snapshot *snap);
/* The generated code at an address; NULL: none is known. */
const struct history_code *history_code_at(const struct history_image *image, __u64 address);

/* For the file, once settled: newly allocated bytes (free()). */
void history_encode(const struct history *history, void **bytes, size_t *size);
/* A new one, settled by the caller; 0, or -EBADMSG with *why (static text). */
int history_decode(struct history **history, const void *bytes, size_t size,
		   const char **why);

#endif
