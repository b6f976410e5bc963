// SPDX-License-Identifier: GPL-2.0
#include "summary.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../analysis/node_traffic.h"
#include "../util/command.h"
#include "../util/order.h"
#include "../util/source.h"
#include "../util/text.h"
#include "../util/xalloc.h"
#include "c2c.h"
#include "figures.h"
#include "phases.h"
#include "quality.h"
#include "report.h"
#include "row.h"

#define PARTS	10000	/* shares are exact to that part */

#define THING	(&of->worst[at])
#define WHO(side) (&THING->who[side])
#define CELL(name, ...)	REPORT_CELL(name, struct summary, __VA_ARGS__)
#define OF_CODE(name, side, ...) CELL(name, WHO(side)->code ? __VA_ARGS__ : cell_none())

static struct cell share_cell(double share, bool has)
{
	return cell_ratio(CELL_SHARE, (__u64)(share * PARTS + 0.5), has ? PARTS : 0);
}

CELL(rank, cell_count(at + 1))
CELL(kind, cell_text(THING->fight ? "line" : "code"))
CELL(cost, cell_ratio(CELL_SHARE, THING->cost, of->cost))
CELL(cost_low, share_cell(THING->share.low, THING->cost))
CELL(cost_high, share_cell(THING->share.high, THING->cost))
CELL(of_source, share_cell(THING->of_source, !THING->fight && THING->source))
CELL(verdict, cell_text(THING->fight ? verdict_key(THING->verdict) : NULL))
CELL(sure, cell_ratio(CELL_SHARE, THING->sure, THING->fight && !THING->before ? 100 : 0))
CELL(addr, THING->fight ? cell_number(CELL_HEX, THING->addr) : cell_none())
CELL(line_index, cell_known(THING->fight, THING->index))
OF_CODE(function, 0, cell_text(WHO(0)->code->function ?: WHO(0)->code->raw))
OF_CODE(ip, 0, cell_number(CELL_HEX, WHO(0)->ip))
OF_CODE(pid, 0, cell_count(WHO(0)->pid))
OF_CODE(tid, 0, cell_known(WHO(0)->tid, WHO(0)->tid))
OF_CODE(other_function, 1, cell_text(WHO(1)->code->function ?: WHO(1)->code->raw))
OF_CODE(other_pid, 1, cell_count(WHO(1)->pid))
OF_CODE(other_tid, 1, cell_known(WHO(1)->tid, WHO(1)->tid))

#define CODE(side, member)	REPORT_WORDS_AT(struct summary_thing, who[side].code, member)
#define CODE_LINE(side)		\
	REPORT_NUMBER_AT(CELL_COUNT, struct summary_thing, who[side].code, line), .known = true

static const struct report_column known[] = {
	{ .figure = F_RANK, .get = rank },
	{ "kind", .get = kind },
	{ .figure = F_COST, .get = cost },
	{ "cost_low", .get = cost_low },
	{ "cost_high", .get = cost_high },
	{ .figure = F_LOADS, REPORT_NUMBER(CELL_COUNT, struct summary_thing, loads) },
	{ .figure = F_COST_CYCLES, REPORT_NUMBER(CELL_COUNT, struct summary_thing, cost) },
	{ .figure = F_VERDICT, .get = verdict },
	{ .figure = F_SURE, .get = sure },
	{ .figure = F_DATA_NAME, REPORT_WORDS(struct summary_thing, data) },
	{ "other_data", NULL, REPORT_WORDS(struct summary_thing, beside) },
	{ .figure = F_LINE, .get = addr },
	{ .figure = F_LINE_RANK, .get = line_index },
	{ .figure = F_SERVED_FROM, REPORT_WORDS(struct summary_thing, source) },
	{ "served_from_share", .get = of_source },
	{ .figure = F_FUNCTION_NAME, .get = function },
	{ .figure = F_FILE, CODE(0, file) },
	{ .figure = F_FILE_LINE, CODE_LINE(0) },
	{ .figure = F_MODULE, CODE(0, module) },
	{ .figure = F_IP, .get = ip },
	{ .figure = F_PID, .get = pid },
	{ .figure = F_TID, .get = tid },
	{ "other_function", .get = other_function },
	{ "other_file", NULL, CODE(1, file) },
	{ "other_line", NULL, CODE_LINE(1) },
	{ "other_pid", .get = other_pid },
	{ "other_tid", .get = other_tid },
};

static void worst_table(struct report_table *table, const struct summary *summary)
{
	report_table_begin(table, summary, "worst", NULL, summary->nr_worst, summary->nr_worst);
	table->report.rows = summary->worst;
	report_table_take(table, known, sizeof(known) / sizeof(known[0]));
}

