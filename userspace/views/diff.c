// SPDX-License-Identifier: GPL-2.0
#include "diff.h"

#include <stdlib.h>
#include <string.h>

#include "../util/text.h"
#include "../util/xalloc.h"
#include "quality.h"
#include "report.h"

#define SHOWN_MAX	200

static const char *const side_names[DIFF_SIDES] = {
	[DIFF_BEFORE] = "before", [DIFF_AFTER] = "after",
};

const char *diff_by_name(enum diff_by by)
{
	static const char *const names[DIFF_BYS] = {
		[DIFF_BY_VARIABLE] = "variable",
		[DIFF_BY_FUNCTION] = "function",
		[DIFF_BY_LINE] = "line",
	};

	return names[by];
}

static bool timed(const struct diff_view *view, unsigned int side)
{
	return view->profiles[side]->snap.head.status.duration_ns;
}

enum which { W_CHANGE, W_LEFT, W_HOW, W_RATE, W_SHARE = W_RATE + DIFF_SIDES };

/* A session of no duration has no rate, and so no change. */
static struct cell cell(const void *context, size_t at, unsigned int which)
{
	const struct diff_view *view = context;
	const struct diff_row *row = &view->rows->rows[at];
	const __u64 before = row->sum[DIFF_BEFORE].rate, after = row->sum[DIFF_AFTER].rate;
	const struct cell change = { .kind = CELL_CHANGE, .part = after, .whole = before };

	switch (which) {
	case W_CHANGE:
		return timed(view, DIFF_BEFORE) && timed(view, DIFF_AFTER) ? change : cell_none();
	case W_LEFT:
		return cell_ratio(CELL_SHARE, after, timed(view, DIFF_AFTER) ? before : 0);
	case W_HOW:
		return cell_text(data_how_name(row->how));
	default:
		break;
	}
	if (which >= W_SHARE)
		return cell_ratio(CELL_SHARE, row->sum[which - W_SHARE].cost,
				  view->rows->all[which - W_SHARE].cost);
	which -= W_RATE;
	return cell_known(timed(view, which), row->sum[which].rate);
}

#define ONLY(by)	(1U << DIFF_BY_ ## by)
#define DATA		(ONLY(VARIABLE) | ONLY(LINE))	/* code is all of one kind */
#define ALL		(DATA | ONLY(FUNCTION))

/* Most figures have two columns: before and after. */
#define BOTH(name, heading, number) \
	{ ALL, { .key = #name "_before", .title = "before", .group = heading, \
		 .which = (number) + DIFF_BEFORE } }, \
	{ ALL, { .key = #name "_after", .title = "after", .group = heading, \
		 .which = (number) + DIFF_AFTER } }
#define COUNTS(member, heading) \
	{ ALL, { .key = #member "_before", .title = "before", .group = heading, \
		 REPORT_NUMBER(CELL_COUNT, struct diff_row, sum[DIFF_BEFORE].member) } }, \
	{ ALL, { .key = #member "_after", .title = "after", .group = heading, \
		 REPORT_NUMBER(CELL_COUNT, struct diff_row, sum[DIFF_AFTER].member) } }
#define WORDS(name, heading, kept, member) \
	{ .key = name, .title = heading, .left = true, .keep = kept, \
	  REPORT_WORDS(struct diff_row, member) }

/* by: the tables that have the column */
static const struct {
	unsigned int by;
	struct report_column column;
} all[] = {
	{ ALL, { .key = "change", .title = "change", .keep = true, .which = W_CHANGE } },
	BOTH(rate, "cycles/s", W_RATE),
	{ ALL, { .key = "left", .title = "left", .which = W_LEFT } },
	{ ONLY(FUNCTION), WORDS("function", "function", true, name) },
	{ DATA, WORDS("variable", "variable", true, name) },
	{ ONLY(VARIABLE), WORDS("field", "field", true, field) },
	{ ONLY(LINE), WORDS("offset", "line at", true, field) },
	BOTH(share, "cost", W_SHARE),
	COUNTS(hitm, "HITM"),
	COUNTS(samples, "samples"),
	{ ALL, WORDS("module", "module", false, module) },
	{ DATA, WORDS("kind", "kind", false, kind) },
	{ DATA, { .key = "data_how", .which = W_HOW } },
};

#define COLUMNS_MAX	(sizeof(all) / sizeof(all[0]))

/* columns: room for the report's columns. */
static struct report report_of(const struct diff_view *view,
			       struct report_column columns[COLUMNS_MAX])
{
	const struct diff_rows *rows = view->rows;
	size_t i, nr = 0;

	for (i = 0; i < COLUMNS_MAX; i++)
		if (all[i].by >> rows->by & 1)
			columns[nr++] = all[i].column;
	return (struct report){
		.key = "changes",
		.columns = columns,
		.nr_columns = nr,
		.nr_rows = report_limit(view->show, rows->nr),
		.context = view,
		.rows = rows->rows,
		.get_at = cell,
	};
}

static void print_side(FILE *out, const struct diff_view *view, unsigned int side)
{
	char shown[SHOWN_MAX], *text;
	size_t size;
	FILE *line = xmemstream(&text, &size);

	text_escape(shown, sizeof(shown), view->paths[side]);
	fprintf(line, "%-6s  %s: ", side_names[side], shown);
	quality_print_line(line, &view->profiles[side]->snap.head.status);
	xmemstream_end(line);
	text_fit(out, text, view->width);
	fputc('\n', out);
	free(text);
}

