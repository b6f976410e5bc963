// SPDX-License-Identifier: GPL-2.0
/* Cards with the main figures, then the worst problems in words. */
#include <stdlib.h>

#include "../util/number.h"
#include "../util/source.h"
#include "../util/text.h"
#include "../util/xalloc.h"
#include "html.h"
#include "levels.h"
#include "row.h"

#define SOURCES		3	/* most sources that get a card */

void html_put_code(FILE *out, const struct code_name *code, __u64 ip)
{
	const char *name = code->function ? code->function : code->raw;

	fputs("<code>", out);
	if (name) {
		html_text(out, name);
		fputs(where_call(name), out);
	} else {
		fprintf(out, "0x%llx", ip);
	}
	fputs("</code>", out);
	if (code->file && code->line) {
		fputs(" (", out);
		html_text(out, text_last_part(code->file));
		fprintf(out, ":%u)", code->line);
	} else if (code->module) {
		fputs(" (", out);
		html_text(out, code->module);
		fputs(")", out);
	}
}

static void put_card(FILE *out, const char *class, const char *title, __u64 part, __u64 whole)
{
	char share[TEXT_NUMBER_MAX];

	fprintf(out, "<div class=\"card %s\"><b>%s</b><span>", class,
		text_share(share, part, whole, 1));
	html_text(out, title);
	fprintf(out, "</span><i style=\"width:%.2f%%\"></i></div>\n", html_percent(part, whole));
}

/* Print the total cost of the shared lines by kind, also of those that are not drawn. */
static void put_fights(FILE *out, const struct html_page *page)
{
	__u64 cost[VERDICTS] = { 0 };
	const struct c2c *c2c = &page->c2c;
	enum verdict verdict;
	char *title;
	size_t i;

	for (i = 0; page->has_lines && i < c2c->nr_lines; i++)
		cost[verdict_of(c2c->verdicts, c2c->lines[i].half)->verdict] +=
			c2c->lines[i].rec->cost;
	for (verdict = 0; verdict < VERDICTS; verdict++) {
		if (!c2c_is_fight(verdict) || !cost[verdict])
			continue;
		title = xasprintf("of sampled latency: %s", verdict_text(verdict));
		put_card(out, "bad", title, cost[verdict], page->summary.cost);
		free(title);
	}
}

static void put_cards(FILE *out, const struct html_page *page)
{
	const struct summary *summary = &page->summary;
	const __u64 all = source_total(summary->by_source);
	unsigned int rank[MEMLAT_SRC_NR];
	size_t nr = summary_rank_sources(summary->by_source, rank), i;
	char *title;

	fputs("<div class=\"cards\">\n", out);
	if (summary->waits.why == WAITS_COUNTED)
		put_card(out, "", "of busy cycles wait for memory", number_whole(summary->waits.high * 1e6),
			 1000000);
	else if (summary->waits.high < 1)
		put_card(out, "", "of busy cycles wait for memory at most",
			 number_whole(summary->waits.high * 1e6), 1000000);
	put_fights(out, page);
	for (i = 0; i < nr && i < SOURCES; i++) {
		title = xasprintf("of sampled latency: %s",
				  level_source_name((enum memlat_source)rank[i]));
		put_card(out, "", title, summary->by_source[rank[i]], all);
		free(title);
	}
	fputs("</div>\n", out);
}

static void put_who(FILE *out, const struct summary_code who[2])
{
	int i;

	for (i = 0; i < 2 && who[i].code; i++) {
		fputs(i ? " and " : ". ", out);
		html_put_code(out, who[i].code, who[i].ip);
		if (who[i].tid)
			fprintf(out, " in thread %u", who[i].tid);
	}
}

static void put_share(FILE *out, const struct summary *summary, const struct summary_thing *thing)
{
	fputs(": <b>", out);
	summary_put_share(out, summary, thing);
	fputs("</b>", out);
}

static void put_thing(FILE *out, const struct summary *summary, const struct summary_thing *thing)
{
	fputs("<li>", out);
	if (thing->fight)
		html_say(out, "%s of ", verdict_text(thing->verdict));
	else
		summary_put_source(out, thing);
	if (thing->label) {
		fputs(thing->fight ? "<code>" : thing->data_cost > thing->cost / 2 ?
		      ", of <code>" : ", among others of <code>", out);
		html_text(out, thing->label);
		fputs("</code>", out);
	} else if (thing->fight) {
		fprintf(out, "the line at 0x%llx", thing->addr);
	}
	if (thing->cost)
		put_share(out, summary, thing);
	else
		fputs(": only stores were sampled, which have no latency", out);
	put_who(out, thing->who);
	fputs(". ", out);
	if (thing->fight) {
		char *advice = summary_advice(thing);

		if (thing->before)
			html_say(out, "%s Not sure: %s was mapped there before.", advice, thing->before);
		else
			html_say(out, "%s Sure: %u%%.", advice, thing->sure);
		free(advice);
	}
	fputs("</li>\n", out);
}

void html_answer(FILE *out, const struct html_page *page)
{
	const struct summary *summary = &page->summary;
	char *waiting = XPRINTED(text, summary_put_waiting(text, summary));
	size_t i;

	put_cards(out, page);
	fputs("<p>", out);
	html_text(out, waiting);
	free(waiting);
	fputs("</p>\n", out);
	if (!summary->nr_worst) {
		fputs("<p>", out);
		summary_put_nothing(out, summary);
		fputs("</p>\n", out);
		return;
	}
	fputs("<ol>\n", out);
	for (i = 0; i < summary->nr_worst; i++)
		put_thing(out, summary, &summary->worst[i]);
	fputs("</ol>\n", out);
}
