/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Walks whose steps let their lines fall into few of L1's sets, where these push each other out
 * though there is room for all of them.
 *
 * L1 is indexed by bits within a page, so that linear addresses tell the set. L2 is not, and L3 hashes
 * addresses: nothing is said of them.
 */
#ifndef MEMLAT_CONFLICT_H
#define MEMLAT_CONFLICT_H

#include "gain.h"
#include "stride.h"

#define CONFLICT_SETS	64U	/* of L1: a page has as many lines, on every core so far */
#define CONFLICT_LDLAT	10	/* above it loads that L2 serves are not all sampled */
#define CONFLICT_SEEN	5	/* samples of each line, on average, for that hardly any is missing */

struct conflict {
	const struct stride_site *site;
	unsigned int sets;	/* that its lines fall into */
	unsigned int ways;	/* lines that each of these holds */
	size_t lines;
	const struct memlat_rec_access *access;	/* the lowest of its loads */
	struct gain_part part;	/* what L2 serves of it */
};

/* Lines of a set of L1, by what the core is called; where that is not known, more than most have. */
unsigned int conflict_ways(const char *model);
/* Does a site's walk conflict with itself? */
bool conflict_find(struct conflict *conflict, const struct stride_site *site,
		   const struct snapshot *snap, unsigned int ways);

#endif
