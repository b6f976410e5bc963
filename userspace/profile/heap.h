/* SPDX-License-Identifier: GPL-2.0 */
/* Heap objects by where they were allocated: what record --heap's preload library tells. */
#ifndef MEMLAT_HEAP_H
#define MEMLAT_HEAP_H

#include <stddef.h>

#include <linux/types.h>

#include "snapshot.h"

#define HEAP_FRAMES	8

/* One object that lived. */
struct heap_object {
	__u32 pid;
	__u64 start, size;
	__u64 from, until;	/* CLOCK_MONOTONIC, ns; ~0: was never freed */
	__u32 site;		/* index of its site */
};

/* Where objects are allocated: return addresses, innermost (the caller of malloc) first. */
struct heap_site {
	__u32 pid;
	__u32 frames;
	__u64 frame[HEAP_FRAMES];
	__u64 objects, bytes;	/* all that were ever allocated there */
};

struct heap_log;

/*
 * Read what the library wrote under a folder, one file a process. 0 or -errno; what
 * a file lacks because its process was killed is left out and counted as cut.
 */
int heap_log_read(struct heap_log **log, const char *folder);
void heap_log_free(struct heap_log *log);

/* Drop the objects that share no line with what was sampled. */
void heap_keep(struct heap_log *log, const struct snapshot *snap);

/*
 * The object at an address of a process. Where several lived there one after the
 * other, the one that lived longest between from and until. NULL: none.
 */
const struct heap_object *heap_find(const struct heap_log *log, __u32 pid, __u64 address,
				    __u64 from, __u64 until);
const struct heap_site *heap_site(const struct heap_log *log, __u32 site);
/* Allocations that the library could not note. */
__u64 heap_lost(const struct heap_log *log);
/* Files that broke off. */
__u64 heap_cut(const struct heap_log *log);
/* All allocations that were noted, and by how many programs. */
__u64 heap_objects(const struct heap_log *log);
size_t heap_processes(const struct heap_log *log);

/* Add what another session of the same run of the kernel noted; *into may be NULL. */
void heap_merge(struct heap_log **into, const struct heap_log *other);

/* For the file; as history_encode() and history_decode(). */
void heap_encode(const struct heap_log *log, void **bytes, size_t *size);
int heap_decode(struct heap_log **log, const void *bytes, size_t size, const char **why);

#endif
