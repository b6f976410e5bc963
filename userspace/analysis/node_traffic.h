/* SPDX-License-Identifier: GPL-2.0 */
/* From which nodes memory of which nodes is used. */
#ifndef MEMLAT_NODE_TRAFFIC_H
#define MEMLAT_NODE_TRAFFIC_H

#include <stddef.h>

#include "../profile/snapshot.h"

struct history;

#define TRAFFIC_NODES_MAX	64			/* as masks have them */
#define TRAFFIC_UNKNOWN		TRAFFIC_NODES_MAX	/* several nodes, or evicted, or not told */

struct traffic_cell {
	__u64 loads, stores;	/* samples */
	__u64 cost;		/* cycles that the loads waited, as estimated */
};

/*
 * By the node of the CPU, then the node of the line's memory; what the tables have lost is from
 * TRAFFIC_UNKNOWN to TRAFFIC_UNKNOWN.
 */
struct traffic {
	struct traffic_cell cell[TRAFFIC_NODES_MAX + 1][TRAFFIC_NODES_MAX + 1];
	__u64 from, to;		/* nodes that there are, as masks */
	__u64 cost;		/* of everything */
};

void traffic_find(struct traffic *traffic, const struct snapshot *snap,
		  const struct history *history);

#endif
