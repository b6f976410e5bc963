/* SPDX-License-Identifier: GPL-2.0 */
/*
 * How long threads waited for memory, and when: the intervals of a session, if it has any. Latencies
 * overlap each other and other work, so their sum is no share of the time that CPUs had. It is an
 * upper bound of the time that was spent waiting.
 */
#ifndef MEMLAT_VIEW_PHASES_H
#define MEMLAT_VIEW_PHASES_H

#include <stdio.h>

#include "../profile/intervals.h"
#include "../profile/profile.h"
#include "../util/json.h"

/* How long loads waited in an interval. */
struct phase {
	__u64 cost, estimate, busy, duration_ns;
};

struct phase phase_of(const struct interval *interval);
/*
 * The share of busy cycles. If busy cycles are not known, waited cycles per nanosecond, which can
 * only be compared with each other.
 */
double phase_height(const struct phase *phase);
/* "Highest: at most 41% of busy cycles by estimate, 2.0 to 4.0 s." */
void phases_highest(FILE *out, const struct intervals *intervals);

/* Print the intervals in a line or two of words; nothing if there are none. */
void phases_print(FILE *out, const struct profile *profile, size_t width);
/*
 * Print ", at most 9.2% of busy cycles by estimate", or ", 6.1 of its loads waiting at once by
 * estimate"; nothing if busy cycles were not counted.
 */
void phases_waiting(FILE *out, const struct snapshot *snap, __u64 cost);
/* A list with an object for each interval. */
struct json_object *phases_json(const struct profile *profile);

#endif