void summary_csv(FILE *out, const struct rows_view *view)
{
	struct report_table table;
	struct summary summary;

	summary_find(&summary, view);
	worst_table(&table, &summary);
	report_csv(out, &table.report);
	summary_free(&summary);
}

static struct json_object *sources_json(const struct summary *summary)
{
	unsigned int rank[MEMLAT_SRC_NR];
	size_t nr = summary_rank_sources(summary->by_source, rank), i;
	struct json_object *list = json_list();
	__u64 all = source_total(summary->by_source);

	for (i = 0; i < nr; i++) {
		struct json_object *source = json_new();

		json_put_text(source, "source", source_name((enum memlat_source)rank[i]));
		json_put_ratio(source, "share", summary->by_source[rank[i]], all);
		json_append(list, source);
	}
	return list;
}

static struct json_object *next_json(const struct summary *summary)
{
	struct json_object *list = json_list();
	struct summary_next next[SUMMARY_NEXT];
	size_t nr = summary_next(summary, next), i;

	for (i = 0; i < nr; i++)
		json_append_text(list, next[i].command);
	summary_next_free(next, nr);
	return list;
}

static struct json_object *traffic_json(const struct traffic *traffic, unsigned int from,
					unsigned int to)
{
	const struct traffic_cell *cell = &traffic->cell[from][to];
	struct json_object *object = json_new();

	json_put_known(object, "from", from != TRAFFIC_UNKNOWN, from);
	json_put_known(object, "to", to != TRAFFIC_UNKNOWN, to);
	json_put_count(object, "loads", cell->loads);
	json_put_count(object, "stores", cell->stores);
	json_put_ratio(object, "cost", cell->cost, traffic->cost);
	json_put_count(object, "cost_cycles", cell->cost);
	return object;
}

/* Which nodes' CPUs use the memory of which nodes; null is a node that is not known. */
static struct json_object *nodes_json(const struct profile *profile)
{
	struct traffic *traffic = xmalloc(sizeof(*traffic));
	struct json_object *list = json_list();
	unsigned int from, to;

	traffic_find(traffic, &profile->snap, profile->history);
	for (from = 0; from <= TRAFFIC_UNKNOWN; from++)
		for (to = 0; to <= TRAFFIC_UNKNOWN; to++) {
			const struct traffic_cell *cell = &traffic->cell[from][to];

			if (cell->loads || cell->stores)
				json_append(list, traffic_json(traffic, from, to));
		}
	free(traffic);
	return list;
}

struct json_object *summary_document(const struct summary *summary)
{
	const struct profile *profile = summary->view->profile;
	struct json_object *document = quality_document("report", &profile->snap);
	const __u64 busy = snapshot_busy(&profile->snap.head.status);
	struct report_table table;

	json_put_text(document, "unit", "core cycles");
	json_put_text(document, "command", profile->command);
	json_put_count(document, "cost_cycles", summary->cost);
	json_put_known(document, "busy_cycles", busy, busy);
	json_put_count(document, "kernel_cost_cycles", summary->kernel);
	json_put_count(document, "loader_cost_cycles", summary->loader);
	json_put_real(document, "effective_loads", summary->effective);
	waits_json(document, &summary->waits);
	json_put(document, "sources", sources_json(summary));
	if (profile->intervals)
		json_put(document, "intervals", phases_json(profile));
	worst_table(&table, summary);
	json_put(document, "worst", report_json(&table.report));
	json_put(document, "nodes", nodes_json(profile));
	json_put(document, "next", next_json(summary));
	return document;
}

struct json_object *summary_json(const struct rows_view *view)
{
	struct json_object *document;
	struct summary summary;

	summary_find(&summary, view);
	document = summary_document(&summary);
	summary_free(&summary);
	return document;
}

/* Columns of a name; a longer one is written without its parameters, and only then shortened. */
#define NAME_WIDTH	48
#define FILE_WIDTH	24
#define FEW_LOADS	200	/* equally heavy samples: with fewer, shares are only rough */
#define FEW_OF		100	/* samples of a thing: with fewer, their number is given */
/*
 * With so many equally heavy loads, a thing with 1 % of the latency is sampled at least once, in 19
 * of 20 recordings ("rule of three").
 */
#define ENOUGH_LOADS	300
#define NEARLY_ALL	0.9	/* of the latency: the rest is not mentioned */
#define SOURCES_SHOWN	6
#define INDENT		"   "

