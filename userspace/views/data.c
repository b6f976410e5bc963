// SPDX-License-Identifier: GPL-2.0
#include "data.h"

#include <stdlib.h>

#include "../util/xalloc.h"
#include "data_known.h"
#include "data_table.h"
#include "quality.h"

static struct quality_table quality_of(const struct data_view *view)
{
	const struct snapshot *snap = &view->profile->snap;

	/* The tables' headings say how many rows they show. */
	return (struct quality_table){
		.what = "accesses",
		.order = "cost",
		.shown = snap->nr_accesses,
		.total = snap->nr_accesses,
		.table = TABLE_ACCESSES,
	};
}

/* What text, JSON and CSV need: names, and the tables that are wanted. */
struct made {
	struct data_names names;
	struct data_known known;
	struct data_table tables[DATA_TABLES];
	size_t nr;
};

/* Heap objects have no names if allocations were not logged. */
static bool left_out(const struct data_view *view, const struct data_table *table)
{
	return table->rows.by == DATA_BY_SITE && !table->rows.nr && !view->profile->heap;
}

static bool is_typed(enum data_by by)
{
	return by == DATA_BY_TYPE || by == DATA_BY_OBJECT;
}

static void print_tables(FILE *out, const struct data_view *view, const struct made *made)
{
	const struct quality_table quality = quality_of(view);
	size_t i;

	for (i = 0; i < made->nr; i++) {
		const struct data_table *table = &made->tables[i];

		/*
		 * Without type information these tables are empty. Say so only if one was asked
		 * for.
		 */
		if (made->nr > 1 && !table->rows.total && is_typed(table->rows.by))
			continue;
		fputc('\n', out);
		if (left_out(view, table))
			fputs("Heap objects are in no table: allocations were not recorded.\n"
			      "  memlat-ctl record --heap -- COMMAND      records them\n",
			      out);
		else
			report_print(out, &table->table.report, view->width);
		if (table->rows.nr + table->rows.few.rows <= table->rows.total)
			quality_print_fold(out, "row", "samples", &table->rows.few, table->whole);
	}
	data_known_print(out, &made->known, view->width);
	quality_print_table(out, &view->profile->snap.head.status, &quality);
	namer_print_notes(view->namer, out);
}

static struct made *make(const struct data_view *view)
{
	struct made *made = xcalloc(1, sizeof(*made));
	enum data_by by;

	data_names_find(&made->names, view->profile, view->namer);
	data_known_find(&made->known, view->namer, &made->names);
	for (by = 0; by < DATA_TABLES; by++)
		if (view->by >> by & 1)
			data_table_init(&made->tables[made->nr++], view, &made->names, by);
	return made;
}

static void unmake(struct made *made)
{
	while (made->nr)
		data_table_free(&made->tables[--made->nr]);
	data_names_free(&made->names);
	free(made);
}

void data_print(FILE *out, const struct data_view *view)
{
	const struct memlat_status *status = &view->profile->snap.head.status;
	struct data_view folded = *view;
	struct made *made;

	folded.fold = true;
	if (!quality_print_begin(out, status))
		return;
	made = make(&folded);
	print_tables(out, &folded, made);
	unmake(made);
}

void data_csv(FILE *out, const struct data_view *view)
{
	struct made *made = make(view);
	struct report reports[DATA_TABLES];
	size_t i;

	for (i = 0; i < made->nr; i++)
		reports[i] = made->tables[i].table.report;
	report_csv_tables(out, reports, made->nr);
	unmake(made);
}

struct json_object *data_json(const struct data_view *view)
{
	const struct snapshot *snap = &view->profile->snap;
	const struct quality_table quality = quality_of(view);
	struct made *made = make(view);
	struct json_object *document = quality_document("data", snap);
	size_t i;

	quality_put_table(document, &snap->head.status, &quality);
	json_put_text(document, "unit", "core cycles");
	json_put_count(document, "cost_cycles", snapshot_cost(snap));
	json_put_bool(document, "heap_noted", view->profile->heap != NULL);
	json_put(document, "named", data_known_json(&made->known));
	for (i = 0; i < made->nr; i++)
		json_put(document, made->tables[i].table.report.key,
			 report_json(&made->tables[i].table.report));
	unmake(made);
	return document;
}
