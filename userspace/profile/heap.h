/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Heap objects by the place where they were allocated, as the preload library of record --heap logs
 * them.
 */
#ifndef MEMLAT_HEAP_H
#define MEMLAT_HEAP_H

#include <stddef.h>

#include <linux/types.h>

#include "snapshot.h"

#define HEAP_FRAMES	8

/* One object, from its allocation to its free. */
struct heap_object {
	__u32 pid;
	__u64 start, size;
	__u64 from, until;	/* CLOCK_MONOTONIC, ns; until ~0: never freed */
	__u32 site;		/* index of its site */
};

/* A place of allocation: return addresses, innermost (the caller of malloc) first. */
struct heap_site {
	__u32 pid;
	__u32 frames;
	__u64 frame[HEAP_FRAMES];
	__u64 objects, bytes;	/* all that were ever allocated at the site */
};

struct heap_log;

/*
 * Read what the library wrote to a folder, one file a program. Returns 0 or -errno. A file that is
 * incomplete because its process was killed is read as far as it goes and counted as cut.
 */
int heap_log_read(struct heap_log **log, const char *folder);
void heap_log_free(struct heap_log *log);

/*
 * Drop the objects that share no line with what was sampled: a program allocates millions, and few
 * matter.
 */
void heap_keep(struct heap_log *log, const struct snapshot *snap);

/*
 * The object at an address of a process. If several objects lived there one after the other, it is
 * the one that lived longest between from and until. NULL: none.
 */
const struct heap_object *heap_find(const struct heap_log *log, __u32 pid, __u64 address,
				    __u64 from, __u64 until);
const struct heap_site *heap_site(const struct heap_log *log, __u32 site);
/* Allocations that the library could not log. */
__u64 heap_lost(const struct heap_log *log);
/* Incomplete files. */
__u64 heap_cut(const struct heap_log *log);
/* The number of all logged allocations, and of the programs that made them. */
__u64 heap_objects(const struct heap_log *log);
size_t heap_processes(const struct heap_log *log);

/* Add the log of another session of the same run of the kernel; *into may be NULL. */
void heap_merge(struct heap_log **into, const struct heap_log *other);

/* Bytes for the profile file, as with history_encode() and history_decode(). */
void heap_encode(const struct heap_log *log, void **bytes, size_t *size);
int heap_decode(struct heap_log **log, const void *bytes, size_t size, const char **why);

#endif
