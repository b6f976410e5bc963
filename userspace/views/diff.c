// SPDX-License-Identifier: GPL-2.0
#include "diff.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../util/number.h"
#include "../util/order.h"
#include "../util/text.h"
#include "../util/xalloc.h"
#include "figures.h"
#include "quality.h"
#include "report.h"

/* What became of each fight, in words. */

COMPARE_POINTERS(order_places, char, order_text(a, b))

/* ".head", or a whole name if the fight has several objects; "": the object's beginning. */
static const char *field_name(const struct diff_fight *fight, size_t i)
{
	return fight->places.name[i] + (fight->object ? strlen(fight->object) : 0);
}

/* "head and tail" */
static void put_places(FILE *out, struct diff_fight *fight)
{
	size_t i;

	SORT(fight->places.name, fight->places.nr, order_places);
	for (i = 0; i < fight->places.nr; i++) {
		const char *place = field_name(fight, i);

		text_say(out, "%s%s", !i ? "" : i + 1 < fight->places.nr ? ", " : " and ",
			 *place ? place + (*place == '.') : "its beginning");
	}
}

/* known: the object that was told of just before; NULL: none. */
static void put_fight(FILE *out, struct diff_fight *fight, const char *known)
{
	const char *place = field_name(fight, 0);

	if (fight->undecided)
		fputs("a fight over ", out);
	else
		fprintf(out, "%s of ", verdict_text(fight->was ? fight->was : fight->verdict));
	if (!fight->object || (known && !strcmp(known, fight->object) && *place))
		put_places(out, fight);
	else
		text_say(out, "%s%s", fight->object,
			 fight->places.nr == 1 ? place : "");
	fputs(fight->undecided ? ", of a kind that is not decided yet," : "", out);
}

/* "45% ±8 less" */
static void put_change(FILE *out, const struct diff_fight *fight)
{
	const double before = fight->rate[DIFF_BEFORE], more = fight->rate[DIFF_AFTER] - before;

	fprintf(out, "%.0f%% %s%.0f %s", 100 * fabs(more) / before, text_plus_minus(),
		100 * (more < 0 ? fight->change.high - more : more - fight->change.low) / before,
		more < 0 ? "less" : "more");
}

static void put_open(FILE *out, const struct diff_fight *fight)
{
	const bool before = !fight->lines[DIFF_BEFORE];
	const __u64 samples = fight->open[before ? DIFF_BEFORE : DIFF_AFTER].samples.samples;
	const char *side = before ? "before" : "after";

	fprintf(out, " was %s, but ", before ? "found" : "not found again");
	if (!samples)
		fprintf(out, "too few samples %s tell", side);
	else
		fprintf(out, "%llu sample%s of it %s %s not tell", samples, samples == 1 ? "" : "s", side,
			samples == 1 ? "does" : "do");
	fprintf(out, " whether it is %s", before ? "new" : "gone");
	if (fight->longer)
		fprintf(out, ": record %u times as long %s the change", fight->longer, side);
}

static void put_state(FILE *out, const struct diff_fight *fight, const struct diff_rows *rows)
{
	static const char *const words[] = {
		[DIFF_GONE] = "is gone", [DIFF_NEW] = "is new", [DIFF_REMAINS] = "remains",
	};

	if (fight->state == DIFF_OPEN)
		put_open(out, fight);
	else
		fprintf(out, " %s", words[fight->state]);
	if (fight->state != DIFF_REMAINS)
		return;
	if (fight->was)
		fprintf(out, ", now judged as %s", verdict_text(fight->verdict));
	if (fight->was_undecided[DIFF_BEFORE] || fight->was_undecided[DIFF_AFTER])
		fprintf(out, " (not decided %s)", fight->was_undecided[DIFF_BEFORE] ? "before" : "after");
	if (!fight->lines[DIFF_BEFORE] || !fight->lines[DIFF_AFTER])
		return;
	if (!fight->sure) {
		fputs(diff_is_timed(rows) ? ", its change is not significant" : "", out);
		return;
	}
	fputs(", and costs ", out);
	put_change(out, fight);
}

/* Fights of one object that became the same are told together: "true sharing of head and tail". */
static bool alike(const struct diff_fight *a, const struct diff_fight *b)
{
	return a->verdict == b->verdict && a->was == b->was && a->state == b->state &&
	       !memcmp(a->was_undecided, b->was_undecided, sizeof(a->was_undecided)) &&
	       a->object && !order_text(a->object, b->object) && a->apart == b->apart &&
	       !(a->lines[DIFF_BEFORE] && a->state == DIFF_REMAINS);
}

