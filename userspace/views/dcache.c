// SPDX-License-Identifier: GPL-2.0
#include "figures.h"

#include <stdlib.h>
#include <string.h>

#include "../analysis/bus.h"
#include "../analysis/core_traits.h"
#include "../profile/imported.h"
#include "../util/command.h"
#include "../util/source.h"
#include "../util/text.h"
#include "../util/xalloc.h"
#include "quality.h"
#include "row.h"
#include "views.h"

static const struct {
	enum memlat_event_id event;
	const char *what, *note;
} counts[] = {
	{ MEMLAT_EVENT_LOADS, "counted loads", "all that retired, sampled or not" },
	{ MEMLAT_EVENT_L1_MISSES, "L1 misses",
	  "counted, of these; no load that a fill buffer (LFB) served is one" },
	{ MEMLAT_EVENT_L2_MISSES, "L2 misses", "counted, of these" },
	{ MEMLAT_EVENT_STORES, "counted stores", "all that retired" },
	{ MEMLAT_EVENT_DTLB_LOAD_WALKS, "page walks", "counted, of loads" },
};

/* Why there is no factor. */
static const char *const why_not[] = {
	[SCALE_NO_EVENT] = "no counter here counts the misses that are sampled",
	[SCALE_PARTLY] = "the misses that are sampled were not counted on all CPUs",
	[SCALE_LDLAT] = "ldlat leaves out a part of every kind of miss that is counted (--ldlat 30 or less does not)",
	[SCALE_NO_SAMPLES] = "there is no sample to compare the count with",
};

static const char weight_caveat[] =
	"A row's estimate is its samples times this factor: with few samples it may be far off, and "
	"loads faster than ldlat are in none. Rely on the order of the rows, not on their numbers.";

static const char count_caveat[] =
	"A row's estimate is its samples times this factor: with few samples it may be far off, and "
	"loads faster than ldlat are in none. It assumes that every load has the same chance to be sampled, but the "
	"CPU watches some loads only, and which ones depends on the code. Instructions with a lock prefix are "
	"sampled by where their data came from and counted as hits, wherever that was: with many of these all "
	"estimates are too low. Loads served by a fill buffer (LFB) are misses here, which that counter leaves out; "
	"they are scaled like the others. Rely on the order of the rows, not on their numbers.";

static void print_figure(FILE *out, const char *what, const char *figure, const char *unit,
			 const char *note)
{
	fprintf(out, "%-16s %17s %-6s  %s\n", what, figure, unit, note);
}

static void print_count(FILE *out, const char *what, __u64 number, const char *unit,
			const char *note)
{
	char text[TEXT_NUMBER_MAX];

	print_figure(out, what, text_count(text, number), unit, note);
}

/* The counted events, and the factor by which samples are scaled. est_misses: by weight alone. */
static void print_scale(FILE *out, const struct scale *scale, const struct memlat_status *status,
			__u64 est_misses)
{
	char counted[TEXT_NUMBER_MAX], sampled[TEXT_NUMBER_MAX];
	const bool good = scale->why == SCALE_GOOD;
	size_t i;

	for (i = 0; i < sizeof(counts) / sizeof(counts[0]); i++)
		if (scale->count[counts[i].event].known)
			print_count(out, counts[i].what, scale->count[counts[i].event].value, "",
				    counts[i].note);
	print_count(out, "est. loads", scale_up(scale, status->weight_loads), "",
		    good ? "that took at least ldlat cycles" :
			   "that took at least ldlat cycles, counted where they were sampled");
	print_count(out, "est. misses", scale_up(scale, est_misses), "", "of these");
	fprintf(out, "%-16s %17.1f %-6s  %s\n", "scale factor",
		scale->factor * (double)status->weight_loads / (double)status->loads, "",
		"loads that one sample stands for");
	if (good)
		fprintf(out, "%-16s %17.3f %-6s  its period: %s misses were counted, the samples stand for %s\n",
			"", scale->factor, "times",
			text_count(counted, scale->counted), text_count(sampled, scale->sampled));
	else if (scale->why != SCALE_NOT_COUNTED)
		fprintf(out, "Estimates use only the samples' own weights: %s.\n",
			why_not[scale->why]);
	fprintf(out, "%s\n", good ? count_caveat : weight_caveat);
}

