/* SPDX-License-Identifier: GPL-2.0 */
/* The order of rows that are alike in what people sort them by. */
#ifndef MEMLAT_RANK_H
#define MEMLAT_RANK_H

#include <stdbool.h>

#include <linux/memlat.h>

#include "../util/order.h"

struct rank {
	__u64 cost, samples;
	__u32 space, gen;
	__u64 place;
};

/* Of a row of memlat's tables. place: the member with its address, of data or of code. */
#define RANK_OF(row, place) \
	((struct rank){ (row)->cost, (row)->samples, (row)->space, (row)->gen, (row)->place })

/* What costs more comes first, then what has more samples; the rest makes the order one. */
static inline int rank_order(struct rank a, struct rank b)
{
	int ret = order(b.cost, a.cost);

	if (!ret)
		ret = order(b.samples, a.samples);
	if (!ret)
		ret = order(a.space, b.space);
	if (!ret)
		ret = order(a.gen, b.gen);
	return ret ? ret : order(a.place, b.place);
}

/* By process, and within it by thread, if these are told apart. */
static inline int rank_thread(const struct memlat_rec_thread *a, const struct memlat_rec_thread *b,
			      bool processes)
{
	int ret = order(a->tgid, b->tgid);

	if (!ret)
		ret = order(a->gen, b->gen);
	return ret || processes ? ret : order(a->tid, b->tid);
}

#endif
