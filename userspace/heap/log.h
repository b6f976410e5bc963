/* SPDX-License-Identifier: GPL-2.0 */
/* Noting objects: what a thread has at hand for it, and where it goes. */
#ifndef MEMLAT_HEAP_LOG_H
#define MEMLAT_HEAP_LOG_H

#include <stdbool.h>
#include <stddef.h>

#include "format.h"

#define likely(x)	__builtin_expect(!!(x), 1)
#define unlikely(x)	__builtin_expect(!!(x), 0)

/* A chain of calls that was walked before: it is the same while the stack says so. */
struct memo {
	__u32 site;
	__u32 frames;
	const __u64 *where[HEAP_SITE_FRAMES];	/* on the stack */
	__u64 frame[HEAP_SITE_FRAMES];
};

#define MEMO_BITS	9
#define MEMO_ENTRIES	(1 << MEMO_BITS)

/* What one thread writes to; when it ends another one goes on with it. */
struct lane {
	struct lane *next;
	struct heap_record_object *table;
	__u64 *block;			/* of the log; NULL: none could be had */
	__u64 *at, *end;
	struct memo memo[MEMO_ENTRIES];
};

/*
 * What this thread notes in; NULL: it is in here already (a signal, or an allocation
 * of our own), or nothing is to be noted. lane_leave() after it.
 */
struct lane *lane_enter(void);
void lane_leave(void);

/* Append a record; false: no place is left. */
bool log_append(struct lane *lane, const __u64 *words, unsigned int length);
void log_lost(__u64 objects);
__u64 log_now(void);

void log_alloc(struct lane *lane, void *object, size_t size, __u32 site, __u64 now);
void log_free(struct lane *lane, void *object, __u64 now);

/*
 * The site of an allocation: where is the place on the stack that holds the return
 * address of the function that was asked for memory. 0: none is free.
 */
__u32 site_find(struct lane *lane, const __u64 *where);
/* In a forked child: no number was given out yet. */
void site_forget(void);

#endif
