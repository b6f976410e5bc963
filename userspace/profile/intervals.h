/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A session in consecutive intervals: what was sampled in each, as separate tables (since.h). Their
 * number and bytes are bounded. When there are too many, neighbours are joined in pairs, so that
 * each is twice as long and none is lost.
 */
#ifndef MEMLAT_INTERVALS_H
#define MEMLAT_INTERVALS_H

#include "snapshot.h"

#define INTERVALS_MOST	120U
#define INTERVALS_BYTES	(64U << 20)	/* of all rows */

struct interval {
	__u64 from_ns, to_ns;	/* in sampled time since the session began */
	struct snapshot came;
};

struct intervals {
	struct interval *at;
	size_t nr, room;
	__u64 step_ns;		/* the length asked for */
	__u64 joins;		/* how often all neighbours have been joined */
};

struct intervals *intervals_new(__u64 step_ns);
void intervals_free(struct intervals *intervals);
/* Append an interval. The snapshot came is taken over. */
void intervals_add(struct intervals *intervals, __u64 from_ns, __u64 to_ns,
		   struct snapshot *came);

/*
 * Append copies of another session's intervals, moved by so many ns. A session without intervals is
 * appended as one interval.
 */
void intervals_add_all(struct intervals *intervals, const struct intervals *more,
		       const struct snapshot *whole, __u64 by_ns);
/* The end of the last interval, or the time that the session has sampled if that is more. */
__u64 intervals_end(const struct intervals *intervals, const struct snapshot *whole);
/* Are all intervals about as long as they should be? The last one may be shorter. */
bool intervals_are_even(const struct intervals *intervals);

/*
 * Add up all intervals that overlap a time. Returns how many. *from_ns and *to_ns become the begin
 * of the first and the end of the last one. 0: there are none, and *sum is empty.
 */
size_t intervals_between(const struct intervals *intervals, __u64 *from_ns, __u64 *to_ns,
			 struct snapshot *sum);
/* Drop those that it leaves out. */
void intervals_keep(struct intervals *intervals, __u64 from_ns, __u64 to_ns);

/* Intervals of a running session. */
struct interval_run {
	int device;
	__u64 started_ns;	/* identifies the session */
	struct intervals *kept;	/* NULL: no intervals are wanted */
	struct snapshot last;	/* snapshot at the begin of the current interval */
	bool begun;		/* last is valid */
	int error;		/* errno that stopped the taking of intervals; 0: none */
};

/* End the current interval. Returns 0 or -errno. */
int interval_take(struct interval_run *run);
/* Add the last interval, from the session's final snapshot. */
void interval_finish(struct interval_run *run, const struct snapshot *end);
void interval_free(struct interval_run *run);

/* For the file: newly allocated bytes (free()). */
void intervals_encode(const struct intervals *intervals, void **bytes, size_t *size);
/* tables: as struct snapshot has them. 0, or -EBADMSG with *why (static text). */
int intervals_decode(struct intervals **intervals, const void *bytes, size_t size, __u32 tables,
		     const char **why);

#endif