static void diff_fights_tell(FILE *out, const struct diff_fights *fights, const struct diff_rows *rows)
{
	const char *known = NULL;
	bool *told = xcalloc(fights->nr + 1, sizeof(*told));
	size_t i, k;

	for (i = 0; i < fights->nr; i++) {
		struct diff_fight fight = fights->fights[i];

		if (told[i])
			continue;
		for (k = i + 1; k < fights->nr; k++)
			if (!told[k] && alike(&fight, &fights->fights[k])) {
				diff_fight_join(&fight, &fights->fights[k]);
				told[k] = true;
			}
		fputs(known ? "; " : "", out);
		fputs(fight.apart ? "in the kernel, " : "", out);
		put_fight(out, &fight, known);
		put_state(out, &fight, rows);
		known = fight.object ? fight.object : "";
	}
	fputs(known ? "." : "No line is fought over, before or after.", out);
	free(told);
}

static struct json_object *diff_fights_json(const struct diff_fights *fights, const struct diff_rows *rows)
{
	static const char *const states[] = {
		[DIFF_GONE] = "gone", [DIFF_REMAINS] = "remains", [DIFF_NEW] = "new",
		[DIFF_OPEN] = "not_decided",
	};
	struct json_object *list = json_list();
	size_t i, k;

	for (i = 0; i < fights->nr; i++) {
		const struct diff_fight *fight = &fights->fights[i];
		const bool both = fight->lines[DIFF_BEFORE] && fight->lines[DIFF_AFTER] && diff_is_timed(rows);
		struct json_object *object = json_new(), *places = json_list();

		json_put_text(object, "verdict", verdict_key(fight->verdict));
		json_put_text(object, "was", fight->was ? verdict_key(fight->was) : NULL);
		json_put_text(object, "data", fight->object);
		for (k = 0; k < fight->places.nr; k++)
			json_append_text(places, field_name(fight, k));
		json_put(object, "fields", places);
		json_put_bool(object, "kernel", fight->apart);
		json_put_text(object, "state", states[fight->state]);
		json_put_count(object, "lines_before", fight->lines[DIFF_BEFORE]);
		json_put_count(object, "lines_after", fight->lines[DIFF_AFTER]);
		json_put_known_real(object, "change_low", both, fight->change.low);
		json_put_known_real(object, "change_high", both, fight->change.high);
		json_append(list, object);
	}
	return list;
}

#define SHOWN_MAX	200
#define OTHER_WORK	0.1	/* part of the instructions: with less, the work is the same */

static const char *const side_names[DIFF_SIDES] = {
	[DIFF_BEFORE] = "before", [DIFF_AFTER] = "after",
};

const char *const diff_by_names[DIFF_BYS] = {
	[DIFF_BY_VARIABLE] = "variable", [DIFF_BY_FUNCTION] = "function", [DIFF_BY_LINE] = "line",
	[DIFF_BY_TYPE] = "type",
};

static bool timed(const struct diff_view *view, unsigned int side)
{
	return view->rows->per[side] > 0;
}

/* The rows of a table: of all, those from the first on. */
struct shown {
	const struct diff_view *view;
	const struct diff_row *rows;
	struct report_table table;
};

/*
 * The change in percent of all cycles before, with its error towards none: "-36.4% ±7.1" is a change
 * by at least 29.3%.
 */
static void put_percent(FILE *out, const struct diff_row *row, const struct diff_rows *rows)
{
	const double whole = (double)rows->all.rate[DIFF_BEFORE] / 100;
	const double change = (double)row->rate[DIFF_AFTER] - (double)row->rate[DIFF_BEFORE];
	const double error = (change < 0 ? row->change.high - change : change - row->change.low) / whole;

	fprintf(out, "%+.1f%% %s%.*f", change / whole, text_plus_minus(), error < 10, error);
}

static struct cell percent_of(const struct shown *shown, const struct diff_row *row)
{
	const struct diff_rows *rows = shown->view->rows;

	if (!diff_is_timed(rows) || !rows->all.rate[DIFF_BEFORE])
		return cell_none();
	return row->sure ? cell_keep(report_table_room(&shown->table), XPRINTED(out, put_percent(out, row, rows))) :
			   cell_text("not significant");
}

