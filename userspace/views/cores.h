/* SPDX-License-Identifier: GPL-2.0 */
/* The kinds of cores of the machine, and what each does its own way. */
#ifndef MEMLAT_VIEW_CORES_H
#define MEMLAT_VIEW_CORES_H

#include <stdio.h>

#include "../profile/snapshot.h"
#include "../util/json.h"

/*
 * Rows of the status, below that of the machine, which names the kind where there
 * is only one: a few lines for each, after a word of 10 columns.
 */
void cores_print(FILE *out, const struct snapshot *snap);
/* An array; empty of a module that does not tell of cores. */
struct json_object *cores_json(const struct snapshot *snap);

#endif
