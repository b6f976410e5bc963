// SPDX-License-Identifier: GPL-2.0
/* Rows of cache lines, functions and data. */
#include "top.h"

#include <stdlib.h>
#include <string.h>

#include "../analysis/line.h"
#include "../util/order.h"
#include "../util/xalloc.h"
#include "data.h"
#include "dcache.h"

/* Finding names takes time: only the costliest lines get names. */
#define NAMED_LINES	60
#define NAMED_SITES	1024
#define NAMED_ACCESSES	1024

static const char *const unnamed = "(no name)";

struct story top_story(const struct top_interval *interval, const struct memlat_rec_line *line)
{
	return (struct story){
		.profile = interval->profile, .namer = interval->namer,
		.verdicts = interval->c2c.verdicts, .line = line, .number = 1,
		.cost = interval->cost,
	};
}

static void take_line(struct top_rows *rows, const struct top_interval *interval,
		      const struct memlat_rec_line *line)
{
	const struct story story = top_story(interval, line);
	const char *words = verdict_text(VERDICT_TOO_FEW);
	struct top_row *row = &rows->row[rows->nr++];
	char *label = NULL;

	*row = (struct top_row){
		.pid = line->space, .gen = line->gen, .addr = line->addr, .line = line,
		.verdict = VERDICT_TOO_FEW,
		.samples = line->samples, .stores = line->stores, .hitm = line_hitm(line),
		.latency = line->latency_sum, .weight = line->weight, .cost = line->cost,
	};
	top_row_sources(row, line->source);
	/* Finding names takes time. */
	if (!row_is_little(&rows->whole, row_line_figures(line))) {
		const struct verdict_line *verdict = verdict_of(interval->c2c.verdicts, line);

		label = story_data(&story, true);
		row->verdict = verdict->verdict;
		words = verdict_words(verdict);
		row->threads = verdict->nr_parties;
	}
	row->name = label ? label : xasprintf("0x%llx", line->addr);
	row->worst = xstrdup(words);
}

static int by_order(const void *pa, const void *pb)
{
	const struct lineset_line *a = *(const struct lineset_line *const *)pa;
	const struct lineset_line *b = *(const struct lineset_line *const *)pb;

	/*
	 * Lines that only stores tell of come after lines with a cost, those with the most stores
	 * first.
	 */
	return order(b->rec->cost, a->rec->cost) ?: order(b->rec->samples, a->rec->samples) ?:
	       order(a->start, b->start);
}

static int by_hitm(const void *pa, const void *pb)
{
	const struct lineset_line *a = *(const struct lineset_line *const *)pa;
	const struct lineset_line *b = *(const struct lineset_line *const *)pb;

	return order(line_hitm(b->rec), line_hitm(a->rec)) ?: by_order(pa, pb);
}

void top_find_lines(struct top_rows *rows, const struct top_interval *interval,
		    enum top_order order)
{
	const struct lineset *set = interval->c2c.set;
	size_t nr = set ? lineset_lines(set) : 0, i;
	const struct lineset_line **lines = xcalloc(nr, sizeof(const struct lineset_line *));

	for (i = 0; i < nr; i++)
		lines[i] = lineset_line(set, i);
	qsort(lines, nr, sizeof(*lines), order == TOP_HITM ? by_hitm : by_order);
	rows->row = xcalloc(NAMED_LINES, sizeof(*rows->row));
	for (i = 0; i < nr && i < NAMED_LINES; i++)
		take_line(rows, interval, lines[i]->rec);
	for (; i < nr; i++)
		rows->rest_cost += lines[i]->rec->cost;
	free(lines);
}

void top_find_functions(struct top_rows *rows, const struct top_interval *interval)
{
	struct profile some = *interval->profile;
	const size_t nr = some.snap.nr_sites;
	struct dcache_rows functions;
	size_t i;

	/* Sort a copy, because the interval's rows must stay in their order. */
	some.snap.sites = xcalloc(nr, sizeof(*some.snap.sites));
	if (nr)
		memcpy(some.snap.sites, interval->profile->snap.sites, nr * sizeof(*some.snap.sites));
	site_sort(some.snap.sites, nr, SITE_BY_COST);
	for (i = NAMED_SITES; i < nr; i++)
		rows->rest_cost += some.snap.sites[i].cost;
	if (some.snap.nr_sites > NAMED_SITES)
		some.snap.nr_sites = NAMED_SITES;
	dcache_rows_find(&functions, &some, interval->namer, DCACHE_FUNCTION);
	rows->row = xcalloc(functions.nr, sizeof(*rows->row));
	for (i = 0; i < functions.nr; i++) {
		const struct dcache_row *of = &functions.rows[i];
		const char *name = of->name->function ? of->name->function : of->name->raw;
		struct top_row *row = &rows->row[rows->nr++];

		*row = (struct top_row){
			.name = xstrdup(name ? name : unnamed),
			.module = of->name->module ? xstrdup(of->name->module) : NULL,
			.samples = of->sum.samples, .stores = of->sum.stores,
			.hitm = of->sum.source[MEMLAT_SRC_L3_HITM] + of->sum.source[MEMLAT_SRC_RHITM],
			.latency = of->sum.latency + of->sum.hits_latency,
			.weight = of->sum.weight, .cost = of->sum.cost,
		};
		top_row_sources(row, of->sum.source);
	}
	dcache_rows_free(&functions);
	free(some.snap.sites);
}

COMPARE(by_cost, struct memlat_rec_access,
	order(b->cost, a->cost) ?: order(b->samples, a->samples) ?: order(a->addr, b->addr))

void top_find_data(struct top_rows *rows, const struct top_interval *interval)
{
	struct profile some = *interval->profile;
	const size_t nr = some.snap.nr_accesses;
	struct data_names names;
	struct data_rows data;
	__u64 known = interval->profile->own.cost;
	size_t i;

	some.snap.accesses = xcalloc(nr, sizeof(*some.snap.accesses));
	if (nr)
		memcpy(some.snap.accesses, interval->profile->snap.accesses,
		       nr * sizeof(*some.snap.accesses));
	qsort(some.snap.accesses, nr, sizeof(*some.snap.accesses), by_cost);
	for (i = NAMED_ACCESSES; i < nr; i++)
		rows->rest_cost += some.snap.accesses[i].cost;
	known += rows->rest_cost;
	if (some.snap.nr_accesses > NAMED_ACCESSES)
		some.snap.nr_accesses = NAMED_ACCESSES;
	data_names_find(&names, &some, interval->namer);
	data_rows_find(&data, &names, DATA_BY_FIELD);
	rows->row = xcalloc(data.nr, sizeof(*rows->row));
	for (i = 0; i < data.nr; i++) {
		const struct data_row *of = &data.rows[i];

		known += of->cost;
		rows->row[rows->nr++] = (struct top_row){
			.name = xstrdup(of->name->text ? of->name->text : unnamed),
			.module = of->name->module ? xstrdup(of->name->module) : NULL,
			.threads = of->nr_threads, .samples = of->samples, .stores = of->stores,
			.hitm = of->hitm + of->rhitm, .latency = of->latency,
			.weight = of->weight, .cost = of->cost,
		};
	}
	rows->nameless_cost = rows->cost > known ? rows->cost - known : 0;
	data_rows_free(&data);
	data_names_free(&names);
	free(some.snap.accesses);
}
