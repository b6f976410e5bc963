// SPDX-License-Identifier: GPL-2.0
#include "summary.h"

#include <stdlib.h>
#include <string.h>

#include "../profile/intervals.h"
#include "../profile/snapshot.h"
#include "../util/source.h"
#include "../util/text.h"
#include "../util/version.h"
#include "../util/xalloc.h"
#include "annotate.h"
#include "c2c.h"
#include "export.h"
#include "figures.h"
#include "filter.h"
#include "phases.h"
#include "quality.h"
#include "row.h"
#include "status.h"
#include "views.h"

/* What a page shows of the code that waits, and of the intervals of a session. */

#define FUNCTIONS	4	/* shown */
#define AROUND		7	/* rows shown before and after a costly one */
#define WORTH_PERCENT	1	/* of its function, or of everything: a cheaper one is not costly */
#define ROWS_MAX	160	/* most rows of a function */

static bool is_worth(__u64 cost, double whole)
{
	return cost && (double)cost >= whole / 100 * WORTH_PERCENT;
}

/* Leave only rows near a costly one. An empty row, without file and text, stands for a gap. */
static void keep_near(struct annotate_function *function)
{
	bool *shown = xcalloc(function->nr_rows, sizeof(*shown));
	struct annotate_row *rows = function->rows;
	size_t i, k, nr = 0;

	for (i = 0; i < function->nr_rows; i++) {
		if (!is_worth(rows[i].sum.cost, (double)function->sum.cost))
			continue;
		for (k = i < AROUND ? 0 : i - AROUND; k <= i + AROUND && k < function->nr_rows; k++)
			shown[k] = true;
	}
	for (i = 0; i < function->nr_rows && nr < ROWS_MAX; i++)
		if (shown[i])
			rows[nr++] = rows[i];
		else if (!i || shown[i - 1])
			rows[nr++] = (struct annotate_row){ 0 };
	if (i < function->nr_rows)
		rows[nr - 1] = (struct annotate_row){ 0 };
	function->nr_rows = nr;
	free(shown);
}

/* As annotate_json(), of the costliest functions, but only what is near a costly instruction. */
static struct json_object *html_code(const struct rows_view *view, const char *sources)
{
	struct json_object *code = NULL;
	const char *changed, *missing;
	struct annotate annotate;
	size_t nr;

	annotate_begin(&annotate, view->profile, view->namer, NULL, sources);
	for (nr = 0; nr < annotate.nr_functions && nr < FUNCTIONS; nr++) {
		if (!is_worth(annotate.functions[nr].sum.cost, annotate.whole.cost.weight))
			break;
		annotate_decode(&annotate, &annotate.functions[nr]);
		keep_near(&annotate.functions[nr]);
	}
	if (nr)
		code = annotate_json(&annotate, nr);
	changed = source_texts_without(annotate.texts, &missing);
	if (code && changed)
		json_put_text(code, "changed", changed);
	annotate_end(&annotate);
	return code;
}

static void append_count(struct json_object *list, __u64 count)
{
	json_append(list, xneed(json_object_new_uint64(count)));
}

/* The loads that samples stand for: a list for each row and source that has any. */
static struct json_object *weights_of(const struct memlat_rec_buckets *buckets)
{
	struct json_object *list = json_list();
	unsigned int row, source;

	for (row = 0; row < MEMLAT_BUCKETS; row++)
		for (source = 0; source < MEMLAT_SRC_NR; source++) {
			struct json_object *cell;

			if (!buckets->weight[row][source])
				continue;
			cell = json_list();
			append_count(cell, row);
			append_count(cell, source);
			append_count(cell, buckets->weight[row][source]);
			json_append(list, cell);
		}
	return list;
}

static struct json_object *html_times(const struct profile *profile)
{
	const struct intervals *intervals = profile->intervals;
	struct json_object *list;
	size_t i;

	if (!intervals || !intervals->nr)
		return NULL;
	list = json_list();
	for (i = 0; i < intervals->nr; i++) {
		const struct snapshot *came = &intervals->at[i].came;
		const struct phase phase = phase_of(&intervals->at[i]);
		struct json_object *object = json_new();
		__u64 sum[MEMLAT_SRC_NR];

		json_put_real(object, "height", phase_height(&phase));
		snapshot_cost_by_source(came, sum);
		json_put_sources(object, "cost_cycles", sum);
		source_sums(came->buckets.count, sum);
		json_put_sources(object, "samples", sum);
		json_put(object, "weights", weights_of(&came->buckets));
		json_append(list, object);
	}
	return list;
}