/* An end of the interval: as a change from nothing, which has a sign. */
static struct cell end(const struct diff_rows *rows, double at)
{
	return diff_is_timed(rows) ? (struct cell){
		.kind = CELL_CHANGE, .part = number_whole(at), .whole = number_whole(-at),
	} : cell_none();
}

#define ROW	(&of->rows[at])
#define ROWS	(of->view->rows)
#define BEFORE	(ROW->sum[DIFF_BEFORE])
#define AFTER	(ROW->sum[DIFF_AFTER])
/* A session of no duration has no rate, and so no change. */
#define CELL(name, ...)	REPORT_CELL(name, struct shown, __VA_ARGS__)

CELL(percent, percent_of(of, ROW))
CELL(change, diff_is_timed(ROWS) ? (struct cell){
	.kind = CELL_CHANGE, .part = ROW->rate[DIFF_AFTER], .whole = ROW->rate[DIFF_BEFORE],
} : cell_none())
CELL(low, end(ROWS, ROW->change.low))
CELL(high, end(ROWS, ROW->change.high))
CELL(sure, cell_known(diff_is_timed(ROWS), ROW->sure))
CELL(per, cell_text(ROWS->per_instruction ? "instruction" : "second"))
CELL(apart, cell_count(ROW->apart))
CELL(left, cell_ratio(CELL_SHARE, ROW->rate[DIFF_AFTER], timed(of->view, DIFF_AFTER) ? ROW->rate[DIFF_BEFORE] : 0))
CELL(how, cell_text(data_how_name(ROW->how)))
CELL(rate_before, cell_known(timed(of->view, DIFF_BEFORE), ROW->rate[DIFF_BEFORE]))
CELL(rate_after, cell_known(timed(of->view, DIFF_AFTER), ROW->rate[DIFF_AFTER]))
CELL(cost_before, cell_ratio(CELL_SHARE, BEFORE.cost, ROWS->all.sum[DIFF_BEFORE].cost))
CELL(cost_after, cell_ratio(CELL_SHARE, AFTER.cost, ROWS->all.sum[DIFF_AFTER].cost))

#define ONLY(by)	(1U << DIFF_BY_ ## by)
#define DATA		(ONLY(VARIABLE) | ONLY(LINE))	/* code is all of one kind */
#define ALL		(DATA | ONLY(FUNCTION) | ONLY(TYPE))
#define RATES		"cycles/s"

