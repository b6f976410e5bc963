/* SPDX-License-Identifier: GPL-2.0 */
/* The order of rows that are equal in the figure that they are sorted by. */
#ifndef MEMLAT_RANK_H
#define MEMLAT_RANK_H

#include <stdbool.h>

#include <linux/memlat.h>

#include "../util/order.h"
#include "share.h"

struct rank {
	__u64 cost, samples, stores;
	__u32 space, gen;
	__u64 place;
};

/* The rank of a row of memlat's tables. place: the member that has its data or code address. */
#define RANK_OF(row, place) \
	((struct rank){ (row)->cost, (row)->samples, (row)->stores, (row)->space, (row)->gen, \
			(row)->place })

/*
 * Rows that cost more at least come first, then those with more samples. The rest makes the order
 * unique.
 */
static inline int rank_order(struct rank a, struct rank b)
{
	return share_order((double)a.cost, a.samples - a.stores, (double)b.cost,
			   b.samples - b.stores) ?:
	       order(b.samples, a.samples) ?: order(a.space, b.space) ?: order(a.gen, b.gen) ?:
	       order(a.place, b.place);
}

/* Compare by process, and then, unless @processes, by thread. */
static inline int rank_thread(const struct memlat_rec_thread *a, const struct memlat_rec_thread *b,
			      bool processes)
{
	int ret = order(a->tgid, b->tgid) ?: order(a->gen, b->gen);

	return ret || processes ? ret : order(a->tid, b->tid);
}

#endif
