/* SPDX-License-Identifier: GPL-2.0 */
/* What was asked for of a view, and what it leaves out for that. */
#ifndef MEMLAT_SELECTED_H
#define MEMLAT_SELECTED_H

#include <stdio.h>

#include "../analysis/selection.h"
#include "../util/json.h"

/* Of the view that is about to be shown: both must stay until then. NULL: all rows are. */
void selected_set(const struct selection *selection, const struct selection_left *left,
		  enum snapshot_table table);

/* Below a view: "(left out by --comm x: 23.0% of sampled latency, 97 of 341 samples)" */
void selected_print(FILE *out, __u64 cost);
/* The member "selection", where anything was asked for. */
void selected_put(struct json_object *document);

#endif
