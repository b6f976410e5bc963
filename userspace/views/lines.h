/* SPDX-License-Identifier: GPL-2.0 */
/* Cache lines, those that are fought over most first. */
#ifndef MEMLAT_VIEW_LINES_H
#define MEMLAT_VIEW_LINES_H

#include <stdio.h>

#include "../analysis/line.h"
#include "../util/json.h"
#include "row.h"

void lines_print(FILE *out, const struct rows_view *view);
void lines_csv(FILE *out, const struct rows_view *view);
struct json_object *lines_json(const struct rows_view *view);

#endif
