// SPDX-License-Identifier: GPL-2.0
/* The answer on one screen, as JSON and CSV. */
#include "../analysis/node_traffic.h"
#include "../util/source.h"
#include "../util/xalloc.h"
#include "figures.h"
#include "phases.h"
#include "quality.h"
#include "report.h"
#include "summary.h"

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

struct json_object *summary_json(const struct summary_view *view)
{
	struct json_object *document;
	struct summary summary;

	summary_find(&summary, view);
	document = summary_document(&summary);
	summary_free(&summary);
	return document;
}
