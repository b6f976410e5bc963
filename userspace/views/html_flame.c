// SPDX-License-Identifier: GPL-2.0
/* A flame graph of waited cycles by call chain: callers are above, callees side by side below. */
#include <stdlib.h>
#include <string.h>

#include "../util/text.h"
#include "../util/xalloc.h"
#include "export.h"
#include "html.h"

#define LEAST_PERCENT	0.15	/* of the whole: a narrower box would be invisible */
#define BOXES_MAX	4000
#define NAME_SHOWN	100	/* most characters of a name */
#define ROW_PIXELS	19

struct flame {
	FILE *out;
	const struct export_row **rows;	/* the rows that have any cost, sorted by chain */
	size_t nr;
	__u64 whole;
	unsigned int boxes, deepest;
	bool too_many;
};

/* The name at a depth, outermost first: the process, then its frames. NULL: the chain has ended. */
static const char *name_at(const struct export_row *row, unsigned int depth)
{
	if (!depth)
		return row->process ? row->process : "[evicted]";
	return depth <= row->nr_frames ?
	       export_function(row->frame[row->nr_frames - depth]) : NULL;
}

static int compare(const void *pa, const void *pb)
{
	const struct export_row *const *a = pa, *const *b = pb;
	unsigned int depth;

	for (depth = 0;; depth++) {
		const char *one = name_at(*a, depth), *other = name_at(*b, depth);
		int ret;

		if (!one || !other)
			return (one != NULL) - (other != NULL);
		ret = strcmp(one, other);
		if (ret)
			return ret;
	}
}

static __u64 sum_of(const struct flame *flame, size_t first, size_t end)
{
	__u64 sum = 0;

	for (; first < end; first++)
		sum += flame->rows[first]->value[EXPORT_CYCLES];
	return sum;
}

/* The colour of a name is the same everywhere. */
static unsigned int hue(const char *name)
{
	unsigned int hash = 5381;

	for (; *name; name++)
		hash = hash * 33 + (unsigned char)*name;
	return 8 + hash % 44;
}

/*
 * Begin a box. Its width is a part of its caller's; what a click does is in .flame of html.c.
 */
static void begin_box(struct flame *flame, const char *name, unsigned int depth, __u64 before,
		      __u64 sum, __u64 around)
{
	char share[TEXT_NUMBER_MAX];

	fprintf(flame->out, "<div class=\"box\" id=\"f%u\" style=\"left:%.4f%%;width:%.4f%%\"><a href=\"#f%u\" style=\"background:hsl(%u 85%% 66%%)\" title=\"",
		flame->boxes, html_percent(before, around), html_percent(sum, around), flame->boxes,
		hue(name));
	html_text_short(flame->out, name, NAME_SHOWN);
	fprintf(flame->out, ": %s\">", text_share(share, sum, flame->whole, 1));
	html_text_short(flame->out, name, NAME_SHOWN);
	fputs("</a>", flame->out);
	flame->boxes++;
	if (depth >= flame->deepest)
		flame->deepest = depth + 1;
}

/*
 * Draw the chains from first to end, which have the same names above this depth, and their total
 * cost.
 */
static void put_level(struct flame *flame, size_t first, size_t end, unsigned int depth,
		      __u64 around)
{
	__u64 before = 0;
	size_t next;

	for (; first < end; first = next) {
		const char *name = name_at(flame->rows[first], depth);
		__u64 sum;

		for (next = first + 1; next < end; next++) {
			const char *other = name_at(flame->rows[next], depth);

			if (!name || !other ? name != other : strcmp(name, other))
				break;
		}
		sum = sum_of(flame, first, next);
		if (name && html_percent(sum, flame->whole) >= LEAST_PERCENT) {
			flame->too_many |= flame->boxes == BOXES_MAX;
			if (flame->too_many)
				return;
			begin_box(flame, name, depth, before, sum, around);
			put_level(flame, first, next, depth + 1, sum);
			fputs("</div>\n", flame->out);
		}
		before += sum;
	}
}

static void draw(struct flame *flame)
{
	char *boxes;
	size_t size;
	FILE *out = flame->out;

	flame->out = xmemstream(&boxes, &size);
	put_level(flame, 0, flame->nr, 0, flame->whole);
	xmemstream_end(flame->out);
	fprintf(out, "<div class=\"flame\" style=\"height:%upx\">\n%s</div>\n",
		flame->deepest * ROW_PIXELS, boxes);
	free(boxes);
	if (flame->too_many)
		fprintf(out, "<p class=\"note\">Only %d boxes are drawn; memlat-ctl export --format folded has all chains.</p>\n",
			BOXES_MAX);
}

void html_flame(FILE *out, const struct html_page *page)
{
	const struct profile *profile = page->view->profile;
	struct flame flame = { .out = out };
	struct export export;
	size_t i;

	if (!profile->snap.nr_stacks) {
		fputs("<p>No call chains were recorded: 'memlat-ctl record -g -- COMMAND' records them.</p>\n", out);
		return;
	}
	export_begin(&export, profile, page->view->namer);
	flame.whole = export.total[EXPORT_CYCLES];
	flame.rows = xcalloc(export.nr, sizeof(*flame.rows));
	for (i = 0; i < export.nr; i++)
		if (export.rows[i].value[EXPORT_CYCLES])
			flame.rows[flame.nr++] = &export.rows[i];
	if (flame.nr)
		qsort(flame.rows, flame.nr, sizeof(*flame.rows), compare);
	fputs("<p>The wider a box, the more cycles loads waited in it and in what it called; callers are above. "
	      "Hover over a box for its name and share, click it to see it alone; "
	      "<a href=\"#flame\">here all of it</a>.</p>\n", out);
	draw(&flame);
	free(flame.rows);
	export_end(&export);
}
