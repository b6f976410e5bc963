/* SPDX-License-Identifier: GPL-2.0 */
/* State, configuration and every counter with its meaning. */
#ifndef MEMLAT_VIEW_STATUS_H
#define MEMLAT_VIEW_STATUS_H

#include <stdio.h>

#include <linux/memlat.h>

#include "json.h"

/* now_ns: CLOCK_MONOTONIC, to say since when. */
void status_print(FILE *out, const struct memlat_query *query,
		  const struct memlat_status *status, __u64 now_ns);
struct json_object *status_json(const struct memlat_query *query,
				const struct memlat_status *status);

#endif