/* The tree of waited cycles by call chain, for a flame graph. */

#define LEAST_PERCENT	0.15	/* of the whole: a narrower box would be invisible */
#define BOXES_MAX	4000

struct flame {
	const struct export_row **rows;	/* the rows that have any cost, sorted by chain */
	size_t nr;
	__u64 whole;
	unsigned int boxes;
};

/* The name at a depth, outermost first: the process, then its frames. NULL: the chain has ended. */
static const char *name_at(const struct export_row *row, unsigned int depth)
{
	if (!depth)
		return row->process ? row->process : "[evicted]";
	return depth <= row->nr_frames ?
	       export_function(row->frame[row->nr_frames - depth]) : NULL;
}

static int compare_name(const char *one, const char *other)
{
	return one && other ? strcmp(one, other) : !!one - !!other;
}

static int compare(const void *pa, const void *pb)
{
	const struct export_row *const *a = pa, *const *b = pb;
	unsigned int depth;
	int ret = 0;

	for (depth = 0; !ret && (name_at(*a, depth) || name_at(*b, depth)); depth++)
		ret = compare_name(name_at(*a, depth), name_at(*b, depth));
	return ret;
}

/*
 * The boxes of the chains from first to end, which have the same names above this depth. Each is a
 * list: name, cycles that its caller spent before it, its own with its callees', and their boxes.
 */
static struct json_object *level(struct flame *flame, size_t first, size_t end, unsigned int depth)
{
	struct json_object *boxes = json_list();
	__u64 before = 0, sum;
	size_t next;

	for (; first < end; first = next, before += sum) {
		const char *name = name_at(flame->rows[first], depth);
		struct json_object *box;

		sum = 0;
		for (next = first; next < end; next++) {
			if (compare_name(name, name_at(flame->rows[next], depth)))
				break;
			sum += flame->rows[next]->sum.cost;
		}
		if (!name || (double)sum * 100 < LEAST_PERCENT * (double)flame->whole ||
		    flame->boxes++ >= BOXES_MAX)
			continue;
		box = json_list();
		json_append_text(box, name);
		json_append(box, json_object_new_uint64(before));
		json_append(box, json_object_new_uint64(sum));
		json_append(box, level(flame, first, next, depth + 1));
		json_append(boxes, box);
	}
	return boxes;
}

static struct json_object *html_flame(const struct rows_view *view)
{
	struct json_object *object;
	struct flame flame = { 0 };
	struct export export;
	size_t i;

	if (!view->profile->snap.nr_stacks)
		return NULL;
	export_begin(&export, view->profile, view->namer);
	flame.whole = export.total.cost;
	flame.rows = xcalloc(export.nr, sizeof(*flame.rows));
	for (i = 0; i < export.nr; i++)
		if (export.rows[i].sum.cost)
			flame.rows[flame.nr++] = &export.rows[i];
	if (flame.nr)
		qsort(flame.rows, flame.nr, sizeof(*flame.rows), compare);
	object = json_new();
	json_put_count(object, "cycles", flame.whole);
	json_put(object, "boxes", level(&flame, 0, flame.nr, 0));
	json_put_known(object, "most", flame.boxes > BOXES_MAX, BOXES_MAX);
	free(flame.rows);
	export_end(&export);
	return object;
}

#define LINES	10	/* most lines that are drawn */
#define DATA	"<!--DATA-->\n"	/* where the page has its data */

/* The files of page/, joined by page/join. */
static const char page[] =
#include "page.inc"
;

/* Put a document, and free it. NULL: the profile has none. */
static void put_part(FILE *out, const char *name, struct json_object *document)
{
	if (!document)
		return;
	fprintf(out, "<script type=\"application/json\" id=\"told-%s\">", name);
	json_print_script(out, document);
	fputs("</script>\n", out);
}

/* A fact is a list of its name and its text, which is freed. NULL: it is not known. */
static void add_fact(struct json_object *facts, const char *name, char *text)
{
	struct json_object *fact;

	if (!text)
		return;
	fact = json_list();
	json_append_text(fact, name);
	json_append_text(fact, text);
	json_append(facts, fact);
	free(text);
}

