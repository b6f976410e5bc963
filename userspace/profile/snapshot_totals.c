// SPDX-License-Identifier: GPL-2.0
/* The records of a snapshot that describe all samples together. */
#include "snapshot.h"

#include <stddef.h>

#include "../util/number.h"
#include "snapshot_rows.h"

/* the size that the first modules sent */
#define BUCKETS_LEAST	offsetof(struct memlat_rec_buckets, cache_latency)
#define PARTS_LEAST	sizeof(struct memlat_rec_parts)
#define STORES_LEAST	sizeof(struct memlat_rec_stores)

/* Copy a record of which there is one in a snapshot. have: there was one already. */
static int take_once(struct snapshot *snap, const char *what, bool *have, void *to, size_t room,
		     size_t least, const void *data, size_t size)
{
	if (*have)
		return snapshot_broken(snap, "record %llu is a second %s record", snap->records,
				       what);
	*have = true;
	return snapshot_copy(snap, what, to, room, least, data, size);
}

int snapshot_take_buckets(struct snapshot *snap, const void *data, size_t size)
{
	struct memlat_rec_buckets *buckets = &snap->buckets;
	unsigned int row;
	int ret;

	ret = take_once(snap, "buckets", &snap->have_buckets, buckets, sizeof(*buckets),
			BUCKETS_LEAST, data, size);
	if (ret)
		return ret;
	/* With another shape, every count would mean something else. */
	if (buckets->rows != MEMLAT_BUCKETS || buckets->sources != MEMLAT_SRC_NR)
		return snapshot_broken(snap, "its buckets are %u by %u, known here are %u by %u",
			      buckets->rows, buckets->sources,
			      (unsigned int)MEMLAT_BUCKETS,
			      (unsigned int)MEMLAT_SRC_NR);
	for (row = 1; row < MEMLAT_BUCKETS - 1; row++)
		if (buckets->edge[row] <= buckets->edge[row - 1])
			return snapshot_broken(snap, "bucket edge %u does not rise", row);
	if (buckets->edge[MEMLAT_BUCKETS - 1])
		return snapshot_broken(snap, "the last bucket is not open-ended");
	return 0;
}

int snapshot_take_parts(struct snapshot *snap, const void *data, size_t size)
{
	struct memlat_rec_parts *parts = &snap->parts;
	int ret;

	ret = take_once(snap, "parts", &snap->have_parts, parts, sizeof(*parts),
			PARTS_LEAST, data, size);
	if (ret)
		return ret;
	if (parts->rows != MEMLAT_BUCKETS)
		return snapshot_broken(snap, "its parts have %u rows, known here are %u",
			      parts->rows, (unsigned int)MEMLAT_BUCKETS);
	return 0;
}

int snapshot_take_stores(struct snapshot *snap, const void *data, size_t size)
{
	struct memlat_rec_stores *stores = &snap->stores;
	int ret;

	ret = take_once(snap, "stores", &snap->have_stores, stores, sizeof(*stores),
			STORES_LEAST, data, size);
	if (ret)
		return ret;
	if (stores->sources != MEMLAT_SRC_NR)
		return snapshot_broken(snap, "its stores have %u sources, known here are %u",
			      stores->sources, (unsigned int)MEMLAT_SRC_NR);
	return 0;
}

int snapshot_take_raw(struct snapshot *snap, const void *data, size_t size)
{
	return take_once(snap, "raw", &snap->have_raw, &snap->raw, sizeof(snap->raw),
			 sizeof(snap->raw), data, size);
}

int snapshot_parts_fit(struct snapshot *snap)
{
	unsigned int row;

	for (row = 0; row < MEMLAT_BUCKETS; row++)
		if (snap->parts.part[MEMLAT_PART_XSNP_FWD].count[row] >
		    snap->buckets.count[row][MEMLAT_SRC_L3_SNOOP] ||
		    snap->parts.part[MEMLAT_PART_NOT_MEMORY].count[row] >
		    snap->buckets.count[row][MEMLAT_SRC_L1])
			return snapshot_broken(snap, "a part of bucket %u is more than its source", row);
	return 0;
}

#define ADD(member) \
	range_add(&to->member, &more->member, (struct row_range){ 0, sizeof(to->member) }, times)

void totals_add(struct snapshot *to, const struct snapshot *more, __u64 times)
{
	ADD(buckets.count), ADD(buckets.latency);
	ADD(buckets.weight), ADD(buckets.cache_latency);
	ADD(parts.use_latency), ADD(parts.part);
	ADD(stores.count), ADD(stores.weight), ADD(stores.latency);
	ADD(stores.xsnp_fwd);
	ADD(raw.count);
}

double snapshot_instructions(const struct snapshot *snap)
{
	double sum = 0;
	size_t i;

	for (i = 0; i < snap->nr_counts; i++)
		if (snap->counts[i].event == MEMLAT_EVENT_INSTRUCTIONS)
			sum += (double)snap->counts[i].value;
	return sum;
}

void snapshot_cost_by_source(const struct snapshot *snap, __u64 cost[MEMLAT_SRC_NR])
{
	const struct memlat_rec_buckets *buckets = &snap->buckets;
	unsigned int row, source;

	for (source = 0; source < MEMLAT_SRC_NR; source++) {
		__u64 count = 0, weight = 0;

		for (row = 0; row < MEMLAT_BUCKETS; row++) {
			count += buckets->count[row][source];
			weight += buckets->weight[row][source];
		}
		cost[source] = count ? number_whole((double)buckets->latency[source] / (double)count *
						    (double)weight) : 0;
	}
}
