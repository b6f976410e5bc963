/* SPDX-License-Identifier: GPL-2.0 */
/* How a line's accesses (estimated from the samples) are distributed over its slots. */
#ifndef MEMLAT_SLOTS_H
#define MEMLAT_SLOTS_H

#include "lineset.h"

/*
 * Accesses by 8-byte slot. Not samples, because each CPU has its own periods, so samples of two
 * CPUs cannot be compared.
 */
struct line_slots {
	__u64 hitm[MEMLAT_LINE_SLOTS];	/* loads that were HITM */
	__u64 store[MEMLAT_LINE_SLOTS];
};

/*
 * Take the slots from the line's accesses in a set of 64-byte lines. If there are none, or too many
 * were evicted, take the line's own samples.
 */
void slots_of_line(const struct lineset *set, const struct memlat_rec_line *line,
		   struct line_slots *slots);

#endif