/* Most figures have two columns: before and after. */
#define BOTH(name, heading) \
	{ ALL, { .key = #name "_before", .title = "before", .group = heading, \
		 .get = name ## _before } }, \
	{ ALL, { .key = #name "_after", .title = "after", .group = heading, \
		 .get = name ## _after } }
#define COUNTS(member, heading) \
	{ ALL, { .key = #member "_before", .title = "before", .group = heading, \
		 REPORT_NUMBER(CELL_COUNT, struct diff_row, sum[DIFF_BEFORE].member) } }, \
	{ ALL, { .key = #member "_after", .title = "after", .group = heading, \
		 REPORT_NUMBER(CELL_COUNT, struct diff_row, sum[DIFF_AFTER].member) } }
#define WORDS(id, heading, kept, member) \
	{ .figure = (id), .title = heading, .left = true, .keep = kept, \
	  REPORT_WORDS(struct diff_row, member) }

/* by: the tables that have the column */
static const struct {
	unsigned int by;
	struct report_column column;
} all[] = {
	{ ALL, { .key = "change", .get = change } },
	{ ALL, { .title = "change", .keep = true, .get = percent } },
	BOTH(rate, RATES),
	{ ALL, { .key = "left", .title = "left", .get = left } },
	{ ONLY(FUNCTION), WORDS(F_FUNCTION_NAME, "function", true, name) },
	{ ONLY(TYPE), WORDS(F_DATA_TYPE, "type", true, name) },
	{ DATA, WORDS(F_DATA_NAME, "variable", true, name) },
	{ ONLY(VARIABLE), WORDS(F_DATA_FIELD, "field", true, field) },
	{ ONLY(LINE), { "data_offset", "line at", true, true, REPORT_WORDS(struct diff_row, field) } },
	BOTH(cost, "cost"),
	COUNTS(hitm, "HITM"),
	COUNTS(samples, "samples"),
	{ ONLY(FUNCTION), WORDS(F_MODULE, "module", false, module) },
	{ DATA | ONLY(TYPE), WORDS(F_DATA_MODULE, "module", false, module) },
	{ DATA, WORDS(F_DATA_KIND, "kind", false, kind) },
	{ DATA, { .figure = F_DATA_HOW, .get = how } },
	{ ALL, { .key = "change_low", .get = low } },
	{ ALL, { .key = "change_high", .get = high } },
	{ ALL, { .key = "significant", .get = sure } },
	{ ALL, { .key = "per", .get = per } },
	{ ALL, { .key = "apart", .get = apart } },
};

/* shown: its rows and a view are set. It must not move. */
static void table_of(struct shown *shown, size_t nr_rows)
{
	const struct diff_rows *rows = shown->view->rows;
	size_t i;

	report_table_begin(&shown->table, shown, "changes", NULL, nr_rows, nr_rows);
	shown->table.report.rows = shown->rows;
	for (i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		struct report_column *column;

		if (!(all[i].by >> rows->by & 1))
			continue;
		column = report_table_add(&shown->table, all[i].column);
		if (column->group && !strcmp(column->group, RATES) && rows->per_instruction)
			column->group = "cycles/M instr";
	}
}

/* All rows, for programs. */
static const struct report *all_rows(struct shown *shown, const struct diff_view *view)
{
	*shown = (struct shown){ .view = view, .rows = view->rows->rows };
	table_of(shown, report_limit(view->show, view->rows->nr));
	return &shown->table.report;
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

/*
 * A program that does the same with fewer instructions may take longer for each of them. So tell what
 * the whole run took, too.
 */
static void put_work(FILE *out, const struct diff_rows *rows)
{
	const double more = rows->per[DIFF_AFTER] / rows->per[DIFF_BEFORE] - 1;
	const struct share cost[DIFF_SIDES] = {
		rows->all.share[DIFF_BEFORE], rows->all.share[DIFF_AFTER],
	};
	const double before = cost[DIFF_BEFORE].weight, change = cost[DIFF_AFTER].weight - before;
	struct share_interval interval;

	if (!rows->per_instruction || fabs(more) < OTHER_WORK || !(before > 0))
		return;
	interval = share_change(cost, (double[]){ rows->unit[DIFF_BEFORE] * rows->per[DIFF_BEFORE],
						  rows->unit[DIFF_AFTER] * rows->per[DIFF_AFTER] });
	fprintf(out, " It executed %.0f%% %s instructions; in all, ", 100 * fabs(more), more < 0 ? "fewer" : "more");
	if (interval.low > 0 || interval.high < 0)
		fprintf(out, "loads took %.0f%% %s%.0f %s cycles.", 100 * fabs(change) / before, text_plus_minus(),
			100 * (change < 0 ? interval.high - change : change - interval.low) / before,
			change < 0 ? "fewer" : "more");
	else
		fputs("the change is not significant.", out);
}

static void put_total(FILE *out, const struct diff_rows *rows)
{
	const __u64 before = rows->all.rate[DIFF_BEFORE], after = rows->all.rate[DIFF_AFTER];
	char number[TEXT_NUMBER_MAX], other[TEXT_NUMBER_MAX];

	fprintf(out, " Cycles that loads took per %s: %s before, %s after",
		rows->per_instruction ? "million instructions" : "second", text_count(number, before),
		text_count(other, after));
	if (before && rows->all.sure) {
		fputs(": ", out);
		put_percent(out, &rows->all, rows);
	} else if (before) {
		fputs(": the change is not significant", out);
	}
	fputc('.', out);
	put_work(out, rows);
}

/* The answer, in words. */
static void print_answer(FILE *out, const struct diff_view *view)
{
	struct prose prose;

	prose_begin(&prose);
	diff_fights_tell(prose.out, view->fights, view->rows);
	if (diff_is_timed(view->rows))
		put_total(prose.out, view->rows);
	prose_end(&prose, out, view->width, "", "");
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

/* What rows that are not shown add up to. */
static void print_few(FILE *out, const struct diff_view *view, const struct diff_row *rows, size_t nr)
{
	char number[TEXT_NUMBER_MAX], share[DIFF_SIDES][TEXT_NUMBER_MAX];
	__u64 cost[DIFF_SIDES] = { 0 };
	unsigned int side;
	size_t i;

	for (side = 0; side < DIFF_SIDES; side++) {
		for (i = 0; i < nr; i++)
			cost[side] += rows[i].sum[side].cost;
		text_share(share[side], cost[side], view->rows->all.sum[side].cost, 1);
	}
	if (nr)
		text_remark(out, view->width, "(%s row%s%s of fewer than %d samples: %s of the cost before, %s after; -n 0 shows all)",
			    text_count(number, nr), nr == 1 ? "" : "s",
			    rows->apart ? " of the kernel and the loader" : "", DIFF_FEW,
			    share[DIFF_BEFORE], share[DIFF_AFTER]);
}

/* A table of the program's rows, or of those that are apart. */
static void print_rows(FILE *out, const struct diff_view *view, const struct diff_row *rows,
		       size_t nr)
{
	struct shown shown = { .view = view, .rows = rows };
	char number[TEXT_NUMBER_MAX], other[TEXT_NUMBER_MAX];
	size_t told = nr, limit;

	while (view->show && told && diff_is_few(&rows[told - 1]))
		told--;
	limit = report_limit(view->show, told);
	if (limit) {
		fputs(rows->apart ? "\nThe kernel and the loader (ld.so)\n" : "\n", out);
		table_of(&shown, limit);
		report_print(out, &shown.table.report, view->width);
	}
	if (limit < told)
		text_remark(out, view->width, "(%s of %s rows by change; -n 0 shows all)",
			    text_count(number, limit), text_count(other, told));
	print_few(out, view, rows + told, nr - told);
}

static void print_below(FILE *out, const struct diff_view *view)
{
	char number[TEXT_NUMBER_MAX], other[TEXT_NUMBER_MAX];
	__u64 before = forgotten(view, DIFF_BEFORE), after = forgotten(view, DIFF_AFTER);

	if (before || after)
		text_remark(out, view->width, "(%s samples of the first profile and %s of the second are in no row: their rows were evicted)",
			    text_count(number, before), text_count(other, after));
	print_names_notes(out, view);
}

void diff_print(FILE *out, const struct diff_view *view)
{
	const struct diff_rows *rows = view->rows;
	unsigned int side;

	if (rows->nr)
		print_answer(out, view);
	for (side = 0; side < DIFF_SIDES; side++)
		print_side(out, view, side);
	print_notes(out, view);
	for (side = 0; side < DIFF_SIDES; side++)
		if (!view->profiles[side]->snap.head.status.samples) {
			fprintf(out, "%s: ", side_names[side]);
			quality_print_hint(out, &view->profiles[side]->snap.head.status);
		}
	if (!rows->nr)
		return;
	if (rows->nr_program)
		print_rows(out, view, rows->rows, rows->nr_program);
	if (rows->nr_program < rows->nr)
		print_rows(out, view, rows->rows + rows->nr_program, rows->nr - rows->nr_program);
	print_below(out, view);
}

void diff_csv(FILE *out, const struct diff_view *view)
{
	struct shown shown;

	report_csv(out, all_rows(&shown, view));
}

static struct json_object *side_json(const struct diff_view *view, unsigned int side)
{
	const struct snapshot *snap = &view->profiles[side]->snap;
	struct json_object *object = json_new();

	json_put_text(object, "file", view->paths[side]);
	json_put_text(object, "model", snap->head.model_name);
	quality_put(object, snap);
	json_put_count(object, "cost_cycles", view->rows->all.sum[side].cost);
	json_put_known(object, "rate", timed(view, side), view->rows->all.rate[side]);
	json_put_count(object, "hitm", view->rows->all.sum[side].hitm);
	json_put_count(object, "evicted", forgotten(view, side));
	return object;
}

struct json_object *diff_json(const struct diff_view *view)
{
	struct json_object *document = json_view("diff");
	struct shown shown;
	const struct report *report = all_rows(&shown, view);
	unsigned int side;

	json_put_text(document, "by", diff_by_names[view->rows->by]);
	json_put_text(document, "unit", view->rows->per_instruction ?
		      "core cycles per million instructions" : "core cycles per second");
	for (side = 0; side < DIFF_SIDES; side++)
		json_put(document, side_names[side], side_json(view, side));
	json_put(document, "verdicts", diff_fights_json(view->fights, view->rows));
	json_put_count(document, "rows", view->rows->nr);
	json_put(document, report->key, report_json(report));
	return document;
}
