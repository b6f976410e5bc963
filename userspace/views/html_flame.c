// SPDX-License-Identifier: GPL-2.0
/* The tree of waited cycles by call chain, for a flame graph. */
#include <stdlib.h>
#include <string.h>

#include "../util/xalloc.h"
#include "export.h"
#include "html.h"

#define LEAST_PERCENT	0.15	/* of the whole: a narrower box would be invisible */
#define BOXES_MAX	4000

struct flame {
	const struct export_row **rows;	/* the rows that have any cost, sorted by chain */
	size_t nr;
	__u64 whole;
	unsigned int boxes;
};

/* The name at a depth, outermost first: the process, then its frames. NULL: the chain has ended. */
static const char *name_at(const struct export_row *row, unsigned int depth)
{
	if (!depth)
		return row->process ? row->process : "[evicted]";
	return depth <= row->nr_frames ?
	       export_function(row->frame[row->nr_frames - depth]) : NULL;
}

static int compare_name(const char *one, const char *other)
{
	return one && other ? strcmp(one, other) : !!one - !!other;
}

static int compare(const void *pa, const void *pb)
{
	const struct export_row *const *a = pa, *const *b = pb;
	unsigned int depth;
	int ret = 0;

	for (depth = 0; !ret && (name_at(*a, depth) || name_at(*b, depth)); depth++)
		ret = compare_name(name_at(*a, depth), name_at(*b, depth));
	return ret;
}

/*
 * The boxes of the chains from first to end, which have the same names above this depth. Each is a
 * list: name, cycles that its caller spent before it, its own with its callees', and their boxes.
 */
static struct json_object *level(struct flame *flame, size_t first, size_t end, unsigned int depth)
{
	struct json_object *boxes = json_list();
	__u64 before = 0, sum;
	size_t next;

	for (; first < end; first = next, before += sum) {
		const char *name = name_at(flame->rows[first], depth);
		struct json_object *box;

		sum = 0;
		for (next = first; next < end; next++) {
			if (compare_name(name, name_at(flame->rows[next], depth)))
				break;
			sum += flame->rows[next]->sum.cost;
		}
		if (!name || (double)sum * 100 < LEAST_PERCENT * (double)flame->whole ||
		    flame->boxes++ >= BOXES_MAX)
			continue;
		box = json_list();
		json_append_text(box, name);
		json_append(box, json_object_new_uint64(before));
		json_append(box, json_object_new_uint64(sum));
		json_append(box, level(flame, first, next, depth + 1));
		json_append(boxes, box);
	}
	return boxes;
}

struct json_object *html_flame(const struct html_view *view)
{
	struct json_object *object;
	struct flame flame = { 0 };
	struct export export;
	size_t i;

	if (!view->profile->snap.nr_stacks)
		return NULL;
	export_begin(&export, view->profile, view->namer);
	flame.whole = export.total.cost;
	flame.rows = xcalloc(export.nr, sizeof(*flame.rows));
	for (i = 0; i < export.nr; i++)
		if (export.rows[i].sum.cost)
			flame.rows[flame.nr++] = &export.rows[i];
	if (flame.nr)
		qsort(flame.rows, flame.nr, sizeof(*flame.rows), compare);
	object = json_new();
	json_put_count(object, "cycles", flame.whole);
	json_put(object, "boxes", level(&flame, 0, flame.nr, 0));
	json_put_known(object, "most", flame.boxes > BOXES_MAX, BOXES_MAX);
	free(flame.rows);
	export_end(&export);
	return object;
}
