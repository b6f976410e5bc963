/* SPDX-License-Identifier: GPL-2.0 */
/* Show what a selection leaves out of a view. */
#ifndef MEMLAT_SELECTED_H
#define MEMLAT_SELECTED_H

#include <stdio.h>

#include "../analysis/selection.h"
#include "../profile/profile.h"
#include "../util/json.h"

/*
 * Set the selection for the next view. Both objects must stay until then. NULL: all rows are shown.
 */
void selected_set(const struct selection *selection, const struct selection_left *left,
		  enum snapshot_table table);

/* "left out by --comm x: 23.0% of sampled latency, 97 of 341 samples"; NULL: nothing was asked. */
char *selected_words(__u64 cost);
/* "No row matches --comm x.": in place of a view, if rows were selected. */
void selected_print_none(FILE *out);
/* Print that below a view, and what else it leaves out. */
void selected_print(FILE *out, __u64 cost);
/* Put the member "selection", if there is a selection. */
void selected_put(struct json_object *document);

/* The sums of memlat-ctl's own rows, if a live view leaves them out; NULL: it leaves out none. */
char *selected_own(const struct profile *profile);

#endif
