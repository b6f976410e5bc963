// SPDX-License-Identifier: GPL-2.0
#include "summary.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../analysis/node_traffic.h"
#include "../profile/imported.h"
#include "../util/order.h"
#include "../util/source.h"
#include "../util/text.h"
#include "../util/xalloc.h"
#include "c2c.h"
#include "levels.h"
#include "phases.h"
#include "prose.h"
#include "quality.h"
#include "report.h"
#include "summary_find.h"
#include "where.h"

/* Columns of a name; a longer one is written without its parameters, and only then shortened. */
#define NAME_WIDTH	48
#define FILE_WIDTH	24
#define LITTLE_PERCENT	5	/* of busy cycles: below it, memory is hardly the problem */
#define FEW_LOADS	200	/* equally heavy samples: with fewer, shares are only rough */
#define FEW_OF		100	/* samples of a thing: with fewer, their number is given */
/*
 * With so many equally heavy loads a thing with 1 % of the latency is sampled at least once, 19 of 20
 * times ("rule of three").
 */
#define ENOUGH_LOADS	300
#define NEARLY_ALL	0.9	/* of the latency: the rest is not mentioned */
#define SOURCES_SHOWN	6
#define PARTS		10000	/* shares in JSON and CSV are exact to that part */
#define INDENT		"   "

/* Write a long name of C++ or Rust without its parameters and template arguments. */
static void put_function(FILE *out, const char *name)
{
	char *text = text_escaped(name), *at, *to = text, *cut;
	int depth = 0;

	if (strlen(text) > NAME_WIDTH && *text != '<') {
		for (at = text; *at && (depth || *at != '('); at++) {
			depth -= *at == '>' && depth;
			if (!depth)
				*to++ = *at;
			depth += *at == '<' && strncmp(at, "<<", 2) && at > text && at[-1] != '<';
		}
		*to = '\0';
	}
	cut = text_shorten(text, NAME_WIDTH);
	fputs(cut, out);
	fputs(where_call(cut), out);
	free(cut);
	free(text);
}

static void put_short(FILE *out, const char *bytes, size_t width)
{
	char *text = text_escaped(bytes), *cut = text_shorten(text, width);

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

const char *summary_advice(enum verdict verdict)
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
}

static void put_share(FILE *out, const struct summary *summary, const struct summary_thing *thing)
{
	summary_put_share(out, summary, thing);
	phases_waiting(out, &summary->view->profile->snap, thing->cost);
}

/* Two addresses of one source line count as one place. */
static bool same_place(const struct code_name *a, const struct code_name *b)
{
	return a->function && b->function && !strcmp(a->function, b->function) &&
	       a->line == b->line && !order_text(a->file, b->file);
}

