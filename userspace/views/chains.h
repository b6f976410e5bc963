/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The call chains of what a view shows: of all its accesses together, the most costly first.
 * A selection (analysis/selection.h) makes them those of one function, or of one variable.
 */
#ifndef MEMLAT_CHAINS_H
#define MEMLAT_CHAINS_H

#include <stdio.h>

#include "../names/namer.h"
#include "../profile/profile.h"
#include "../util/json.h"

/*
 * For the view that comes next; profile NULL: it has none. of_lines: of the lines that are in
 * the profile alone. show: at most so many, 0: all.
 */
void chains_set(const struct profile *profile, struct namer *namer, bool of_lines, size_t show);

void chains_print_all(FILE *out);
/* The member "chains", where they were asked for. */
void chains_put(struct json_object *document);

#endif