static void add_known(struct json_object *facts, const char *name, const char *text)
{
	add_fact(facts, name, text ? xstrdup(text) : NULL);
}

static void add_number(struct json_object *facts, const char *name, __u64 number)
{
	char text[TEXT_NUMBER_MAX];

	add_known(facts, name, number ? text_count(text, number) : NULL);
}

/* Numbers of CPUs may have holes: nothing is known of a CPU that is not there. */
static size_t cpus_there(const struct machine *machine)
{
	size_t i, nr = 0;

	for (i = 0; i < machine->nr_cpus; i++)
		nr += machine->cpu_node[i] >= 0 || machine->cpu_socket[i] >= 0;
	return nr ? nr : machine->nr_cpus;
}

static void add_machine(struct json_object *facts, const struct profile *profile)
{
	const struct machine *machine = &profile->machine;

	add_known(facts, "machine", machine->host);
	add_known(facts, "CPU", machine->cpu);
	add_known(facts, "model", profile->snap.head.model_name);
	add_known(facts, "kernel", machine->kernel);
	add_number(facts, "CPUs", cpus_there(machine));
	add_number(facts, "nodes", machine->nr_nodes);
	add_known(facts, "latencies of levels", machine->edges_measured ?
		  "measured on this machine" : "from a table, not measured on this machine");
}

static void add_session(struct json_object *facts, const struct profile *profile)
{
	const struct memlat_status *status = &profile->snap.head.status;
	const char *broken = account_snapshot_broken(&profile->snap);
	char turns[QUALITY_TURNS_MAX];

	add_fact(facts, "session", XPRINTED(text, quality_print_line(text, status)));
	add_known(facts, "command", profile->command);
	add_number(facts, "sessions merged", profile->nr_sessions > 1 ? profile->nr_sessions : 0);
	add_known(facts, "turns", quality_turns(turns, status) ? turns : NULL);
	add_fact(facts, "left out", selected_own(profile));
	add_fact(facts, "rows", selected_words(snapshot_cost(&profile->snap)));
	add_known(facts, "accounts", broken ? broken : "hold: each record is counted, or reported as lost");
}

static void add_notes(struct json_object *facts, struct namer *namer)
{
	char *notes = XPRINTED(text, namer_print_notes(namer, text)), *rest = notes, *line;

	/* A page is not as wide as the terminal, to which they are wrapped. */
	for (line = notes; (line = strstr(line, "\n ")); )
		*line = ' ';
	while ((line = strsep(&rest, "\n")))
		add_known(facts, "names", *line ? line : NULL);
	free(notes);
}

static struct json_object *facts_of(const struct rows_view *view)
{
	struct json_object *facts = json_list();

	add_session(facts, view->profile);
	add_machine(facts, view->profile);
	add_notes(facts, view->namer);
	return facts;
}

/* The total cost of the shared lines by kind, also of those that are not drawn. */
static struct json_object *fights_of(const struct c2c *c2c)
{
	struct json_object *fights = json_new();
	__u64 cost[VERDICTS] = { 0 };
	enum verdict verdict;
	size_t i;

	for (i = 0; c2c && i < c2c->nr_lines; i++)
		cost[verdict_of(c2c->verdicts, c2c->lines[i].half)->verdict] +=
			c2c->lines[i].rec->cost;
	for (verdict = 0; verdict < VERDICTS; verdict++)
		if (c2c_is_fight(verdict) && cost[verdict])
			json_put_count(fights, verdict_text(verdict), cost[verdict]);
	return fights;
}

static void put_owned(struct json_object *object, const char *key, char *text)
{
	json_put_text(object, key, text);
	free(text);
}

/* What is said of each of the worst in words. */
static struct json_object *words_of(const struct summary *summary)
{
	struct json_object *list = json_list();
	size_t i;

	for (i = 0; i < summary->nr_worst; i++) {
		const struct summary_thing *thing = &summary->worst[i];
		struct json_object *words = json_new();

		json_put_text(words, "data", thing->label);
		if (!thing->fight) {
			put_owned(words, "what", XPRINTED(text, summary_put_source(text, thing)));
			json_put_bool(words, "mostly", thing->data_cost > thing->cost / 2);
		} else {
			put_owned(words, "what", xasprintf("%s of ", verdict_text(thing->verdict)));
			put_owned(words, "advice", summary_advice(thing));
			json_put_text(words, "before", thing->before);
		}
		if (thing->cost)
			put_owned(words, "share", XPRINTED(text, summary_put_share(text, summary, thing)));
		json_append(list, words);
	}
	return list;
}

