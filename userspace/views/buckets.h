/* SPDX-License-Identifier: GPL-2.0 */
/* Loads by latency and source. */
#ifndef MEMLAT_VIEW_BUCKETS_H
#define MEMLAT_VIEW_BUCKETS_H

#include <stdio.h>

#include "../profile/snapshot.h"
#include "../util/json.h"

/*
 * Print the table of /sys/kernel/memlat/buckets. weighted: show the loads that samples stand for
 * instead of the samples.
 */
void buckets_print(FILE *out, const struct snapshot *snap, bool weighted);
/* Print both samples and the loads that they stand for, row by row. */
void buckets_csv(FILE *out, const struct snapshot *snap);
struct json_object *buckets_json(const struct snapshot *snap);

#endif