static void put_function(FILE *out, const char *name)
{
	char *text = text_escaped(name), *bare = text_function(text, NAME_WIDTH);
	char *cut = text_shorten(bare, NAME_WIDTH);

	fputs(cut, out);
	fputs(where_call(cut), out);
	free(cut);
	free(bare);
	free(text);
}

static void put_short(FILE *out, const char *bytes, size_t width)
{
	char *text = text_escaped(bytes), *cut = text_shorten_name(text, width);

	fputs(cut, out);
	free(cut);
	free(text);
}

/* "writer_a() (fs.c:12)", "chase+0x41 (chase)", "0x401136" */
static void put_code(FILE *out, const struct summary_code *who)
{
	const struct code_name *code = who->code;
	const char *name = code->function ? code->function : code->raw;

	if (name) {
		put_function(out, name);
	} else {
		fprintf(out, "0x%llx", who->ip);
	}
	if (code->file && code->line) {
		fputs(" (", out);
		put_short(out, text_last_part(code->file), FILE_WIDTH);
		fprintf(out, ":%u)", code->line);
	} else if (code->module) {
		fputs(" (", out);
		put_short(out, code->module, FILE_WIDTH);
		fputc(')', out);
	}
}

static const char *advice(enum verdict verdict)
{
	switch (verdict) {
	case VERDICT_FALSE_SHARING:
		return "Pad or split them, or give each thread a copy.";
	case VERDICT_TRUE_SHARING:
		return "Write it less often, or give each thread a copy.";
	case VERDICT_LOCK:
		return "Take the lock less often, or split what it guards.";
	case VERDICT_READ_MOSTLY:
		return "Write only what changed, or let readers keep a copy.";
	case VERDICT_ADJACENT:
		return "Align what the two threads use to 128 bytes.";
	default:
		return "Who writes it is not known.";
	}
}

char *summary_advice(const struct summary_thing *thing)
{
	if (!thing->beside)
		return xstrdup(advice(thing->verdict));
	return xasprintf("%s is in its line, too, and written by another thread: give each a line of its own, and let each thread keep a copy of what it only reads.",
			 thing->beside);
}

void summary_put_share(FILE *out, const struct summary *summary, const struct summary_thing *thing)
{
	const double share = (double)thing->cost / (double)summary->cost;
	const double error = 100 * fmax(thing->share.high - share, share - thing->share.low);
	char text[TEXT_NUMBER_MAX];

	fprintf(out, "%s %s %.*f of sampled latency",
		text_share(text, thing->cost, summary->cost, 1), text_plus_minus(), error < 1, error);
	if (thing->loads < FEW_OF)
		fprintf(out, " (%llu sample%s)", thing->loads, thing->loads == 1 ? "" : "s");
}

void summary_put_source(FILE *out, const struct summary_thing *thing)
{
	fputs("loads", out);
	if (thing->source && thing->of_source < NEARLY_ALL)
		fprintf(out, ", %.0f%% of their latency", 100 * thing->of_source);
	fprintf(out, " from %s", thing->source ? thing->source : "a place that is not known");
	if (thing->behind)
		fprintf(out, ", mostly from %s", thing->behind);
}

static void put_share(FILE *out, const struct summary *summary, const struct summary_thing *thing)
{
	summary_put_share(out, summary, thing);
	phases_waiting(out, summary->view->profile, thing->cost);
}

/* Two addresses of one source line count as one place. */
static bool same_place(const struct code_name *a, const struct code_name *b)
{
	return a->function && b->function && !strcmp(a->function, b->function) &&
	       a->line == b->line && !order_text(a->file, b->file);
}

static void put_fight(FILE *out, const struct summary *summary, const struct summary_thing *thing)
{
	char *what = summary_advice(thing);
	bool both;

	fprintf(out, "%s of ", verdict_text(thing->verdict));
	if (thing->label)
		put_short(out, thing->label, 3 * NAME_WIDTH / 2);
	else
		fprintf(out, "the line at 0x%llx", thing->addr);
	fputs(": ", out);
	if (thing->cost)
		put_share(out, summary, thing);
	else
		fputs("only stores were sampled, which have no latency", out);
	fputs(". ", out);
	both = thing->who[0].code && thing->who[1].code &&
	       same_place(thing->who[0].code, thing->who[1].code);
	if (thing->who[0].code) {
		put_code(out, &thing->who[0]);
		fprintf(out, " in thread%s %u", both ? "s" : "", thing->who[0].tid);
	}
	if (both) {
		fprintf(out, " and %u", thing->who[1].tid);
	} else if (thing->who[1].code) {
		fputs(" and ", out);
		put_code(out, &thing->who[1]);
		fprintf(out, " in thread %u", thing->who[1].tid);
	}
	if (thing->who[0].code)
		fputs(". ", out);
	text_say(out, "%s", what);
	free(what);
	if (thing->before)
		text_say(out, " Not sure: %s was mapped there before.", thing->before);
	else
		fprintf(out, " Sure: %u%%.", thing->sure);
}

