/* SPDX-License-Identifier: GPL-2.0 */
/* The kinds of cores of the machine, and the traits of each. */
#ifndef MEMLAT_VIEW_CORES_H
#define MEMLAT_VIEW_CORES_H

#include <stdio.h>

#include "../profile/snapshot.h"
#include "../util/json.h"

/*
 * Rows of the status below the machine's row, which names the kind if there is only one. Each kind
 * has a few lines, which begin with a word of 10 columns.
 */
void cores_print(FILE *out, const struct snapshot *snap);
/* An array. It is empty if the module does not report cores. */
struct json_object *cores_json(const struct snapshot *snap);

#endif
