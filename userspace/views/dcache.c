// SPDX-License-Identifier: GPL-2.0
#include "dcache.h"

#include <stdlib.h>

#include "../analysis/trait.h"
#include "../util/text.h"
#include "../util/xalloc.h"
#include "dcache_table.h"
#include "dcache_totals.h"
#include "filter.h"
#include "levels.h"
#include "quality.h"

static bool wanted(const struct dcache_view *view, enum dcache_by by)
{
	return view->by >> by & 1;
}

static struct quality_table quality_of(const struct dcache_view *view)
{
	const struct snapshot *snap = &view->profile->snap;

	/* The tables' headings say how many rows they show. */
	return (struct quality_table){
		.what = "instructions",
		.order = "cost",
		.shown = snap->nr_sites,
		.total = snap->nr_sites,
		.table = TABLE_SITES,
	};
}

static void print_table(FILE *out, const struct dcache_view *view, enum dcache_by by)
{
	struct dcache_table *table = xcalloc(1, sizeof(*table));

	dcache_table_init(table, view, by);
	fputc('\n', out);
	report_print(out, &table->table.report, view->width);
	if (table->rows.nr + table->rows.few.rows <= table->rows.total)
		quality_print_fold(out, "row", "loads", &table->rows.few, table->whole);
	if (by == DCACHE_INSTRUCTION)
		dcache_code_print(out, table);
	dcache_table_free(table);
	free(table);
}

/* If there is nothing to show, print why. */
static bool print_nothing(FILE *out, const struct memlat_status *status)
{
	if (!status->samples) {
		quality_print_hint(out, status);
		return true;
	}
	if (status->loads)
		return false;
	fputs("No loads: this session sampled stores, which have no latency.\n"
	      "  memlat-ctl sites      shows where they are made\n", out);
	return true;
}

/* Print what print() writes, wrapped to the width. */
static void print_fit(FILE *out, const struct dcache_view *view,
		      void (*print)(FILE *out, const struct dcache_view *view))
{
	char *text = XPRINTED(lines, print(lines, view));

	text_fit(out, text, view->width);
	free(text);
}

void dcache_print(FILE *out, const struct dcache_view *view)
{
	const struct memlat_status *status = &view->profile->snap.head.status;
	const struct quality_table quality = quality_of(view);
	struct dcache_view folded = *view;
	struct dcache_served served;
	enum dcache_by by;

	folded.fold = true;
	if (status->started_ns)
		quality_print(out, status);
	if (print_nothing(out, status))
		return;
	fputc('\n', out);
	print_fit(out, view, dcache_totals_print);
	dcache_served_init(&served, view);
	fputc('\n', out);
	report_print(out, &served.report, view->width);
	if (view->buckets) {
		fputc('\n', out);
		print_fit(out, view, dcache_edges_print);
	}
	if (trait_here(status, MEMLAT_TRAIT_IP_AFTER))
		fputs("This CPU's records hold the address after the instruction: the instruction before it is named.\n",
		      out);
	for (by = 0; by < DCACHE_BY; by++)
		if (wanted(view, by))
			print_table(out, &folded, by);
	quality_print_table(out, status, &quality);
	namer_print_notes(view->namer, out);
}

static void put_table(struct json_object *document, const struct dcache_view *view,
		      enum dcache_by by)
{
	struct dcache_table *table = xcalloc(1, sizeof(*table));

	dcache_table_init(table, view, by);
	json_put(document, table->table.report.key, report_json(&table->table.report));
	if (by == DCACHE_INSTRUCTION)
		json_put(document, "disassembly", dcache_code_json(table));
	dcache_table_free(table);
	free(table);
}

struct json_object *dcache_json(const struct dcache_view *view)
{
	const struct snapshot *snap = &view->profile->snap;
	const struct quality_table quality = quality_of(view);
	struct json_object *document = quality_document("dcache", snap);
	struct dcache_served served;
	enum dcache_by by;

	quality_put_table(document, &snap->head.status, &quality);
	json_put_text(document, "unit", "core cycles");
	json_put_bool(document, "ip_after",
		      trait_here(&snap->head.status, MEMLAT_TRAIT_IP_AFTER));
	json_put_bool(document, "edges_measured", view->profile->machine.edges_measured);
	if (view->buckets)
		json_put(document, "levels", dcache_edges_json(view));
	json_put(document, "totals", dcache_totals_json(view));
	dcache_served_init(&served, view);
	json_put(document, "served", report_json(&served.report));
	for (by = 0; by < DCACHE_BY; by++)
		if (wanted(view, by))
			put_table(document, view, by);
	return document;
}

void dcache_csv(FILE *out, const struct dcache_view *view)
{
	struct dcache_table *tables = xcalloc(DCACHE_BY, sizeof(*tables));
	struct report reports[DCACHE_BY];
	size_t nr = 0, i;
	enum dcache_by by;

	for (by = 0; by < DCACHE_BY; by++) {
		if (!wanted(view, by))
			continue;
		dcache_table_init(&tables[nr], view, by);
		reports[nr] = tables[nr].table.report;
		nr++;
	}
	report_csv_tables(out, reports, nr);
	for (i = 0; i < nr; i++)
		dcache_table_free(&tables[i]);
	free(tables);
}
