/* SPDX-License-Identifier: GPL-2.0 */
/* State, configuration and every counter with its meaning. */
#ifndef MEMLAT_VIEW_STATUS_H
#define MEMLAT_VIEW_STATUS_H

#include <stdio.h>

#include "../profile/profile.h"
#include "../profile/snapshot.h"
#include "../util/json.h"

/*
 * Of the snapshot: its head and its kinds of cores, none of an older module.
 * now_ns: CLOCK_MONOTONIC, to say since when.
 */
void status_print(FILE *out, const struct memlat_query *query,
		  const struct snapshot *snap, __u64 now_ns);
struct json_object *status_json(const struct memlat_query *query,
				const struct snapshot *snap);

/* Of a profile that was recorded: what, when and where; lines above those of its status. */
void status_print_recorded(FILE *out, const struct profile *profile);
/* Who keeps names in a live session; null: nobody. */
void status_print_names(FILE *out, const struct profile *profile);
/* null members where it is not known, all of them live. */
void status_put_recorded(struct json_object *document, const struct profile *profile);

#endif
