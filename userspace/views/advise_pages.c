// SPDX-License-Identifier: GPL-2.0
#include "advise.h"

#include <stdlib.h>
#include <string.h>

#include "../analysis/line.h"
#include "../analysis/core_traits.h"
#include "../util/xalloc.h"
#include "row.h"

/*
 * An STLB holds as many pages of 4 KiB as this (1,536 since Skylake). If an item has fewer, other
 * memory causes the misses.
 */
#define BYTES_LEAST	(1536 * 4096ULL)

struct object {
	const struct data_name *data;	/* of one of the lines */
	__u32 space;
	__u64 line, cost;
	double missed, loads;		/* weighted */
	__u64 samples;			/* number of samples that missed */
};

struct objects {
	struct object *rows;
	size_t nr, room;
	double missed;			/* of all lines */
};

static __u64 bytes_of(const struct data_name *data)
{
	const __u64 objects = data->objects ? data->objects : 1;
	__u64 bytes;

	return __builtin_mul_overflow(data->size, objects, &bytes) ? ~0ULL : bytes;
}

/* Can the kernel use large pages for this memory without support by a file system? */
static bool is_anonymous(const struct data_name *data)
{
	return data->kind == DATA_HEAP || data->kind == DATA_ANON ||
	       (data->kind == DATA_VARIABLE && data->section && !strcmp(data->section, ".bss"));
}

static struct object *object_of(struct objects *objects, const struct data_name *data, __u32 space)
{
	size_t i;

	for (i = objects->nr; i-- > 0;) {
		const struct data_name *other = objects->rows[i].data;

		if (objects->rows[i].space == space &&
		    (other->start == data->start ||
		     (data->how != DATA_NO_NAME && other->name && data->name &&
		      !strcmp(other->name, data->name))))
			return &objects->rows[i];
	}
	ARRAY_GROW(objects->rows, objects->nr + 1, objects->room);
	objects->rows[objects->nr] = (struct object){ .data = data, .space = space };
	return &objects->rows[objects->nr++];
}

static bool any_missed(const struct snapshot *snap)
{
	__u64 samples = 0;
	size_t i;

	for (i = 0; i < snap->nr_lines; i++)
		samples += snap->lines[i].stlb_miss;
	return samples >= GAIN_LEAST;
}

static void take_lines(struct objects *objects, const struct advise *advise)
{
	const struct snapshot *snap = &advise->profile->snap;
	size_t i;

	for (i = 0; i < snap->nr_lines; i++) {
		const struct memlat_rec_line *line = &snap->lines[i];
		const double weight = line_load_weight(line);
		const struct data_name *data;
		struct object *object;

		objects->missed += weight * (double)line->stlb_miss;
		if (kernel_address(line->addr))
			continue;
		data = namer_data(advise->c2c.namer, line->space, line->gen, line->addr, 0);
		if (!is_anonymous(data) || bytes_of(data) < BYTES_LEAST)
			continue;
		object = object_of(objects, data, line->space);
		object->line = object->line ? object->line : line->addr;
		object->cost += line->cost;
		object->missed += weight * (double)line->stlb_miss;
		object->loads += weight * (double)line_loads(line);
		object->samples += line->stlb_miss;
	}
}

void advise_pages_take(struct advise *advise)
{
	struct objects objects = { 0 };
	size_t i;

	if (!trait_here(&advise->profile->snap.head.status, MEMLAT_TRAIT_TLB) ||
	    !any_missed(&advise->profile->snap))
		return;
	take_lines(&objects, advise);
	for (i = 0; i < objects.nr; i++) {
		const struct object *object = &objects.rows[i];
		struct advise_item item = { .kind = ADVISE_PAGES, .remedy = ADVISE_HUGE_PAGES };

		if (object->samples < GAIN_LEAST || !(object->missed > 0))
			continue;
		item.part.samples = (double)object->samples;
		item.walks = object->missed / objects.missed;
		item.missed = object->loads > 0 ? object->missed / object->loads : 0;
		item.bytes = bytes_of(object->data);
		item.line = object->line;
		item.cost = object->cost;
		item.object = xstrdup(object->data->name ? object->data->name : "memory without a name");
		item.where = where_data(object->data);
		advise_add(advise, &item);
	}
	free(objects.rows);
}
