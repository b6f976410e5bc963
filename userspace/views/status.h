/* SPDX-License-Identifier: GPL-2.0 */
/* State and configuration of a session, and every counter with its meaning. */
#ifndef MEMLAT_VIEW_STATUS_H
#define MEMLAT_VIEW_STATUS_H

#include <stdio.h>

#include <linux/memlat.h>

#include "../profile/profile.h"
#include "../profile/snapshot.h"
#include "../util/json.h"
#include "report.h"

/*
 * Print the status in the snapshot, with its kinds of cores, which an older module does not report.
 * now_ns: CLOCK_MONOTONIC, for the times since start and reset.
 */
void status_print(FILE *out, const struct memlat_query *query,
		  const struct snapshot *snap, __u64 now_ns);
struct json_object *status_json(const struct memlat_query *query,
				const struct snapshot *snap);

/* For a recorded profile: print what, when and where was recorded, above the status. */
void status_print_recorded(FILE *out, const struct profile *profile);
/* The process that keeps names for a live session; null: there is none. */
void status_print_names(FILE *out, const struct profile *profile);
/* Put the facts of the recording; null if they are not known, or the session is live. */
void status_put_recorded(struct json_object *document, const struct profile *profile);

/* Every counter of a session with its meaning. */

/*
 * A row for each counter: name, value, unit, meaning. The report refers to the status, which must
 * not move.
 */
struct report counters_report(const struct memlat_status *status);
void counters_csv(FILE *out, const struct memlat_status *status);

/* Print what a start did, and what to do next. */

/* status: of the session just started; NULL if it could not be read. */
void started_print(FILE *out, const struct memlat_config *config,
		   const struct memlat_query *query,
		   const struct memlat_status *status);

/* The kinds of cores of the machine, and the traits of each: an array, empty if the module reports none. */
struct json_object *cores_json(const struct snapshot *snap);

#endif