static void put_loads(FILE *out, const struct summary *summary, const struct summary_thing *thing)
{
	char share[TEXT_NUMBER_MAX];

	summary_put_source(out, thing);
	fputs(": ", out);
	put_share(out, summary, thing);
	fputs(". ", out);
	put_code(out, &thing->who[0]);
	if (thing->label) {
		fprintf(out, ", %s of it ", thing->data_cost > thing->cost / 2 ? "most" :
			text_share(share, thing->data_cost, thing->cost, 0));
		put_short(out, thing->label, 3 * NAME_WIDTH / 2);
	}
	fputc('.', out);
}

void summary_put_nothing(FILE *out, const struct summary *summary)
{
	const __u64 loads = summary->view->profile->snap.head.status.loads;

	if (!summary->cost)
		fputs("No line was seen to be fought over.", out);
	else if (summary->effective >= ENOUGH_LOADS && !summary->undecided)
		fputs("No line is fought over, and no source line has 1% of sampled latency.", out);
	else if (summary->effective >= ENOUGH_LOADS)
		fprintf(out, "No source line has 1%% of sampled latency. Whether %s fought over is not decided yet: sample for longer.",
			summary->undecided == 1 ? "a line is" : "lines are");
	else
		fprintf(out, "No source line has 1%% of what was sampled, but %llu load%s, as exact as %.0f equally heavy one%s, cannot rule out that one has: sample %.0f times as long.",
			loads, loads == 1 ? "" : "s", summary->effective,
			summary->effective < 1.5 ? "" : "s",
			ceil(ENOUGH_LOADS / fmax(summary->effective, 1)));
}

static void print_paragraph(FILE *out, const struct summary *summary,
			    void (*put)(FILE *out, const struct summary *summary))
{
	struct prose prose;

	prose_begin(&prose);
	put(prose.out, summary);
	prose_end(&prose, out, summary->view->width, "", INDENT);
}

static void print_worst(FILE *out, const struct summary *summary)
{
	size_t i;

	for (i = 0; i < summary->nr_worst; i++) {
		const struct summary_thing *thing = &summary->worst[i];
		struct prose prose;

		prose_begin(&prose);
		fprintf(prose.out, "%zu. ", i + 1);
		(thing->fight ? put_fight : put_loads)(prose.out, summary, thing);
		prose_end(&prose, out, summary->view->width, "", INDENT);
	}
	if (!summary->nr_worst)
		print_paragraph(out, summary, summary_put_nothing);
}

void summary_put_waiting(FILE *out, const struct summary *summary)
{
	waits_put(out, &summary->waits, &summary->view->profile->snap.head.status);
	fputc('.', out);
}

size_t summary_rank_sources(const __u64 by_source[MEMLAT_SRC_NR], unsigned int rank[MEMLAT_SRC_NR])
{
	unsigned int source, nr = 0, at;

	for (source = 0; source < MEMLAT_SRC_NR; source++) {
		if (!by_source[source])
			continue;
		for (at = nr++; at && by_source[rank[at - 1]] < by_source[source]; at--)
			rank[at] = rank[at - 1];
		rank[at] = source;
	}
	return nr;
}

static void print_sources(FILE *out, const struct summary *summary)
{
	unsigned int rank[MEMLAT_SRC_NR];
	size_t nr = summary_rank_sources(summary->by_source, rank), i;
	__u64 all = source_total(summary->by_source);
	char share[TEXT_NUMBER_MAX];
	struct prose prose;

	if (!nr)
		return;
	prose_begin(&prose);
	fputs("By source:", prose.out);
	/* Those below are 0.0%. */
	for (i = 0; i < nr && i < SOURCES_SHOWN && (!i || summary->by_source[rank[i]] * 2000 >= all); i++)
		fprintf(prose.out, "%s %s %s", i ? "," : "",
			level_source_name((enum memlat_source)rank[i]),
			text_share(share, summary->by_source[rank[i]], all, 1));
	fputs(" of sampled latency", prose.out);
	if (summary->by_source[MEMLAT_SRC_RHITM] || summary->by_source[MEMLAT_SRC_L3_HITM])
		fputs(" (HITM: another core had modified the line)", prose.out);
	fputc('.', prose.out);
	prose_end(&prose, out, summary->view->width, "", INDENT);
}

static bool is_worth(const struct summary *summary, __u64 cost)
{
	return cost && (double)cost >= (double)summary->cost / 100;
}

