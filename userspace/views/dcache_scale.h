/* SPDX-License-Identifier: GPL-2.0 */
/* The end of dcache's totals: the counted events, and the factor by which samples are scaled. */
#ifndef MEMLAT_DCACHE_SCALE_H
#define MEMLAT_DCACHE_SCALE_H

#include <stdio.h>

#include "../profile/snapshot.h"
#include "../util/json.h"

/* est_misses: the misses that the samples stand for, by their weight alone. */
void dcache_scale_print(FILE *out, const struct snapshot *snap, __u64 est_misses);
void dcache_scale_put(struct json_object *totals, const struct snapshot *snap,
		      __u64 est_misses);

#endif
