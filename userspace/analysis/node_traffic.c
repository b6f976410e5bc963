// SPDX-License-Identifier: GPL-2.0
#include "node_traffic.h"

#include <string.h>

#include "lineset.h"

/* The only node of a mask. With several nodes, how much came from each is not known. */
static unsigned int one_node(__u64 mask)
{
	return mask && !(mask & (mask - 1)) ? (unsigned int)__builtin_ctzll(mask) : TRAFFIC_UNKNOWN;
}

static unsigned int home_of(const struct memlat_rec_line *line)
{
	return line->home < TRAFFIC_NODES_MAX ? line->home : TRAFFIC_UNKNOWN;
}

static void add_counts(struct traffic_cell *cell, __u64 loads, __u64 stores, __u64 cost)
{
	cell->loads += loads;
	cell->stores += stores;
	cell->cost += cost;
}

static void add_access(struct traffic *traffic, const struct memlat_rec_access *access,
		       unsigned int to)
{
	const unsigned int from = one_node(access->nodes);

	add_counts(&traffic->cell[from][to],
		   access->samples > access->stores ? access->samples - access->stores : 0,
		   access->stores, access->cost);
	if (from != TRAFFIC_UNKNOWN)
		traffic->from |= 1ULL << from;
	if (to != TRAFFIC_UNKNOWN)
		traffic->to |= 1ULL << to;
}

/* Count what the table lacks as unknown: samples of accesses and lines that were evicted. */
static void add_evicted(struct traffic *traffic, const struct snapshot *snap)
{
	const struct memlat_status *status = &snap->head.status;
	struct traffic_cell sum = { 0 };
	unsigned int from, to;

	for (from = 0; from <= TRAFFIC_NODES_MAX; from++)
		for (to = 0; to <= TRAFFIC_NODES_MAX; to++) {
			const struct traffic_cell *cell = &traffic->cell[from][to];

			add_counts(&sum, cell->loads, cell->stores, cell->cost);
		}
	add_counts(&traffic->cell[TRAFFIC_UNKNOWN][TRAFFIC_UNKNOWN],
		   status->loads > sum.loads ? status->loads - sum.loads : 0,
		   status->stores > sum.stores ? status->stores - sum.stores : 0,
		   traffic->cost > sum.cost ? traffic->cost - sum.cost : 0);
}

void traffic_find(struct traffic *traffic, const struct snapshot *snap,
		  const struct history *history)
{
	struct lineset *set = lineset_new(snap, history, MEMLAT_LINE_BYTES);
	size_t i, k;

	memset(traffic, 0, sizeof(*traffic));
	traffic->cost = snapshot_cost(snap);
	for (i = 0; i < lineset_lines(set); i++) {
		const struct lineset_line *line = lineset_line(set, i);
		const unsigned int to = home_of(line->rec);

		for (k = line->first; k < line->first + line->nr; k++)
			add_access(traffic, lineset_access(set, k), to);
	}
	lineset_free(set);
	add_evicted(traffic, snap);
}
