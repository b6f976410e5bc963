// SPDX-License-Identifier: GPL-2.0
#include "nodes.h"

#include <stdlib.h>

#include "../analysis/node_traffic.h"
#include "../util/xalloc.h"

static struct json_object *cell_json(const struct traffic *traffic, unsigned int from,
				     unsigned int to)
{
	const struct traffic_cell *cell = &traffic->cell[from][to];
	struct json_object *object = json_new();

	json_put_known(object, "from", from != TRAFFIC_UNKNOWN, from);
	json_put_known(object, "to", to != TRAFFIC_UNKNOWN, to);
	json_put_count(object, "loads", cell->loads);
	json_put_count(object, "stores", cell->stores);
	json_put_ratio(object, "cost", cell->cost, traffic->cost);
	json_put_count(object, "cost_cycles", cell->cost);
	return object;
}

struct json_object *nodes_json(const struct profile *profile)
{
	struct traffic *traffic = xmalloc(sizeof(*traffic));
	struct json_object *list = json_list();
	unsigned int from, to;

	traffic_find(traffic, &profile->snap, profile->history);
	for (from = 0; from <= TRAFFIC_UNKNOWN; from++)
		for (to = 0; to <= TRAFFIC_UNKNOWN; to++) {
			const struct traffic_cell *cell = &traffic->cell[from][to];

			if (cell->loads || cell->stores)
				json_append(list, cell_json(traffic, from, to));
		}
	free(traffic);
	return list;
}
