/* SPDX-License-Identifier: GPL-2.0 */
/* Which instructions walk memory in large strides, and the data that they walk. */
#ifndef MEMLAT_VIEW_STRIDE_H
#define MEMLAT_VIEW_STRIDE_H

#include <stdio.h>

#include "../util/json.h"
#include "row.h"

void stride_print(FILE *out, const struct rows_view *view);
void stride_csv(FILE *out, const struct rows_view *view);
struct json_object *stride_json(const struct rows_view *view);

#endif
