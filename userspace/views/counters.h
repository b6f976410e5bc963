/* SPDX-License-Identifier: GPL-2.0 */
/* Every counter of a session with its meaning. */
#ifndef MEMLAT_COUNTERS_H
#define MEMLAT_COUNTERS_H

#include <stdio.h>

#include <linux/memlat.h>

#include "../util/json.h"
#include "report.h"

void counters_print(FILE *out, const struct memlat_status *status);
/* A row for each: counter, value, unit, meaning. The status must stay where it is. */
struct report counters_report(const struct memlat_status *status);
void counters_csv(FILE *out, const struct memlat_status *status);
/* The object "counters": each under its name in struct memlat_status. */
void counters_put(struct json_object *document, const struct memlat_status *status);

#endif