static void print_total(FILE *out, const struct diff_view *view)
{
	const struct diff_sum *before = &view->rows->all[DIFF_BEFORE];
	const struct diff_sum *after = &view->rows->all[DIFF_AFTER];
	char number[TEXT_NUMBER_MAX];

	if (!timed(view, DIFF_BEFORE) || !timed(view, DIFF_AFTER))
		return;
	fprintf(out, "cycles that loads took per second: %s before",
		text_count(number, before->rate));
	fprintf(out, ", %s after", text_count(number, after->rate));
	if (before->rate)
		fprintf(out, " (%s)", text_share(number, after->rate, before->rate, 1));
	fputc('\n', out);
}

/* Print what makes the two profiles hard to compare. */
static void print_notes(FILE *out, const struct diff_view *view)
{
	const struct profile *a = view->profiles[DIFF_BEFORE], *b = view->profiles[DIFF_AFTER];
	const struct memlat_status *one = &a->snap.head.status, *other = &b->snap.head.status;
	const __u32 kinds = MEMLAT_F_LOADS | MEMLAT_F_STORES | MEMLAT_F_USER | MEMLAT_F_KERNEL;

	if (one->ldlat != other->ldlat)
		fprintf(out, "(--ldlat %u before, %u after: these are different loads; record both with the same --ldlat)\n",
			one->ldlat, other->ldlat);
	if ((one->flags ^ other->flags) & kinds)
		fputs("(before and after sampled different kinds of accesses; record both with the same options)\n",
		      out);
	if (strcmp(a->snap.head.model_name, b->snap.head.model_name))
		fputs("(the CPUs are different models: a cycle is not the same time on both)\n", out);
}

/* Evicted samples, which are in none of the rows. */
static __u64 forgotten(const struct diff_view *view, unsigned int side)
{
	const struct memlat_status *status = &view->profiles[side]->snap.head.status;

	switch (view->rows->by) {
	case DIFF_BY_FUNCTION:
		return status->sites_evicted;
	case DIFF_BY_LINE:
		return status->lines_evicted;
	default:
		return status->accesses_evicted;
	}
}

/* Both profiles mostly lack the same names. Print such notes once. */
static void print_names_notes(FILE *out, const struct diff_view *view)
{
	char *before = XPRINTED(notes, namer_print_notes(view->namers[DIFF_BEFORE], notes));
	char *after = XPRINTED(notes, namer_print_notes(view->namers[DIFF_AFTER], notes));
	bool same = !strcmp(before, after);

	if (*before)
		fprintf(out, "%s%s", same ? "" : "before:\n", before);
	if (*after && !same)
		fprintf(out, "after:\n%s", after);
	free(before);
	free(after);
}

static void print_below(FILE *out, const struct diff_view *view, size_t shown)
{
	char number[TEXT_NUMBER_MAX], other[TEXT_NUMBER_MAX];
	__u64 before = forgotten(view, DIFF_BEFORE), after = forgotten(view, DIFF_AFTER);

	if (shown < view->rows->nr)
		text_remark(out, view->width, "(%s of %s rows by change of cycles/s; -n 0 shows all)",
			    text_count(number, shown), text_count(other, view->rows->nr));
	if (before || after)
		text_remark(out, view->width, "(%s samples of the first profile and %s of the second are in no row: their rows were evicted)",
			    text_count(number, before), text_count(other, after));
	print_names_notes(out, view);
}

void diff_print(FILE *out, const struct diff_view *view)
{
	struct report_column columns[COLUMNS_MAX];
	struct report report;
	unsigned int side;

	for (side = 0; side < DIFF_SIDES; side++)
		print_side(out, view, side);
	print_notes(out, view);
	for (side = 0; side < DIFF_SIDES; side++)
		if (!view->profiles[side]->snap.head.status.samples) {
			fprintf(out, "%s: ", side_names[side]);
			quality_print_hint(out, &view->profiles[side]->snap.head.status);
		}
	if (!view->rows->nr)
		return;
	print_total(out, view);
	fputc('\n', out);
	report = report_of(view, columns);
	report_print(out, &report, view->width);
	print_below(out, view, report.nr_rows);
}

void diff_csv(FILE *out, const struct diff_view *view)
{
	struct report_column columns[COLUMNS_MAX];
	const struct report report = report_of(view, columns);

	report_csv(out, &report);
}

static struct json_object *side_json(const struct diff_view *view, unsigned int side)
{
	const struct snapshot *snap = &view->profiles[side]->snap;
	struct json_object *object = json_new();

	json_put_text(object, "file", view->paths[side]);
	json_put_text(object, "model", snap->head.model_name);
	quality_put(object, snap);
	json_put_count(object, "cost_cycles", view->rows->all[side].cost);
	json_put_known(object, "rate", timed(view, side), view->rows->all[side].rate);
	json_put_count(object, "hitm", view->rows->all[side].hitm);
	json_put_count(object, "evicted", forgotten(view, side));
	return object;
}

struct json_object *diff_json(const struct diff_view *view)
{
	struct json_object *document = json_view("diff");
	struct report_column columns[COLUMNS_MAX];
	const struct report report = report_of(view, columns);
	unsigned int side;

	json_put_text(document, "by", diff_by_name(view->rows->by));
	json_put_text(document, "unit", "core cycles per second");
	for (side = 0; side < DIFF_SIDES; side++)
		json_put(document, side_names[side], side_json(view, side));
	json_put_count(document, "rows", view->rows->nr);
	json_put(document, report.key, report_json(&report));
	return document;
}
