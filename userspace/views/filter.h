/* SPDX-License-Identifier: GPL-2.0 */
/* A session's filters in words: what it samples, and of which processes. */
#ifndef MEMLAT_FILTER_H
#define MEMLAT_FILTER_H

#include <stdbool.h>
#include <stdio.h>

#include <linux/memlat.h>

#include "../analysis/selection.h"
#include "../profile/profile.h"
#include "../util/json.h"

#define FILTER_MAX	512

/* Are loads sampled? They also are if the flags ask for neither loads, stores nor counts. */
bool filter_loads(__u32 flags);
/* Does the session only count events? */
bool filter_only_counts(__u32 flags);
bool filter_stores(__u32 flags);

/* "user and kernel" */
const char *filter_privilege(__u32 flags);

/* "loads longer than 30 cycles and stores"; ldlat 0: the session has no threshold. */
char *filter_events(char text[FILTER_MAX], __u32 flags, __u32 ldlat);

/* Put ", with call chains": what else is recorded with a sample or left out, if anything. */
void filter_put_extras(FILE *out, __u32 flags);

/*
 * Whose loads are sampled, with the names of now: "process 71 (chase) and its children, cgroup
 * /user.slice", or "all processes".
 */
char *filter_whom(char text[FILTER_MAX], const struct memlat_status *status);

/* Is the session limited to some tasks? */
bool filter_of_tasks(const struct memlat_status *status);
/* The status that a session with this configuration will have, as far as filters are concerned. */
struct memlat_status filter_status(const struct memlat_config *config);

/*
 * For a session of another time or machine: filter_whom() looks up no names, because the numbers
 * may belong to others now.
 */
void filter_of_the_past(void);

/* filter_whom() in few words, without a lookup: ", pid 71", or "". */
char *filter_whom_short(char text[FILTER_MAX], const struct memlat_status *status);

/* Show what a selection leaves out of a view. */

/*
 * Set the selection for the next view. Both objects must stay until then. NULL: all rows are shown.
 */
void selected_set(const struct selection *selection, const struct selection_left *left,
		  enum snapshot_table table);

/* "left out by --comm x: 23.0% of sampled latency, 97 of 341 samples"; NULL: nothing was asked. */
char *selected_words(__u64 cost);
/* "No row matches --comm x.": in place of a view, if rows were selected. */
void selected_print_none(FILE *out);
/* Print that below a view, and what else it leaves out. */
void selected_print(FILE *out, __u64 cost);
/* Put the member "selection", if there is a selection. */
void selected_put(struct json_object *document);

/* The sums of memlat-ctl's own rows, if a live view leaves them out; NULL: it leaves out none. */
char *selected_own(const struct profile *profile);

#endif
