// SPDX-License-Identifier: GPL-2.0
/* The answer on one screen, as JSON and CSV. */
#include "../analysis/node_traffic.h"
#include "../util/source.h"
#include "../util/xalloc.h"
#include "phases.h"
#include "quality.h"
#include "report.h"
#include "summary.h"

#define PARTS	10000	/* shares are exact to that part */

enum which {
	W_RANK, W_KIND, W_COST, W_COST_LOW, W_COST_HIGH, W_LOADS, W_COST_CYCLES, W_VERDICT, W_SURE,
	W_DATA, W_ADDR, W_LINE_INDEX,
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

struct json_object *summary_json(const struct summary_view *view)
{
	struct json_object *document = quality_document("report", &view->profile->snap);
	const __u64 busy = snapshot_busy(&view->profile->snap.head.status);
	struct report_table table;
	struct summary summary;

	summary_find(&summary, view);
	json_put_text(document, "unit", "core cycles");
	json_put_text(document, "command", view->profile->command);
	json_put_count(document, "cost_cycles", summary.cost);
	json_put_known(document, "busy_cycles", busy, busy);
	json_put_count(document, "kernel_cost_cycles", summary.kernel);
	json_put_count(document, "loader_cost_cycles", summary.loader);
	json_put_real(document, "effective_loads", summary.effective);
	waits_json(document, &summary.waits);
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
