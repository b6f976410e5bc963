// SPDX-License-Identifier: GPL-2.0
#define _GNU_SOURCE
#include "c2c.h"

#include <stdlib.h>

#include "c2c_pareto.h"
#include "quality.h"

/* The parts that the document is made from. */
struct parts {
	const struct c2c *c2c;
	struct pareto pareto;
	struct stacks stacks;
	size_t entry;		/* next entry of the pareto table */
};

static void put_where(struct json_object *object, const char *key, const char *symbol,
		      const struct c2c *c2c, const struct verdict_party *party, __u64 ip)
{
	if (ip)
		json_put_hex(object, key, ip);
	else
		json_put_null(object, key);
	json_put_text(object, symbol, ip ? c2c_symbol(namer_sampled(c2c->namer, party->pid,
								    party->gen, ip)) : NULL);
}

static struct json_object *party_json(const struct c2c *c2c,
				      const struct verdict_party *party)
{
	struct json_object *object = json_new();

	json_put_count(object, "pid", party->pid);
	json_put_count(object, "tid", party->tid);
	json_put_count(object, "loads", party->loads);
	json_put_count(object, "stores", party->stores);
	json_put_count(object, "hitm", party->hitm);
	json_put_count(object, "cost_cycles", party->cost);
	json_put_bits(object, "bytes_loaded", party->bytes_loaded);
	json_put_bits(object, "bytes_stored", party->bytes_stored);
	json_put_bits(object, "cpus", party->cpus);
	json_put_bits(object, "nodes", party->nodes);
	put_where(object, "load_ip", "load_symbol", c2c, party, party->load_ip);
	put_where(object, "store_ip", "store_symbol", c2c, party, party->store_ip);
	return object;
}

static void put_story(struct json_object *object, const struct c2c *c2c, size_t row)
{
	struct story story = c2c_story(c2c, row);
	char *text;

	/* The story is one paragraph: line ends are added for the terminal. */
	story.utf8 = true;
	text = story_text(&story);
	json_put_text(object, "story", text);
	free(text);
}

static void put_verdict(struct json_object *object, const struct c2c *c2c, size_t row)
{
	const struct verdict_line *verdict;
	struct json_object *parties = json_list();
	size_t i;

	verdict = verdict_of(c2c->verdicts, c2c->lines[row].half);
	json_put_bool(object, "both", verdict->both);
	json_put_bool(object, "unseen_writer", verdict->unseen_writer);
	json_put_count(object, "percent_lock", verdict->locked);
	json_put_count(object, "percent_same_bytes", verdict->same);
	json_put_count(object, "percent_other_bytes", verdict->apart);
	json_put_bool(object, "coarse", verdict->coarse);
	json_put_count(object, "process_lines", c2c->lines[row].line->nr_rows);
	json_put_bool(object, "shared", c2c->lines[row].line->rec->shared != 0);
	for (i = 0; i < verdict->nr_parties; i++)
		json_append(parties, party_json(c2c, &verdict->parties[i]));
	json_put(object, "parties", parties);
	put_story(object, c2c, row);
}

static struct json_object *rows_json(struct parts *parts, size_t line)
{
	const struct report report = pareto_report(&parts->pareto);
	const struct c2c_rows *of = &parts->pareto.lines[line];
	struct json_object *list = json_list();

	for (; parts->entry < parts->pareto.nr_entries; parts->entry++) {
		const struct pareto_entry *entry = &parts->pareto.entries[parts->entry];
		struct json_object *row;

		if (entry->line != line)
			break;
		row = json_new();
		report_put_row(row, &report, parts->entry);
		if (parts->c2c->options.call_graph)
			json_put(row, "stacks", c2c_chains_json(&parts->stacks, of, entry->row));
		json_append(list, row);
	}
	return list;
}

static void put_lines(struct json_object *document, struct parts *parts)
{
	const struct report report = c2c_lines_report(parts->c2c);
	struct json_object *list = json_list();
	size_t i;

	for (i = 0; i < parts->c2c->nr_shown; i++) {
		struct json_object *line = json_new();

		report_put_row(line, &report, i);
		put_verdict(line, parts->c2c, parts->c2c->first + i);
		json_put(line, "rows", rows_json(parts, i));
		json_append(list, line);
	}
	json_put(document, "lines", list);
}

struct json_object *c2c_json(const struct c2c *c2c)
{
	const struct snapshot *snap = &c2c->profile->snap;
	struct json_object *document = quality_document("c2c", snap);
	struct parts parts = { .c2c = c2c };

	json_put_text(document, "unit", "core cycles");
	json_put_count(document, "cost_cycles", c2c->cost);
	json_put_count(document, "lines_shared", c2c->shared.lines);
	json_put_count(document, "lines_shown", c2c->nr_shown);
	json_put_count(document, "line_bytes", lineset_bytes(c2c->set));
	c2c_stats_put(document, c2c);
	if (!c2c->options.stats) {
		pareto_take(&parts.pareto, c2c, false);
		stacks_take(&parts.stacks, snap, c2c->namer);
		put_lines(document, &parts);
		stacks_free(&parts.stacks);
		pareto_free(&parts.pareto);
	}
	return document;
}
