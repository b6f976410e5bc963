/* SPDX-License-Identifier: GPL-2.0 */
/* When threads waited for memory: the intervals of a session, if it has any. */
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
/* A list with an object for each interval. */
struct json_object *phases_json(const struct profile *profile);

#endif
