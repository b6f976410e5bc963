/* SPDX-License-Identifier: GPL-2.0 */
/* Log objects: what a thread needs at hand for it, and where it writes. */
#ifndef MEMLAT_HEAP_LOG_H
#define MEMLAT_HEAP_LOG_H

#include <stdbool.h>
#include <stddef.h>

#include "format.h"

#define likely(x)	__builtin_expect(!!(x), 1)
#define unlikely(x)	__builtin_expect(!!(x), 0)

/*
 * A call chain that was walked before. It is the same again while the same return addresses are on
 * the stack.
 */
struct name_cache {
	__u32 site;
	__u32 frames;
	const __u64 *where[HEAP_SITE_FRAMES];	/* their places on the stack */
	__u64 frame[HEAP_SITE_FRAMES];
};

#define MEMO_BITS	9
#define MEMO_ENTRIES	(1 << MEMO_BITS)

/* The blocks of one thread. When the thread ends, another one continues with them. */
struct lane {
	struct lane *next;		/* of those that are idle */
	struct lane *other;		/* of all that were made */
	struct heap_record_object *table;
	__u64 *block;			/* of records; NULL: there is no room */
	__u64 *at, *end;
	struct name_cache memo[MEMO_ENTRIES];
};

/*
 * Get this thread's lane. NULL: the thread is in here already (a signal, or an allocation by this
 * library), or nothing is to be logged. lane_leave() must follow.
 */
struct lane *lane_enter(void);
void lane_leave(void);

/* Append a record; false: there is no room. */
bool log_append(struct lane *lane, const __u64 *words, unsigned int length);
void log_lost(__u64 objects);
__u64 log_now(void);

void log_alloc(struct lane *lane, void *object, size_t size, __u32 site, __u64 now);
void log_free(struct lane *lane, void *object, __u64 now);

/*
 * The number of an allocation's site. where: the place on the stack with the return address of the
 * allocation function. 0: no number is free.
 */
__u32 site_find(struct lane *lane, const __u64 *where);
/* In a forked child: unlock what another thread of the parent held; begin numbering anew. */
void site_unlock(void);
void site_forget(void);

#endif
