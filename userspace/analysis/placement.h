/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Find on which NUMA node memory is, and from which nodes CPUs load it, by page and by object.
 * Loads that other caches answered are left out: they show sharing, not the place of memory.
 */
#ifndef MEMLAT_PLACEMENT_H
#define MEMLAT_PLACEMENT_H

#include <stdbool.h>
#include <stddef.h>

#include "gain.h"

#define PLACEMENT_PAGE		4096
/* The part of the use of a page or object that decides its class. */
#define PLACEMENT_NEARLY_ALL	0.9
#define PLACEMENT_LEAST		30	/* local loads; fewer do not show how long one takes */

enum placement_class {
	PLACEMENT_LOCAL,
	PLACEMENT_MISPLACED,	/* one node uses the page, and the page is on another one */
	PLACEMENT_SHARED,	/* several nodes use the same pages */
	PLACEMENT_CLASSES
};

/* One object. The caller of placements_take() knows what its number stands for. */
struct placement {
	size_t object;
	double weight;			/* of its loads from memory */
	double by_class[PLACEMENT_CLASSES];	/* weight by the class of the page */
	double remote;			/* weight of its loads from another node */
	__u64 pages, misplaced;		/* of 4 KiB, seen in use */
	__u64 users, homes;		/* nodes, as bits, that use and that hold misplaced pages */
	__u64 moved;			/* pages that were seen on more than one node */
	double stores;			/* part of the accesses to its lines that store */
	double remote_latency;		/* mean of its loads from another node */
	double local_latency;		/* what its loads would take from their user's node; 0: not known */
	struct gain_part part;		/* what is saved if misplaced pages move to their user */
	bool saving_known;		/* local_latency is known for all misplaced pages */
};

struct placements {
	struct placement *rows;		/* sorted by the time of remote loads, most first */
	size_t nr;
	bool homes_known;		/* physical addresses were recorded, so nodes are known */
	double remote, all;		/* loads from another node's memory, and from any, by weight */
	__u64 samples;			/* sampled loads from any node's memory */
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
