/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Walks that conflict with themselves in L1: their step maps the lines to few sets, where the lines
 * evict each other although L1 as a whole has room for them.
 *
 * The set of an L1 is chosen by address bits within a page, so linear addresses tell it. L2 uses
 * higher bits and L3 hashes the address; conflicts there are not looked for.
 */
#ifndef MEMLAT_CONFLICT_H
#define MEMLAT_CONFLICT_H

#include "gain.h"
#include "stride.h"

#define CONFLICT_SETS	64U	/* of L1: a page has as many lines, on every core so far */
#define CONFLICT_LDLAT	10	/* above it loads that L2 serves are not all sampled */
#define CONFLICT_SEEN	5	/* mean samples of a line; with fewer, lines may be missing */

struct conflict {
	const struct stride_site *site;
	unsigned int sets;	/* number of sets that the walk's lines fall into */
	unsigned int ways;	/* lines that one set holds */
	size_t lines;
	const struct memlat_rec_access *access;	/* the walk's load with the lowest address */
	struct gain_part part;	/* the walk's loads that L2 serves */
};

/* Ways of L1, by the name of the core. For a core that is not known: more than most cores have. */
unsigned int conflict_ways(const char *model);
/* Does a site's walk conflict with itself? */
bool conflict_find(struct conflict *conflict, const struct stride_site *site,
		   const struct snapshot *snap, unsigned int ways);

#endif
