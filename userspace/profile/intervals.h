/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A session in intervals, one after the other: what came in each, as tables of its own
 * (since.h). They are bounded in number and in bytes: when there are too many, neighbours are
 * joined, so that each is twice as long and none is missing.
 */
#ifndef MEMLAT_INTERVALS_H
#define MEMLAT_INTERVALS_H

#include "snapshot.h"

#define INTERVALS_MOST	120U
#define INTERVALS_BYTES	(64U << 20)	/* of rows */

struct interval {
	__u64 from_ns, to_ns;	/* of the time that the session has sampled */
	struct snapshot came;
};

struct intervals {
	struct interval *at;
	size_t nr, room;
	__u64 step_ns;		/* as long as each was to be */
	__u64 joins;		/* how often all neighbours were joined since */
};

struct intervals *intervals_new(__u64 step_ns);
void intervals_free(struct intervals *intervals);
/* One more, behind the others; came is taken over. */
void intervals_add(struct intervals *intervals, __u64 from_ns, __u64 to_ns,
		   struct snapshot *came);

/*
 * Those of another session, which are moved by so many ns, behind the others; where that has
 * none, all of it is one. They are copies.
 */
void intervals_add_all(struct intervals *intervals, const struct intervals *more,
		       const struct snapshot *whole, __u64 by_ns);
/* Where the last one ends; at least what the session has sampled. */
__u64 intervals_end(const struct intervals *intervals, const struct snapshot *whole);
/* Is each about as long as they were to be? The last one may be shorter. */
bool intervals_are_even(const struct intervals *intervals);

/*
 * All those that have a part of this time, as one; how many. *from_ns and *to_ns then are
 * when the first of them began and the last one ended. 0: there are none, and *sum is empty.
 */
size_t intervals_between(const struct intervals *intervals, __u64 *from_ns, __u64 *to_ns,
			 struct snapshot *sum);

/* For the file: newly allocated bytes (free()). */
void intervals_encode(const struct intervals *intervals, void **bytes, size_t *size);
/* tables: as struct snapshot has them. 0, or -EBADMSG with *why (static text). */
int intervals_decode(struct intervals **intervals, const void *bytes, size_t size, __u32 tables,
		     const char **why);

#endif
