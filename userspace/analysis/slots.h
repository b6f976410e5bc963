/* SPDX-License-Identifier: GPL-2.0 */
/* Where in a cache line the accesses are that its samples stand for. */
#ifndef MEMLAT_SLOTS_H
#define MEMLAT_SLOTS_H

#include "lineset.h"

/*
 * By 8-byte slot. CPUs sample by periods of their own, so that samples of two
 * of them do not compare; what they stand for does.
 */
struct line_slots {
	__u64 hitm[MEMLAT_LINE_SLOTS];	/* loads that were HITM */
	__u64 store[MEMLAT_LINE_SLOTS];
};

/*
 * What the accesses to it in a set of lines of 64 bytes say, or, when too many of them
 * were evicted or there are none, the line's own samples.
 */
void slots_of_line(const struct lineset *set, const struct memlat_rec_line *line,
		   struct line_slots *slots);

#endif
