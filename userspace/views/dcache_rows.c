// SPDX-License-Identifier: GPL-2.0
#define _GNU_SOURCE
#include "dcache.h"

#include <stdlib.h>
#include <string.h>

#include "../analysis/access_weight.h"
#include "../analysis/site.h"
#include "../util/number.h"
#include "../util/order.h"
#include "../util/xalloc.h"
#include "levels.h"

struct named {
	const struct memlat_rec_site *site;
	const struct code_name *name;
};

static int compare_module(const struct named *a, const struct named *b)
{
	return order_text(a->name->path, b->name->path) ?:
	       order_text(a->name->module, b->name->module) ?:
	       order(a->name->deleted, b->name->deleted);
}

/* Compare the function of the code, and the function that it was inlined into. */
static int compare_function(const struct named *a, const struct named *b)
{
	return compare_module(a, b) ?: order_text(a->name->function, b->name->function) ?:
	       order_text(a->name->raw, b->name->raw);
}

static int compare_line(const struct named *a, const struct named *b)
{
	/* If no line is known, functions still have to be told apart. */
	return compare_module(a, b) ?: order_text(a->name->file, b->name->file) ?:
	       order(a->name->line, b->name->line) ?:
	       (a->name->file && a->name->line ? 0 : compare_function(a, b));
}

/* An instruction of a file is the same in all processes. Other code differs in each process. */
static int compare_instruction(const struct named *a, const struct named *b)
{
	int ret = compare_module(a, b);

	if (!ret && a->name->path && a->name->module_offset && b->name->module_offset)
		return order(a->name->module_offset, b->name->module_offset);
	return ret ?: order(a->site->space, b->site->space) ?:
	       order(a->site->gen, b->site->gen) ?: order(a->site->ip, b->site->ip);
}

static int (*const compare[DCACHE_BY])(const struct named *, const struct named *) = {
	[DCACHE_MODULE]		= compare_module,
	[DCACHE_FUNCTION]	= compare_function,
	[DCACHE_LINE]		= compare_line,
	[DCACHE_INSTRUCTION]	= compare_instruction,
};

/* For qsort_r(): equal rows in order of cost, the highest first. */
static int compare_by(const void *pa, const void *pb, void *by)
{
	const struct named *a = pa, *b = pb;

	return compare[*(const enum dcache_by *)by](a, b) ?:
	       order(b->site->cost, a->site->cost) ?: order(a->site->space, b->site->space) ?:
	       order(a->site->ip, b->site->ip);
}

COMPARE(compare_cost, struct dcache_row,
	share_order((double)a->sum.cost, a->sum.hits + a->sum.misses, (double)b->sum.cost,
		    b->sum.hits + b->sum.misses) ?:
	order(b->sum.cost, a->sum.cost) ?: order(b->sum.misses, a->sum.misses) ?:
	order(b->sum.samples, a->sum.samples) ?: order_text(a->name->path, b->name->path) ?:
	order(a->site->ip, b->site->ip))

static void sum_add(struct dcache_sum *sum, const struct snapshot *snap,
		    const struct memlat_rec_site *site)
{
	const __u64 loads = site_loads(site), hits = site->source[MEMLAT_SRC_L1];
	const __u64 misses = loads - hits;
	__u64 rows[MEMLAT_BUCKETS], part[MEMLAT_PART_NR];
	unsigned int i;

	levels_misses(snap, site->bucket, hits, site->latency[MEMLAT_SRC_L1], rows);
	sum->samples += site->samples;
	sum->stores += site->stores;
	sum->hits += hits;
	sum->misses += misses;
	sum->hits_latency += site->latency[MEMLAT_SRC_L1];
	sum->latency += site->latency_sum - site->latency[MEMLAT_SRC_L1];
	sum->weight += site->weight;
	sum->cost += site->cost;
	if (loads)
		sum->est_misses += number_whole(site_loads_weight(site) * (double)misses /
						(double)loads);
	for (i = 0; i < MEMLAT_BUCKETS; i++)
		sum->bucket[i] += rows[i];
	for (i = 0; i < MEMLAT_SRC_NR; i++)
		sum->source[i] += site->source[i];
	site_parts(site, part);
	for (i = 0; i < MEMLAT_PART_NR; i++)
		sum->part[i] += part[i];
}

/* Make the rows from instructions that are sorted so that those of one row are adjacent. */
static void add_up(struct dcache_rows *rows, const struct named *named, size_t nr,
		   const struct snapshot *snap)
{
	struct dcache_row *row = NULL;
	size_t i;

	for (i = 0; i < nr; i++) {
		if (!i || compare[rows->by](&named[i - 1], &named[i])) {
			row = &rows->rows[rows->nr++];
			row->site = named[i].site;
			row->name = named[i].name;
		}
		row->nr_sites++;
		sum_add(&row->sum, snap, named[i].site);
	}
}

void dcache_rows_find(struct dcache_rows *rows, const struct profile *profile,
		      struct namer *namer, enum dcache_by by)
{
	const struct snapshot *snap = &profile->snap;
	struct named *named = xcalloc(snap->nr_sites, sizeof(*named));
	size_t i;

	*rows = (struct dcache_rows){ .by = by };
	for (i = 0; i < snap->nr_sites; i++) {
		const struct memlat_rec_site *site = &snap->sites[i];

		named[i].site = site;
		named[i].name = namer_sampled(namer, site->space, site->gen, site->ip);
	}
	qsort_r(named, snap->nr_sites, sizeof(*named), compare_by, &by);
	rows->rows = xcalloc(snap->nr_sites, sizeof(*rows->rows));
	add_up(rows, named, snap->nr_sites, snap);
	rows->rows = xreallocarray(rows->rows, rows->nr, sizeof(*rows->rows));
	qsort(rows->rows, rows->nr, sizeof(*rows->rows), compare_cost);
	for (i = 1; i < rows->nr; i++)
		rows->rows[i].cost_before = rows->rows[i - 1].cost_before + rows->rows[i - 1].sum.cost;
	free(named);
}

void dcache_rows_free(struct dcache_rows *rows)
{
	free(rows->rows);
	memset(rows, 0, sizeof(*rows));
}
