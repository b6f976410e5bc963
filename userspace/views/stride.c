// SPDX-License-Identifier: GPL-2.0
#include "stride.h"

#include <stdlib.h>

#include "../util/text.h"
#include "quality.h"
#include "stride_table.h"

static const struct snapshot *snap_of(const struct stride_view *view)
{
	return &view->profile->snap;
}

static size_t named(const struct stride_table *table)
{
	size_t i, nr = 0;

	for (i = 0; i < table->strides.nr; i++)
		nr += table->strides.sites[i].reading == STRIDE_INEFFICIENT;
	return nr;
}

/* Print the answer first: which shown sites walk in large strides. */
static void print_stories(FILE *out, const struct stride_table *table)
{
	size_t row, all = named(table), told = 0;

	if (!table->tlb)
		fputs("This CPU's records do not report STLB misses: strides are shown, but not what they\n"
		      "cost in the TLB, so no site is named.\n", out);
	else if (!all)
		fputs("No site walks in large strides and misses the STLB.\n", out);
	for (row = 0; row < table->shown; row++) {
		char *story = stride_story(table, row), *shown;

		if (!story)
			continue;
		/* Names in a program may contain any bytes. */
		shown = text_escaped(story);
		text_remark(out, table->view->width, "%zu: %s", row + 1, shown);
		free(shown);
		free(story);
		told++;
	}
	if (told < all)
		fprintf(out, "(%zu more of these are not shown; -n 0 shows all)\n", all - told);
}

static void print_notes(FILE *out, const struct stride_table *table)
{
	const struct memlat_status *status = &snap_of(table->view)->head.status;
	char a[TEXT_NUMBER_MAX], b[TEXT_NUMBER_MAX], c[TEXT_NUMBER_MAX];

	if (table->shown < table->strides.nr)
		text_remark(out, table->view->width, "(%s of %s sites, by cost; -n 0 shows all)",
			    text_count(a, table->shown), text_count(b, table->strides.nr));
	if (status->strides_evicted)
		text_remark(out, table->view->width, "(the table was full: %s of %s pairs are of steps that were evicted, none of which had more than %s; raise --max-memory)",
			    text_count(a, status->strides_evicted), text_count(b, status->pairs),
			    text_count(c, status->strides_error));
}

/* There are samples, but no two neighbouring ones of one instruction. */
static void print_none(FILE *out)
{
	fputs("No pairs: no instruction was sampled twice in one burst, so that no step is known.\n"
	      "  Let it run longer, or sample all loads (--ldlat 3, which is usual with --stride).\n",
	      out);
}

static void print_table(FILE *out, const struct stride_view *view)
{
	struct stride_table table;

	stride_table_init(&table, view);
	fputc('\n', out);
	print_stories(out, &table);
	fputc('\n', out);
	report_print(out, &table.table.report, view->width);
	print_notes(out, &table);
	stride_table_free(&table);
}

void stride_print(FILE *out, const struct stride_view *view)
{
	const struct memlat_status *status = &snap_of(view)->head.status;

	quality_print(out, status);
	if (!status->samples) {
		quality_print_hint(out, status);
		return;
	}
	if (status->pairs)
		print_table(out, view);
	else
		print_none(out);
	namer_print_notes(view->namer, out);
}

void stride_csv(FILE *out, const struct stride_view *view)
{
	struct stride_table table;

	stride_table_init(&table, view);
	report_csv(out, &table.table.report);
	stride_table_free(&table);
}

struct json_object *stride_json(const struct stride_view *view)
{
	const struct memlat_status *status = &snap_of(view)->head.status;
	struct json_object *document = quality_document("stride", snap_of(view));
	struct stride_table table;

	stride_table_init(&table, view);
	json_put_text(document, "unit", "bytes");
	json_put_count(document, "pairs", status->pairs);
	json_put_count(document, "strides_total", snap_of(view)->nr_strides);
	json_put_count(document, "evicted", status->strides_evicted);
	json_put_count(document, "error_bound", status->strides_error);
	json_put_count(document, "cost_cycles", table.cost);
	json_put_bool(document, "tlb_known", table.tlb);
	json_put_count(document, "sites_total", table.strides.nr);
	json_put_count(document, "sites_shown", table.shown);
	json_put_count(document, "sites_inefficient", named(&table));
	json_put(document, "sites", report_json(&table.table.report));
	stride_table_free(&table);
	return document;
}
