/* SPDX-License-Identifier: GPL-2.0 */
/* Which nodes' CPUs use the memory of which nodes. */
#ifndef MEMLAT_NODE_TRAFFIC_H
#define MEMLAT_NODE_TRAFFIC_H

#include <stddef.h>

#include "../profile/snapshot.h"

struct history;

#define TRAFFIC_NODES_MAX	64			/* as masks have them */
#define TRAFFIC_UNKNOWN		TRAFFIC_NODES_MAX	/* several nodes, evicted, or not known */

struct traffic_cell {
	__u64 loads, stores;	/* samples */
	__u64 cost;		/* cycles that the loads waited, as estimated */
};

/*
 * Traffic by the node of the CPU, then by the node of the line's memory. Evicted samples are in the
 * cell of TRAFFIC_UNKNOWN and TRAFFIC_UNKNOWN.
 */
struct traffic {
	struct traffic_cell cell[TRAFFIC_NODES_MAX + 1][TRAFFIC_NODES_MAX + 1];
	__u64 from, to;		/* nodes that occur, as masks */
	__u64 cost;		/* of everything sampled */
};

void traffic_find(struct traffic *traffic, const struct snapshot *snap,
		  const struct history *history);

#endif