/* What is known of all loads, evicted ones too, and the table of what served the misses. */
struct totals {
	const struct rows_view *view;
	struct dcache_sum sum;		/* the members that are shown */
	struct scale scale;
	__u64 weight[MEMLAT_SRC_NR];	/* by source: the loads that the samples stand for */
	size_t nr;
	enum memlat_source source[MEMLAT_SRC_NR];
	struct report served;
};

static void print_totals(FILE *out, const struct totals *totals)
{
	const struct snapshot *snap = &totals->view->profile->snap;
	const struct memlat_status *status = &snap->head.status;
	const struct dcache_sum *sum = &totals->sum;
	const __u64 timed = imported_timed(status, sum->misses);
	char text[TEXT_NUMBER_MAX];

	print_count(out, "sampled loads", sum->hits + sum->misses, "",
		    "of those that took at least ldlat cycles");
	print_count(out, "hits", sum->hits, "", "served from L1");
	if (trait_memory(snap))
		print_count(out, "not memory", sum->not_memory, "",
			    "of the hits: they waited longer for something else");
	print_count(out, "misses", sum->misses, "",
		    "served from elsewhere, a fill buffer (LFB) that waits for it too");
	print_figure(out, "miss rate", text_share(text, sum->misses, sum->hits + sum->misses, 1),
		     "", "of these loads");
	print_count(out, "latency", sum->latency, "cycles", "of the sampled misses");
	print_figure(out, "average latency", timed ? text_count(text, sum->latency / timed) : "-",
		     "cycles", "of a miss");
	if (snapshot_busy(status))
		fprintf(out, "%-16s %17.2f %-6s  %s\n", "waiting",
			(double)scale_up(&totals->scale, snapshot_cost(snap)) / (double)snapshot_busy(status),
			"loads",
			"est., at once on average while CPUs were busy: they overlap each other and other work");
	else
		print_figure(out, "waiting", "-", "loads", imported(status) ?
			     "cycles were not counted: perf took the samples" :
			     "cycles were not counted: periods were fixed, and only --max-overhead counts cycles");
	if (status->loads)
		print_scale(out, &totals->scale, status, sum->est_misses);
}

static struct json_object *counts_json(const struct scale *scale)
{
	struct json_object *object = json_new();
	unsigned int event;

	for (event = 0; event < MEMLAT_EVENT_NR; event++)
		if (scale->count[event].known)
			json_put_count(object, bus_event_name(event),
				       scale->count[event].value);
	return object;
}

static struct json_object *estimate_json(const struct scale *scale)
{
	struct json_object *object = json_new();
	bool good = scale->why == SCALE_GOOD;

	json_put_text(object, "by", good ? "counts" : "weight");
	json_put_text(object, "why", scale_why_name(scale->why));
	json_put_text(object, "event", good ? bus_event_name(scale->event) : NULL);
	json_put_known(object, "counted", good, scale->counted);
	json_put_known(object, "sampled", good, scale->sampled);
	json_put_ratio(object, "factor", good ? scale->counted : 1, good ? scale->sampled : 1);
	json_put_text(object, "caveat", good ? count_caveat : weight_caveat);
	return object;
}

static struct json_object *totals_json(const struct totals *totals)
{
	const struct snapshot *snap = &totals->view->profile->snap;
	const struct memlat_status *status = &snap->head.status;
	const struct dcache_sum *sum = &totals->sum;
	struct json_object *object = json_new();

	json_put_count(object, "loads", sum->hits + sum->misses);
	json_put_count(object, "hits", sum->hits);
	json_put_known(object, "not_memory", trait_memory(snap), sum->not_memory);
	json_put_count(object, "misses", sum->misses);
	json_put_ratio(object, "miss_rate", sum->misses, sum->hits + sum->misses);
	json_put_count(object, "miss_latency_sum", sum->latency);
	json_put_ratio(object, "miss_latency_avg", sum->latency, imported_timed(status, sum->misses));
	json_put_count(object, "cost_cycles", snapshot_cost(snap));
	json_put_known(object, "busy_cycles", snapshot_busy(status), snapshot_busy(status));
	json_put_ratio(object, "loads_waiting", scale_up(&totals->scale, snapshot_cost(snap)),
		       snapshot_busy(status));
	json_put_count(object, "est_loads", scale_up(&totals->scale, status->weight_loads));
	json_put_count(object, "est_misses", scale_up(&totals->scale, sum->est_misses));
	json_put_ratio(object, "scale_factor", scale_up(&totals->scale, status->weight_loads),
		       status->loads);
	json_put(object, "counted", counts_json(&totals->scale));
	json_put(object, "estimate", estimate_json(&totals->scale));
	json_put_sources(object, "sources", sum->source);
	return object;
}

