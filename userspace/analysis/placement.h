/* SPDX-License-Identifier: GPL-2.0 */
/*
 * On which NUMA node memory is, and which nodes' CPUs load it from there: by page, and by
 * object. Loads that other caches answered are left out: that is sharing, and no matter of place.
 */
#ifndef MEMLAT_PLACEMENT_H
#define MEMLAT_PLACEMENT_H

#include <stdbool.h>
#include <stddef.h>

#include "gain.h"

#define PLACEMENT_PAGE		4096
#define PLACEMENT_NEARLY_ALL	0.9	/* of a page's or an object's use decides what it is */
#define PLACEMENT_LEAST		30	/* local loads; fewer do not tell what one takes */

enum placement_class {
	PLACEMENT_LOCAL,
	PLACEMENT_MISPLACED,	/* one node uses it, and it is on another one */
	PLACEMENT_SHARED,	/* several nodes use the same pages */
	PLACEMENT_CLASSES
};

/* One object. The caller of placements_take() knows what its number stands for. */
struct placement {
	size_t object;
	double weight;			/* of its loads from memory */
	double by_class[PLACEMENT_CLASSES];	/* the same by the class of the page */
	double remote;			/* weight of its loads from another node */
	__u64 pages, misplaced;		/* of 4 KiB, seen in use */
	__u64 users, homes;		/* of misplaced pages: nodes, as bits */
	__u64 moved;			/* pages that were seen on more than one node */
	double stores;			/* part of the accesses to its lines that store */
	double remote_latency;		/* mean of its loads from another node */
	double local_latency;		/* mean of the session's loads from the user's own; 0: not known */
	struct gain_part part;		/* saved if misplaced pages were their user's */
	bool saving_known;		/* what a local load takes is known */
};

struct placements {
	struct placement *rows;		/* by what remote loads took, most first */
	size_t nr;
	bool homes_known;		/* of any line: the session recorded physical addresses */
	double remote, all;		/* loads from another node's memory, and from any, by weight */
};

/* The number of a line's object. It is called once for each line. */
typedef size_t (*placement_object_fn)(void *context, const struct memlat_rec_line *line);

void placements_take(struct placements *placements, const struct snapshot *snap,
		     placement_object_fn object_of, void *context);
void placements_free(struct placements *placements);

/*
 * The class that holds nine tenths of the object's use; misplaced needs that no more than a tenth
 * is shared. *sure is false if no class does.
 */
enum placement_class placement_class(const struct placement *placement, bool *sure);

#endif
