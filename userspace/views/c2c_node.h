/* SPDX-License-Identifier: GPL-2.0 */
/* The Node column of c2c in its three forms. */
#ifndef MEMLAT_C2C_NODE_H
#define MEMLAT_C2C_NODE_H

#include "../profile/machine.h"

#define NODES_MAX	64	/* as in masks */

/* The use of an offset, by node. */
struct node_use {
	__u64 nodes, cpus;		/* masks */
	__u64 hitm[NODES_MAX];		/* samples that were HITM loads */
	__u64 stores[NODES_MAX];
	__u64 whole_hitm, whole_stores;	/* totals of the row */
};

/*
 * The text of the column. Form 0: "0,1"; 1: "0{2 61.3% 50.0%} 1{..}", that is, the number of CPUs,
 * and the node's shares of the row's HITM loads and stores, "-" for none; 2: "0{0-3} 1{4-7}". Newly
 * allocated.
 */
char *c2c_node_text(const struct node_use *use, const struct machine *machine,
		    unsigned int form);

#endif