#define SOURCE	(of->source[at])
#define MISSES	(of->sum.source[SOURCE])
#define SNAP	(&of->view->profile->snap)
#define CELL(name, ...)	REPORT_CELL(name, struct totals, __VA_ARGS__)

CELL(source, cell_text(source_name(SOURCE)))
CELL(level, cell_text(level_source_name(SOURCE)))
CELL(misses, cell_count(MISSES))
CELL(share, cell_ratio(CELL_SHARE, MISSES, of->sum.misses))
CELL(average, cell_ratio(CELL_AVERAGE, SNAP->buckets.latency[SOURCE],
			 imported_timed(&SNAP->head.status, MISSES)))
CELL(edge, cell_known(of->view->profile->machine.latency_edge[SOURCE],
		      of->view->profile->machine.latency_edge[SOURCE]))
CELL(estimate, cell_count(scale_up(&of->scale, of->weight[SOURCE])))

static const struct report_column columns[] = {
	{ .key = "source", .get = source },
	{ .title = "served from", .left = true, .keep = true, .get = level },
	{ .key = "misses", .title = "misses", .keep = true, .get = misses },
	{ .key = "share", .title = "% misses", .keep = true, .get = share },
	{ .key = "latency_avg", .title = "avg cyc", .get = average },
	{ .key = "latency_edge", .title = "usual up to", .get = edge },
	{ .key = "est_misses", .title = "est. misses", .get = estimate },
};

static void totals_init(struct totals *totals, const struct rows_view *view)
{
	const struct snapshot *snap = &view->profile->snap;
	const struct memlat_rec_buckets *buckets = &snap->buckets;
	struct dcache_sum *sum = &totals->sum;
	unsigned int row, source;

	memset(totals, 0, sizeof(*totals));
	totals->view = view;
	scale_compute(&totals->scale, snap);
	source_sums(buckets->weight, totals->weight);
	source_sums(buckets->count, sum->source);
	sum->hits = sum->source[MEMLAT_SRC_L1];
	sum->misses = source_total(sum->source) - sum->hits;
	sum->est_misses = source_total(totals->weight) - totals->weight[MEMLAT_SRC_L1];
	sum->latency = source_total(buckets->latency) - buckets->latency[MEMLAT_SRC_L1];
	for (row = 0; row < MEMLAT_BUCKETS; row++)
		sum->not_memory += snap->parts.part[MEMLAT_PART_NOT_MEMORY].count[row];
	for (source = 0; source < MEMLAT_SRC_NR; source++)
		if (source != MEMLAT_SRC_L1 && sum->source[source])
			totals->source[totals->nr++] = source;
	totals->served = (struct report){
		.key = "served",
		.title = "What served the misses",
		.columns = columns,
		.nr_columns = sizeof(columns) / sizeof(columns[0]),
		.nr_rows = totals->nr,
		.context = totals,
	};
}

static void print_edges(FILE *out, const struct rows_view *view)
{
	struct levels levels;

	levels_find(&levels, &view->profile->machine, &view->profile->snap);
	fputs("Latency buckets are in % of the row's misses, by cycles.", out);
	if (levels.known)
		fprintf(out, " How long levels usually take is above, %s.",
			levels.measured ? "as measured on this machine" :
					  "as is plausible for this CPU, not measured here");
	else
		fputs(" Which levels answer within them is not known for this CPU.", out);
	fputc('\n', out);
}

static struct json_object *edges_json(const struct rows_view *view)
{
	struct json_object *list = json_list();
	struct levels levels;
	unsigned int i;

	levels_find(&levels, &view->profile->machine, &view->profile->snap);
	for (i = 0; i < levels.nr; i++) {
		const struct level *level = &levels.level[i];
		struct json_object *object = json_new();

		json_put_text(object, "name", *level->name ? level->name : NULL);
		json_put_text(object, "key", level->key);
		json_put_count(object, "above", level->above);
		json_put_known(object, "to", level->to, level->to);
		json_append(list, object);
	}
	return list;
}

