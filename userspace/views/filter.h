/* SPDX-License-Identifier: GPL-2.0 */
/* What a session samples, and whom: the filters as set. */
#ifndef MEMLAT_FILTER_H
#define MEMLAT_FILTER_H

#include <stdbool.h>
#include <stdio.h>

#include <linux/memlat.h>

#define FILTER_MAX	512

/* Loads are sampled also where neither they nor stores were asked for, nor counts. */
bool filter_loads(__u32 flags);
/* Events are counted, and nothing is sampled. */
bool filter_only_counts(__u32 flags);
bool filter_stores(__u32 flags);

/* "user and kernel" */
const char *filter_privilege(__u32 flags);

/* "loads longer than 30 cycles and stores" */
char *filter_events(char text[FILTER_MAX], __u32 flags, __u32 ldlat);

/* ", with call chains": what else is noted of a sample, or left out; nothing where nothing is. */
void filter_put_extras(FILE *out, __u32 flags);

/*
 * Whom, with names from now: "process 71 (chase) and its children, cgroup
 * /user.slice", or "all processes".
 */
char *filter_whom(char text[FILTER_MAX], const struct memlat_status *status);

/* Is a session of some tasks alone? */
bool filter_of_tasks(const struct memlat_status *status);
/* What the status of a session with this configuration will say of whom it is. */
struct memlat_status filter_status(const struct memlat_config *config);

/*
 * Of a session of another time, or of another machine: filter_whom() asks nobody, as
 * whoever has these numbers now is somebody else.
 */
void filter_of_the_past(void);

/* The same in few words, without asking anybody: ", pid 71", or "". */
char *filter_whom_short(char text[FILTER_MAX], const struct memlat_status *status);

#endif