/* Start-up and page faults are not what the program is for. */
static void put_apart(FILE *out, const struct summary *summary)
{
	char share[TEXT_NUMBER_MAX];

	fputs("Not the program's own:", out);
	if (is_worth(summary, summary->kernel))
		fprintf(out, " %s of sampled latency is the kernel's",
			text_share(share, summary->kernel, summary->cost, 1));
	if (is_worth(summary, summary->loader))
		fprintf(out, is_worth(summary, summary->kernel) ?
			", %s the loader's (ld.so)" : " %s of sampled latency is the loader's (ld.so)",
			text_share(share, summary->loader, summary->cost, 1));
	fputs("; --program leaves it out.", out);
}

static void put_quality(FILE *out, const struct summary *summary)
{
	const struct memlat_status *status = &summary->view->profile->snap.head.status;

	fputs("Quality: ", out);
	quality_print_line(out, status);
	if (summary->effective >= 1 && summary->effective * 2 < fmin((double)status->loads, 2 * FEW_LOADS))
		fprintf(out, " (the loads are as exact as %.0f equally heavy ones: shares are rough)",
			summary->effective);
	else if (status->loads < FEW_LOADS)
		fputs(" (few loads: shares are rough)", out);
	if (status->lines_evicted || status->accesses_evicted)
		fputs(" (rows were evicted: raise --max-memory)", out);
}

size_t summary_next(const struct summary *summary, struct summary_next next[SUMMARY_NEXT])
{
	bool loads = false, fight = false, heap = false;
	size_t i, nr = 0;

	for (i = 0; i < summary->nr_worst; i++) {
		const char *label = summary->worst[i].label;

		heap |= label && (!strncmp(label, "[anon]", 6) || !strncmp(label, "[heap]", 6));
		fight |= summary->worst[i].fight;
		loads |= !summary->worst[i].fight;
	}
	if (summary->view->profile->snap.head.status.flags & MEMLAT_F_STRIDE)
		next[nr++] = (struct summary_next){ command_text("memlat-ctl stride"), "which instructions walk memory in large steps" };
	if (fight)
		next[nr++] = (struct summary_next){ command_text("memlat-ctl c2c"), "who uses which bytes of these lines" };
	if (loads)
		next[nr++] = (struct summary_next){ command_text("memlat-ctl dcache"), "misses by function, source line, instruction" };
	next[nr++] = (struct summary_next){ command_text("memlat-ctl dcache --by data"), "which variables and objects are waited for" };
	/* It reads no tables of the module's. */
	if (summary->nr_worst && !summary->view->profile->live)
		next[nr++] = (struct summary_next){ command_text("memlat-ctl advise"), "what to change" };
	if (heap && !summary->view->profile->heap)
		next[nr++] = (struct summary_next){ command_text("memlat-ctl record --heap -- COMMAND"), "which allocation such memory is" };
	return nr;
}

void summary_next_free(struct summary_next *next, size_t nr)
{
	while (nr)
		free(next[--nr].command);
}

static void print_next(FILE *out, const struct summary *summary)
{
	struct summary_next next[SUMMARY_NEXT];
	size_t nr = summary_next(summary, next), i, widest = 0;

	for (i = 0; i < nr; i++)
		if (text_width(next[i].command) > widest)
			widest = text_width(next[i].command);
	for (i = 0; i < nr; i++) {
		size_t gap = widest - text_width(next[i].command) + 3;

		fprintf(out, "%s %s", i ? "     " : "next:", next[i].command);
		if (6 + widest + 3 + text_width(next[i].why) <= summary->view->width)
			fprintf(out, "%*s%s", (int)gap, "", next[i].why);
		fputc('\n', out);
	}
	summary_next_free(next, nr);
}

void summary_tell(FILE *out, const struct summary *summary)
{
	print_paragraph(out, summary, summary_put_waiting);
	print_sources(out, summary);
	if (is_worth(summary, summary->kernel) || is_worth(summary, summary->loader))
		print_paragraph(out, summary, put_apart);
	phases_print(out, summary->view->profile, summary->view->width);
	print_worst(out, summary);
	print_paragraph(out, summary, put_quality);
	quality_print_narrowed(out, &summary->view->profile->snap.head.status,
			       summary->view->width);
	print_next(out, summary);
}

void summary_print(FILE *out, const struct rows_view *view)
{
	const struct memlat_status *status = &view->profile->snap.head.status;
	struct summary summary;

	if (!status->samples) {
		quality_print_begin(out, status);
		return;
	}
	summary_find(&summary, view);
	summary_tell(out, &summary);
	summary_free(&summary);
}