/* The tables' headings say how many rows they show. */
static const struct quality_table quality = { .what = "instructions", .table = TABLE_SITES };

/* If there is nothing to show, print why. */
static bool print_nothing(FILE *out, const struct memlat_status *status)
{
	if (!status->samples) {
		quality_print_hint(out, status);
		return true;
	}
	if (status->loads)
		return false;
	command_say(out, "No loads: this session sampled stores, which have no latency.\n"
			 "  memlat-ctl dcache --by site      shows where they are made\n");
	return true;
}

/* Print lines wrapped to the width, and free them. */
static void print_fit(FILE *out, const struct rows_view *view, char *text)
{
	text_fit(out, text, view->width);
	free(text);
}

static void print_table(FILE *out, const struct dcache_table *table)
{
	const struct grid *grid = &table->grid;

	fputc('\n', out);
	report_print(out, &grid->table.report, table->view->width);
	quality_print_fold(out, "row", &grid->fold, snapshot_cost(&grid->profile->snap));
	if (table->by == DCACHE_INSTRUCTION)
		dcache_code_print(out, table);
}

static void print_above(FILE *out, const struct rows_view *view)
{
	struct totals totals;

	fputc('\n', out);
	totals_init(&totals, view);
	print_fit(out, view, XPRINTED(lines, print_totals(lines, &totals)));
	fputc('\n', out);
	report_print(out, &totals.served, view->width);
	fputc('\n', out);
	print_fit(out, view, XPRINTED(lines, print_edges(lines, view)));
	if (trait_here(&rows_snap(view)->head.status, MEMLAT_TRAIT_IP_AFTER))
		fputs("This CPU's records hold the address after the instruction: the instruction before it is named.\n",
		      out);
}

static struct json_object *json_above(const struct rows_view *view)
{
	const struct snapshot *snap = rows_snap(view);
	struct json_object *document = quality_document("dcache", snap);
	struct totals totals;

	quality_put_table(document, &snap->head.status, &quality);
	json_put_text(document, "unit", "core cycles");
	json_put_bool(document, "ip_after", trait_here(&snap->head.status, MEMLAT_TRAIT_IP_AFTER));
	json_put_bool(document, "edges_measured", view->profile->machine.edges_measured);
	json_put(document, "levels", edges_json(view));
	totals_init(&totals, view);
	json_put(document, "totals", totals_json(&totals));
	json_put(document, "served", report_json(&totals.served));
	return document;
}

static void put_table(struct json_object *document, const struct dcache_table *table)
{
	json_put(document, table->grid.key, report_json(&table->grid.table.report));
	if (table->by == DCACHE_INSTRUCTION)
		json_put(document, "disassembly", dcache_code_json(table));
}

struct json_object *dcache_show(FILE *out, enum report_format format, const struct rows_view *view)
{
	const struct memlat_status *status = &rows_snap(view)->head.status;
	const bool text = format == REPORT_TEXT;
	struct json_object *document = NULL;
	struct dcache_table *tables;
	struct report reports[DCACHE_BY];
	enum dcache_by by;
	size_t nr = 0;

	if (text && status->started_ns)
		quality_print(out, status);
	if (text && print_nothing(out, status))
		return NULL;
	if (text)
		print_above(out, view);
	else if (format == REPORT_JSON)
		document = json_above(view);
	tables = xcalloc(DCACHE_BY, sizeof(*tables));
	for (by = 0; by < DCACHE_BY; by++) {
		if (!(view->word >> by & 1))
			continue;
		dcache_table_init(&tables[nr], view, text, by);
		if (text)
			print_table(out, &tables[nr]);
		else if (document)
			put_table(document, &tables[nr]);
		if (format == REPORT_CSV) {
			reports[nr] = tables[nr].grid.table.report;
			nr++;
		} else {
			dcache_table_free(&tables[nr]);
		}
	}
	if (format == REPORT_CSV)
		report_csv_tables(out, reports, nr);
	while (nr)
		dcache_table_free(&tables[--nr]);
	free(tables);
	if (text) {
		quality_print_table(out, status, &quality);
		namer_print_notes(view->namer, out);
	}
	return document;
}
