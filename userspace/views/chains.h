/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The call chains of all accesses that a view shows, the costliest first. With a selection
 * (analysis/selection.h) they are those of one function or variable.
 */
#ifndef MEMLAT_CHAINS_H
#define MEMLAT_CHAINS_H

#include <stdio.h>

#include "../names/namer.h"
#include "../profile/profile.h"
#include "../util/json.h"

/*
 * Set the chains of the next view; profile NULL: none. of_lines: only accesses to lines that are in
 * the profile. show: at most so many chains, 0: all.
 */
void chains_set(const struct profile *profile, struct namer *namer, bool of_lines, size_t show);

void chains_print_all(FILE *out);
#define CHAINS_NONE	"\nNo call chains were recorded.\n" \
			"  memlat-ctl record --call-graph -- COMMAND      records them; so does start --call-graph\n"
/* Put the member "chains", if chains were asked for. */
void chains_put(struct json_object *document);

#endif
