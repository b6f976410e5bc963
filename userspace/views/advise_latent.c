// SPDX-License-Identifier: GPL-2.0
#include "advise.h"

#include <stdlib.h>
#include <string.h>

#include "../analysis/line.h"
#include "../util/order.h"
#include "../util/xalloc.h"
#include "row.h"

/* Stores to a heap object, whose address malloc() chooses. */
struct place {
	const struct memlat_rec_access *access;
	const struct data_name *data;
	__u64 stores;
};

static bool is_allocated(const struct data_name *data)
{
	return (data->how == DATA_NOTED || data->how == DATA_BY_OPERAND || data->how == DATA_JOINED) &&
	       data->name && data->size && (data->kind == DATA_HEAP || data->kind == DATA_ANON);
}

COMPARE(by_object, struct place,
	order(a->access->tgid, b->access->tgid) ?: order(a->data->start, b->data->start) ?:
	order(a->access->addr, b->access->addr) ?: order(a->access->tid, b->access->tid))

static bool same_object(const struct place *a, const struct place *b)
{
	return a->access->tgid == b->access->tgid && a->data->start == b->data->start;
}

static struct place *places_of(const struct advise *advise, size_t *nr)
{
	const struct snapshot *snap = &advise->profile->snap;
	struct place *places = NULL;
	size_t i, room = 0;

	*nr = 0;
	for (i = 0; i < snap->nr_accesses; i++) {
		const struct memlat_rec_access *access = &snap->accesses[i];
		const struct data_name *data;

		/* A name may need a file to be read, so skip what cannot be a pair. */
		if (access->stores < LATENT_LEAST || kernel_address(access->addr))
			continue;
		data = namer_data(advise->c2c.namer, access->tgid, access->gen, access->addr,
				  access->tid);
		if (!is_allocated(data))
			continue;
		ARRAY_GROW(places, *nr + 1, room);
		places[(*nr)++] = (struct place){ access, data, access_stores(access) };
	}
	SORT(places, *nr, by_object);
	return places;
}

/* Report one of each kind of object. */
static bool is_known(const struct advise *advise, const struct data_name *data)
{
	size_t i;

	for (i = 0; i < advise->nr_items; i++)
		if ((advise->items[i].kind == ADVISE_LATENT ||
		     advise->items[i].kind == ADVISE_FALSE_SHARING) &&
		    !strcmp(advise->items[i].object, data->name))
			return true;
	return false;
}

static char *field_of(const struct place *place)
{
	return place->data->field ? xstrdup(place->data->field) :
				    xasprintf("+0x%llx", place->data->offset);
}

static void take_object(struct advise *advise, const struct place *places, size_t nr)
{
	struct latent_use *uses = xcalloc(nr, sizeof(*uses));
	struct advise_item item = { .kind = ADVISE_LATENT, .remedy = ADVISE_MEMBERS,
				    .alignment = MEMLAT_LINE_BYTES, .threads = 2 };
	const struct place *ends[2];
	size_t i, used = 0;

	for (i = 0; i < nr; i++) {
		const __u64 offset = places[i].access->addr - places[i].data->start;

		/* Join several instructions of one thread at one place. */
		if (used && uses[used - 1].offset == offset &&
		    uses[used - 1].tid == places[i].access->tid) {
			uses[used - 1].stores += places[i].stores;
			continue;
		}
		uses[used++] = (struct latent_use){ offset, places[i].stores, places[i].access->tid };
	}
	if (latent_find(&item.latent, places[0].data->start, uses, used) &&
	    !is_known(advise, places[0].data)) {
		ends[0] = ends[1] = places;
		for (i = 0; i < nr; i++) {
			const __u64 offset = places[i].access->addr - places[i].data->start;

			if (offset == uses[item.latent.first].offset)
				ends[0] = &places[i];
			if (offset == uses[item.latent.second].offset)
				ends[1] = &places[i];
		}
		item.object = xstrdup(places[0].data->name);
		item.where = where_data(places[0].data);
		item.line = places[0].data->start & ~(__u64)(MEMLAT_LINE_BYTES - 1);
		item.place[item.places++] = field_of(ends[0]);
		item.place[item.places++] = field_of(ends[1]);
		item.lines = 2;
		advise_add(advise, &item);
	}
	free(uses);
}

void advise_latent_take(struct advise *advise)
{
	size_t nr, i, k;
	struct place *places = places_of(advise, &nr);

	for (i = 0; i < nr; i = k) {
		for (k = i + 1; k < nr && same_object(&places[i], &places[k]); k++)
			continue;
		take_object(advise, places + i, k - i);
	}
	free(places);
}