static void put_fight(FILE *out, const struct summary *summary, const struct summary_thing *thing)
{
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
	fputs(summary_advice(thing->verdict), out);
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

/* If loads overlap each other, the true waiting time is less than this, never more. */
void summary_put_waiting(FILE *out, const struct summary *summary)
{
	const struct memlat_status *status = &summary->view->profile->snap.head.status;
	char share[TEXT_NUMBER_MAX];

	if (!summary->cost && status->loads)
		fputs("Nothing is known of latency: it is not recorded of these loads", out);
	else if (!summary->cost)
		fputs("Nothing is known of latency: no load was sampled", out);
	else if (!summary->busy && imported(status))
		fputs("How much of the time loads wait is not known: perf did not count busy cycles", out);
	else if (!summary->busy)
		fputs("How much of the time loads wait is not known: busy cycles were not counted (--period was given)",
		      out);
	else if (summary->estimate > summary->busy)
		fprintf(out, "Memory may be all that the CPUs wait for: %.1f loads wait at once on average while they are busy, by estimate",
			(double)summary->estimate / (double)summary->busy);
	else
		fprintf(out, "At most %s of the CPUs' busy cycles wait for memory, by estimate%s",
			text_share(share, summary->estimate, summary->busy, 1),
			(double)summary->estimate * 100 < (double)summary->busy * LITTLE_PERCENT ?
			": memory is hardly the problem" : "");
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
	for (i = 0; i < nr && i < SOURCES_SHOWN; i++)
		fprintf(prose.out, "%s %s %s", i ? "," : "",
			level_source_name((enum memlat_source)rank[i]),
			text_share(share, summary->by_source[rank[i]], all, 1));
	fputs(" of sampled latency", prose.out);
	if (summary->by_source[MEMLAT_SRC_RHITM] || summary->by_source[MEMLAT_SRC_L3_HITM])
		fputs(" (HITM: another core had modified the line)", prose.out);
	fputc('.', prose.out);
	prose_end(&prose, out, summary->view->width, "", INDENT);
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

struct next {
	char *command;
	const char *why;
};

#define NEXT_MAX	4

static char *command_of(const struct summary *summary, const char *words)
{
	const char *file = summary->view->file, *time = summary->view->time;
	char *name = file ? text_word(file) : NULL, *command;

	command = name ? xasprintf("memlat-ctl %s -i %s%s%s", words, name, time ? " --time " : "",
				   time ? time : "") :
			 xasprintf("memlat-ctl %s", words);
	free(name);
	return command;
}

static size_t next_find(const struct summary *summary, struct next next[NEXT_MAX])
{
	bool loads = false, fight = false;
	size_t i, nr = 0;

	for (i = 0; i < summary->nr_worst; i++) {
		fight |= summary->worst[i].fight;
		loads |= !summary->worst[i].fight;
	}
	if (summary->view->profile->snap.head.status.flags & MEMLAT_F_STRIDE)
		next[nr++] = (struct next){ command_of(summary, "stride"), "which instructions walk memory in large steps" };
	if (fight)
		next[nr++] = (struct next){ command_of(summary, "c2c"), "who uses which bytes of these lines" };
	if (loads)
		next[nr++] = (struct next){ command_of(summary, "dcache"), "misses by function, source line, instruction" };
	next[nr++] = (struct next){ command_of(summary, "data"), "which variables and objects are waited for" };
	return nr;
}

static void next_free(struct next *next, size_t nr)
{
	while (nr)
		free(next[--nr].command);
}

static void print_next(FILE *out, const struct summary *summary)
{
	struct next next[NEXT_MAX];
	size_t nr = next_find(summary, next), i, widest = 0;

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
	next_free(next, nr);
}

void summary_tell(FILE *out, const struct summary *summary)
{
	print_paragraph(out, summary, summary_put_waiting);
	print_sources(out, summary);
	phases_print(out, summary->view->profile, summary->view->width);
	print_worst(out, summary);
	print_paragraph(out, summary, put_quality);
	quality_print_narrowed(out, &summary->view->profile->snap.head.status,
			       summary->view->width);
	print_next(out, summary);
}

void summary_print(FILE *out, const struct summary_view *view)
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

enum which {
	W_RANK, W_KIND, W_COST, W_COST_LOW, W_COST_HIGH, W_LOADS, W_COST_CYCLES, W_VERDICT, W_SURE, W_DATA, W_ADDR, W_LINE_INDEX,
	W_SOURCE, W_OF_SOURCE, W_FUNCTION, W_FILE, W_LINE, W_MODULE, W_IP, W_PID, W_TID,
	W_OTHER_FUNCTION, W_OTHER_FILE, W_OTHER_LINE, W_OTHER_PID, W_OTHER_TID, W_NR
};

#define CODE(side, member)	REPORT_WORDS_AT(struct summary_thing, who[side].code, member)
#define CODE_LINE(side)		\
	REPORT_NUMBER_AT(CELL_COUNT, struct summary_thing, who[side].code, line), .known = true

static const struct report_column known[W_NR] = {
	[W_RANK]	= { "rank", NULL },
	[W_KIND]	= { "kind", NULL },
	[W_COST]	= { "cost", NULL },
	[W_COST_LOW]	= { "cost_low", NULL },
	[W_COST_HIGH]	= { "cost_high", NULL },
	[W_LOADS]	= { "loads", NULL, REPORT_NUMBER(CELL_COUNT, struct summary_thing, loads) },
	[W_COST_CYCLES]	= { "cost_cycles", NULL,
			    REPORT_NUMBER(CELL_COUNT, struct summary_thing, cost) },
	[W_VERDICT]	= { "verdict", NULL },
	[W_SURE]	= { "sure", NULL },
	[W_DATA]	= { "data", NULL, REPORT_WORDS(struct summary_thing, data) },
	[W_ADDR]	= { "addr", NULL },
	[W_LINE_INDEX]	= { "c2c_line", NULL },
	[W_SOURCE]	= { "served_from", NULL, REPORT_WORDS(struct summary_thing, source) },
	[W_OF_SOURCE]	= { "served_from_share", NULL },
	[W_FUNCTION]	= { "function", NULL },
	[W_FILE]	= { "file", NULL, CODE(0, file) },
	[W_LINE]	= { "line", NULL, CODE_LINE(0) },
	[W_MODULE]	= { "module", NULL, CODE(0, module) },
	[W_IP]		= { "ip", NULL },
	[W_PID]		= { "pid", NULL },
	[W_TID]		= { "tid", NULL },
	[W_OTHER_FUNCTION] = { "other_function", NULL },
	[W_OTHER_FILE]	= { "other_file", NULL, CODE(1, file) },
	[W_OTHER_LINE]	= { "other_line", NULL, CODE_LINE(1) },
	[W_OTHER_PID]	= { "other_pid", NULL },
	[W_OTHER_TID]	= { "other_tid", NULL },
};

static struct cell code_cell(const struct summary_code *who, enum which which)
{
	const struct code_name *code = who->code;

	if (!code)
		return cell_none();
	switch (which) {
	case W_FUNCTION:
		return cell_text(code->function ? code->function : code->raw);
	case W_IP:
		return cell_number(CELL_HEX, who->ip);
	case W_PID:
		return cell_count(who->pid);
	default:
		return cell_known(who->tid, who->tid);
	}
}

static struct cell share_cell(double share, bool has)
{
	return cell_ratio(CELL_SHARE, (__u64)(share * PARTS + 0.5), has ? PARTS : 0);
}

static struct cell cell(const void *context, size_t row, unsigned int which)
{
	const struct summary *summary = context;
	const struct summary_thing *thing = &summary->worst[row];

	switch ((enum which)which) {
	case W_RANK:
		return cell_count(row + 1);
	case W_KIND:
		return cell_text(thing->fight ? "line" : "code");
	case W_COST:
		return cell_ratio(CELL_SHARE, thing->cost, summary->cost);
	case W_COST_LOW:
		return share_cell(thing->share.low, thing->cost);
	case W_COST_HIGH:
		return share_cell(thing->share.high, thing->cost);
	case W_OF_SOURCE:
		return share_cell(thing->of_source, !thing->fight && thing->source);
	case W_VERDICT:
		return cell_text(thing->fight ? verdict_key(thing->verdict) : NULL);
	case W_SURE:
		return cell_ratio(CELL_SHARE, thing->sure, thing->fight && !thing->before ? 100 : 0);
	case W_ADDR:
		return thing->fight ? cell_number(CELL_HEX, thing->addr) : cell_none();
	case W_LINE_INDEX:
		return cell_known(thing->fight, thing->index);
	case W_OTHER_FUNCTION:
		return code_cell(&thing->who[1], W_FUNCTION);
	case W_OTHER_PID:
		return code_cell(&thing->who[1], W_PID);
	case W_OTHER_TID:
		return code_cell(&thing->who[1], W_TID);
	default:
		return code_cell(&thing->who[0], which);
	}
}

static void worst_table(struct report_table *table, const struct summary *summary)
{
	report_table_begin(table, summary, "worst", NULL, summary->nr_worst, summary->nr_worst);
	table->report.rows = summary->worst;
	report_table_take(table, known, W_NR, cell);
}

void summary_csv(FILE *out, const struct summary_view *view)
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
	struct next next[NEXT_MAX];
	size_t nr = next_find(summary, next), i;

	for (i = 0; i < nr; i++)
		json_append_text(list, next[i].command);
	next_free(next, nr);
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

struct json_object *summary_json(const struct summary_view *view)
{
	struct json_object *document = quality_document("report", &view->profile->snap);
	struct report_table table;
	struct summary summary;

	summary_find(&summary, view);
	json_put_text(document, "unit", "core cycles");
	json_put_text(document, "command", view->profile->command);
	json_put_count(document, "cost_cycles", summary.cost);
	json_put_known(document, "busy_cycles", summary.busy, summary.busy);
	json_put_real(document, "effective_loads", summary.effective);
	json_put_ratio(document, "waiting", summary.estimate, summary.busy);
	json_put(document, "sources", sources_json(&summary));
	if (view->profile->intervals)
		json_put(document, "intervals", phases_json(view->profile));
	worst_table(&table, &summary);
	json_put(document, "worst", report_json(&table.report));
	json_put(document, "nodes", nodes_json(view->profile));
	json_put(document, "next", next_json(&summary));
	summary_free(&summary);
	return document;
}
