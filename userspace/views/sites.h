/* SPDX-License-Identifier: GPL-2.0 */
/* Instructions, those that wait the longest first. */
#ifndef MEMLAT_VIEW_SITES_H
#define MEMLAT_VIEW_SITES_H

#include <stdio.h>

#include "../analysis/site.h"
#include "../util/json.h"
#include "row.h"

void sites_print(FILE *out, const struct rows_view *view);
void sites_csv(FILE *out, const struct rows_view *view);
struct json_object *sites_json(const struct rows_view *view);

#endif
