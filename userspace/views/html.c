// SPDX-License-Identifier: GPL-2.0
#include "html.h"

#include <stdlib.h>
#include <string.h>

#include "../profile/account.h"
#include "../util/text.h"
#include "../util/version.h"
#include "../util/xalloc.h"
#include "c2c.h"
#include "figures.h"
#include "filter.h"
#include "phases.h"
#include "quality.h"
#include "row.h"
#include "status.h"
#include "summary.h"
#include "views.h"

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

static struct json_object *facts_of(const struct html_view *view)
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
static struct json_object *page_json(const struct html_view *view, const struct summary *summary,
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

static void put_data(FILE *out, const struct html_view *view)
{
	const struct c2c_options options = {
		.display = C2C_COST, .show = LINES, .coalesce = C2C_IADDR, .fold = true,
	};
	const struct summary_view of = { .profile = view->profile, .namer = view->namer };
	struct summary summary;
	struct c2c c2c;
	bool has_lines;

	fputs("<meta name=\"generator\" content=\"memlat-ctl " MEMLAT_VERSION "\">\n", out);
	summary_find(&summary, &of);
	has_lines = !c2c_take(&c2c, view->profile, view->namer, &options);
	put_part(out, "report", summary_document(&summary));
	if (has_lines)
		put_part(out, "c2c", c2c_json(&c2c));
	put_part(out, "buckets", buckets_json(&view->profile->snap));
	put_part(out, "times", html_times(view->profile));
	put_part(out, "flame", html_flame(view));
	put_part(out, "code", html_code(view));
	/* The last one, because its notes are of all names that were asked for. */
	put_part(out, "page", page_json(view, &summary, has_lines ? &c2c : NULL));
	if (has_lines)
		c2c_free(&c2c);
	summary_free(&summary);
}

void html_print(FILE *out, const struct html_view *view)
{
	const char *data = strstr(page, DATA);

	fwrite(page, 1, (size_t)(data - page), out);
	put_data(out, view);
	fputs(data + strlen(DATA), out);
}