/* What people call the data and the threads of each line that is drawn. */
static struct json_object *line_words(const struct c2c *c2c)
{
	struct json_object *list = json_list();
	size_t i, k;

	for (i = 0; c2c && i < c2c->nr_shown; i++) {
		const struct verdict_line *verdict = verdict_of(c2c->verdicts, c2c->lines[i].half);
		struct json_object *words = json_new(), *names = json_list();

		for (k = 0; k < verdict->nr_parties; k++) {
			const struct verdict_party *party = &verdict->parties[k];
			const char *name = thread_name(c2c->profile, party->pid, party->gen, party->tid);

			json_append_text(names, name ? name : "");
		}
		json_put_text(words, "data", c2c->lines[i].label);
		json_put(words, "threads", names);
		json_append(list, words);
	}
	return list;
}

static struct json_object *source_names(void)
{
	struct json_object *names = json_new();
	enum memlat_source source;

	for (source = 0; source < MEMLAT_SRC_NR; source++)
		json_put_text(names, source_name(source), level_source_name(source));
	return names;
}

/* What no view prints as JSON: sentences, and a few sums. c2c: NULL: there is no line. */
static struct json_object *page_json(const struct rows_view *view, const struct summary *summary,
				     const struct c2c *c2c)
{
	const struct profile *profile = view->profile;
	const struct memlat_status *status = &profile->snap.head.status;
	const struct report counters = counters_report(status);
	struct json_object *object = json_new();
	char duration[TEXT_NUMBER_MAX];

	json_put_text(object, "title", profile->command ? profile->command :
		      profile->live ? "what the module holds" : "a profile of a machine");
	json_put_text(object, "cpu", profile->machine.cpu ? profile->machine.cpu :
		      profile->snap.head.model_name);
	json_put_text(object, "duration", text_duration(duration, status->duration_ns));
	json_put_count(object, "recorded_at", profile->recorded_at);
	put_owned(object, "waiting", XPRINTED(text, summary_put_waiting(text, summary)));
	put_owned(object, "nothing", XPRINTED(text, summary_put_nothing(text, summary)));
	json_put(object, "fights", fights_of(c2c));
	json_put(object, "worst", words_of(summary));
	json_put(object, "lines", line_words(c2c));
	json_put_count(object, "lines_found", c2c ? c2c->nr_lines : 0);
	json_put_count(object, "lines_shared", c2c ? c2c->shared.sum.nr : 0);
	put_owned(object, "cpus_remark", row_cpus_remark(profile));
	if (profile->intervals && profile->intervals->nr)
		put_owned(object, "highest", XPRINTED(text, phases_highest(text, profile->intervals)));
	json_put(object, "sources", source_names());
	json_put(object, "facts", facts_of(view));
	json_put(object, "counters", report_json(&counters));
	return object;
}

static void put_data(FILE *out, const struct rows_view *view, const char *sources)
{
	const struct c2c_options options = {
		.display = C2C_COST, .show = LINES, .coalesce = C2C_IADDR, .fold = true,
	};
	struct summary summary;
	struct c2c c2c;
	bool has_lines;

	fputs("<meta name=\"generator\" content=\"memlat-ctl " MEMLAT_VERSION "\">\n", out);
	summary_find(&summary, view);
	has_lines = !c2c_take(&c2c, view->profile, view->namer, &options);
	put_part(out, "report", summary_document(&summary));
	if (has_lines)
		put_part(out, "c2c", c2c_json(&c2c));
	put_part(out, "buckets", buckets_json(&view->profile->snap));
	put_part(out, "times", html_times(view->profile));
	put_part(out, "flame", html_flame(view));
	put_part(out, "code", html_code(view, sources));
	/* The last one, because its notes are of all names that were asked for. */
	put_part(out, "page", page_json(view, &summary, has_lines ? &c2c : NULL));
	if (has_lines)
		c2c_free(&c2c);
	summary_free(&summary);
}

void html_print(FILE *out, const struct rows_view *view, const char *sources)
{
	const char *data = strstr(page, DATA);

	fwrite(page, 1, (size_t)(data - page), out);
	put_data(out, view, sources);
	fputs(data + strlen(DATA), out);
}
