/* SPDX-License-Identifier: GPL-2.0 */
/* Every counter of a session with its meaning. */
#ifndef MEMLAT_COUNTERS_H
#define MEMLAT_COUNTERS_H

#include <stdio.h>

#include <linux/memlat.h>

#include "../util/json.h"
#include "report.h"

void counters_print(FILE *out, const struct memlat_status *status);
/*
 * A row for each counter: name, value, unit, meaning. The report refers to the status, which must
 * not move.
 */
struct report counters_report(const struct memlat_status *status);
void counters_csv(FILE *out, const struct memlat_status *status);
/* Put the object "counters", with each counter under its name in struct memlat_status. */
void counters_put(struct json_object *document, const struct memlat_status *status);

#endif
