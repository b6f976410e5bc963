// SPDX-License-Identifier: GPL-2.0
#include "advise.h"

#include <stdlib.h>
#include <string.h>

#include "../analysis/line.h"
#include "../util/xalloc.h"
#include "row.h"

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
