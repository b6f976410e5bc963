/* SPDX-License-Identifier: GPL-2.0 */
/* When threads waited for memory: the intervals of a session, if they were kept. */
#ifndef MEMLAT_VIEW_PHASES_H
#define MEMLAT_VIEW_PHASES_H

#include <stdio.h>

#include "../profile/intervals.h"
#include "../profile/profile.h"
#include "../util/json.h"

/* How long loads waited in one interval. */
struct phase {
	__u64 cost, estimate, busy, duration_ns;
};

struct phase phase_of(const struct interval *interval);
/*
 * The share of busy cycles; where these are not known, cycles a nanosecond, which can only be
 * compared.
 */
double phase_height(const struct phase *phase);
/* "Highest: at most 41% of busy cycles by estimate, 2.0 to 4.0 s." */
void phases_highest(FILE *out, const struct intervals *intervals);

/* In words, a line or two; nothing where there are none. */
void phases_print(FILE *out, const struct profile *profile, size_t width);
/* A list with an object for each. */
struct json_object *phases_json(const struct profile *profile);

#endif
