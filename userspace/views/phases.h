/* SPDX-License-Identifier: GPL-2.0 */
/*
 * How long threads waited for memory, and when: the intervals of a session, if it has any. Latencies
 * overlap each other and other work, so their sum is no share of the time that CPUs had. It is an
 * upper bound of the time that was spent waiting.
 */
#ifndef MEMLAT_VIEW_PHASES_H
#define MEMLAT_VIEW_PHASES_H

#include <stdio.h>

#include "../analysis/waits.h"
#include "../profile/intervals.h"
#include "../profile/profile.h"
#include "../util/json.h"

/* How long loads waited in an interval. */
struct phase {
	__u64 cost, busy, duration_ns;
	struct waits waits;
};

/* "14.3%", "0 to 37.0%": the share of busy cycles in which loads wait, as an interval. */
#define WAITS_TEXT_MAX	64
char *waits_text(char text[WAITS_TEXT_MAX], const struct waits *waits);
/*
 * The first line of every view: that share in words, and what it means or what to type to know it.
 * Without the full stop.
 */
void waits_put(FILE *out, const struct waits *waits, const struct memlat_status *status);
/* The members waiting_low, waiting_high and waiting_counted. */
void waits_json(struct json_object *document, const struct waits *waits);

struct phase phase_of(const struct interval *interval);
/*
 * For a curve: the share that was counted, or else waited cycles of each busy one, or of each
 * nanosecond, which can only be compared with each other.
 */
double phase_height(const struct phase *phase);
/* "Highest: 0 to 41.0% of busy cycles, 2.0 to 4.0 s." */
void phases_highest(FILE *out, const struct intervals *intervals);

/* Print the intervals in a line or two of words; nothing if there are none. */
void phases_print(FILE *out, const struct profile *profile, size_t width);
/*
 * Print ", at most 9.2% of busy cycles" of a part of the cost; nothing if less than all of them cannot
 * be said of it.
 */
void phases_waiting(FILE *out, const struct profile *profile, __u64 cost);
/* A list with an object for each interval. */
struct json_object *phases_json(const struct profile *profile);

#endif
