// SPDX-License-Identifier: GPL-2.0
#include "advise.h"

#include <stdlib.h>
#include <string.h>

#include "../analysis/access_weight.h"
#include "../util/json.h"
#include "../util/text.h"
#include "../util/xalloc.h"
#include "where.h"

/* of all loads from memory: a shared object with fewer is not reported */
#define SHARED_LEAST	0.05
/* of the object's accesses: with more, copies would have to be kept in sync */
#define STORES_MOST	0.01

struct namings {
	struct advise_places *places;
	struct namer *namer;
};

/*
 * Objects of one place of allocation or of one type count as one. Each mapping without a name
 * counts for itself.
 */
static bool is_same(const struct advise_object *object, const struct data_name *data,
		    const char *name, __u32 space)
{
	return object->space == space && !strcmp(object->name, name) &&
	       (data->how != DATA_NO_NAME || object->start == data->start);
}

static size_t object_of(void *context, const struct memlat_rec_line *line)
{
	struct namings *namings = context;
	struct advise_places *places = namings->places;
	const __u32 space = kernel_address(line->addr) ? 0 : line->space;
	const struct data_name *data = namer_data(namings->namer, space, line->gen, line->addr, 0);
	const char *name = data->name ? data->name : "memory without a name";
	size_t i;

	for (i = places->nr; i-- > 0;)
		if (is_same(&places->objects[i], data, name, space))
			return i;
	ARRAY_GROW(places->objects, places->nr + 1, places->room);
	places->objects[places->nr] = (struct advise_object){
		.name = xstrdup(name), .where = where_data(data), .start = data->start, .space = space,
	};
	return places->nr++;
}

void advise_places_take(struct advise_places *places, const struct profile *profile,
			struct namer *namer)
{
	struct namings namings = { .places = places, .namer = namer };

	memset(places, 0, sizeof(*places));
	placements_take(&places->placements, &profile->snap, object_of, &namings);
}

void advise_places_free(struct advise_places *places)
{
	size_t i;

	for (i = 0; i < places->nr; i++) {
		free(places->objects[i].name);
		free(places->objects[i].where);
	}
	free(places->objects);
	placements_free(&places->placements);
}

const struct memlat_rec_access *advise_place_writer(const struct advise_places *places,
						     const struct placement *placement,
						     const struct snapshot *snap, struct namer *namer)
{
	const struct advise_object *object = &places->objects[placement->object];
	const struct memlat_rec_access *most = NULL;
	double weight, most_weight = 0;
	size_t i;

	for (i = 0; i < snap->nr_accesses; i++) {
		const struct memlat_rec_access *access = &snap->accesses[i];
		const struct data_name *data;

		weight = access_store_weight(access) * (double)access_stores(access);
		if (weight <= most_weight || access->tgid != object->space ||
		    kernel_address(access->addr))
			continue;
		data = namer_data(namer, access->tgid, access->gen, access->addr, 0);
		if (!data->name || !is_same(object, data, data->name, access->tgid))
			continue;
		most = access;
		most_weight = weight;
	}
	return most;
}

static bool is_one(__u64 nodes)
{
	return nodes && !(nodes & (nodes - 1));
}

enum advise_move advise_place_move(const struct advise_places *places,
				   const struct placement *placement)
{
	bool sure;
	const enum placement_class class = placement_class(placement, &sure);

	if (!sure || class == PLACEMENT_LOCAL)
		return ADVISE_MOVE_NONE;
	if (class == PLACEMENT_MISPLACED && placement->part.samples < GAIN_LEAST)
		return ADVISE_MOVE_NONE;
	if (class == PLACEMENT_MISPLACED)
		return is_one(placement->users) && is_one(placement->homes) &&
		       placement->by_class[class] >= PLACEMENT_NEARLY_ALL * placement->weight ?
			       ADVISE_MOVE_THERE : ADVISE_MOVE_FIRST_TOUCH;
	if (placement->remote < SHARED_LEAST * places->placements.all)
		return ADVISE_MOVE_NONE;
	return placement->stores < STORES_MOST ? ADVISE_MOVE_COPY : ADVISE_MOVE_NOTHING;
}

const char *advise_move_key(enum advise_move move)
{
	static const char *const keys[] = {
		[ADVISE_MOVE_NONE] = "none", [ADVISE_MOVE_THERE] = "run_there",
		[ADVISE_MOVE_FIRST_TOUCH] = "first_touch", [ADVISE_MOVE_COPY] = "copy",
		[ADVISE_MOVE_NOTHING] = "nothing",
	};

	return keys[move];
}

static unsigned int node_of(__u64 nodes)
{
	return (unsigned int)__builtin_ctzll(nodes);
}

void advise_place_print(FILE *out, const struct advise_object *object,
			const struct placement *placement, enum advise_move move)
{
	char users[TEXT_LIST_MAX];

	text_put(out, object->name);
	text_bits(users, placement->users);
	switch (move) {
	case ADVISE_MOVE_THERE:
		fprintf(out, " lies on node %u, and only CPUs of node %s load it. Run the threads on its node, numactl --cpunodebind=%u, or move it to theirs, numactl --membind=%s; or let the thread that uses it write it first. memlat-ctl try numa=bind:%s -- COMMAND measures it",
			node_of(placement->homes), users, node_of(placement->homes), users, users);
		break;
	case ADVISE_MOVE_FIRST_TOUCH:
		fputs(" has pages that only one node uses and that lie on another one. Let the thread that uses a part write that part first, on the node where the thread stays",
		      out);
		break;
	case ADVISE_MOVE_COPY:
		fputs(" is read by several nodes, and hardly anybody stores to it. Keep a copy on each node; interleaving only spreads the waiting",
		      out);
		break;
	default:
		fputs(" is used by several nodes, which store to it. No node is near to all of them: interleaving spreads the waiting and ends none",
		      out);
	}
}

void advise_place_evidence(FILE *out, const struct placement *placement)
{
	fprintf(out, "%.0f %% of its loads from memory are from another node, %.0f cycles each",
		placement->weight > 0 ? 100 * placement->remote / placement->weight : 0,
		placement->remote_latency);
	if (placement->local_latency > 0)
		fprintf(out, ", %.0f from its own", placement->local_latency);
	fprintf(out, "; %llu pages seen, %llu misplaced", placement->pages, placement->misplaced);
	if (placement->moved)
		fprintf(out, ", %llu moved meanwhile", placement->moved);
}

struct json_object *advise_place_json(const struct placement *placement)
{
	struct json_object *object = json_new();
	bool sure;
	const enum placement_class class = placement_class(placement, &sure);

	json_put_text(object, "class", !sure ? "mixed" : class == PLACEMENT_LOCAL ? "local" :
					class == PLACEMENT_SHARED ? "shared" : "misplaced");
	json_put_bits(object, "users", placement->users);
	json_put_bits(object, "homes", placement->homes);
	json_put_real(object, "remote", placement->weight > 0 ? placement->remote / placement->weight : 0);
	json_put_real(object, "remote_latency", placement->remote_latency);
	json_put_known_real(object, "local_latency", placement->local_latency > 0,
			    placement->local_latency);
	json_put_count(object, "pages", placement->pages);
	json_put_count(object, "misplaced", placement->misplaced);
	json_put_count(object, "moved", placement->moved);
	return object;
}
