// SPDX-License-Identifier: GPL-2.0
#include "phases.h"
#include "top.h"

#include "../util/source.h"
#include "quality.h"

static struct json_object *sources_json(const struct top_interval *interval)
{
	struct json_object *object = json_new();
	const __u64 all = source_total(interval->by_source);
	unsigned int source;

	for (source = 0; source < MEMLAT_SRC_NR; source++)
		json_put_ratio(object, source_name((enum memlat_source)source),
			       interval->by_source[source], all);
	return object;
}

struct json_object *top_json(const struct top_screen *screen, const struct top_interval *interval,
			     size_t show)
{
	const struct snapshot *snap = &interval->profile->snap;
	struct json_object *document = quality_document("top", snap);
	struct top_rows rows;

	top_rows_find(&rows, interval, screen->by, screen->order, screen->filter);
	json_put_text(document, "unit", "core cycles");
	json_put_text(document, "time", screen->clock);
	json_put_text(document, "by", top_by_name(screen->by));
	json_put_text(document, "order", top_order_name(screen->order));
	json_put_text(document, "filter", screen->filter);
	json_put_count(document, "cost_cycles", interval->cost);
	json_put_known(document, "busy_cycles", interval->busy, interval->busy);
	waits_json(document, &interval->waits);
	json_put(document, "sources", sources_json(interval));
	json_put_real(document, "own_cpu", screen->own_cpu);
	json_put_count(document, "own_cost_cycles", screen->own.cost);
	json_put_count(document, "own_samples", screen->own.samples);
	json_put_count(document, "rows_total", rows.nr);
	json_put_count(document, "rows_filtered", rows.filtered);
	json_put_count(document, "filtered_cost_cycles", rows.filtered_cost);
	json_put_count(document, "nameless_cost_cycles", rows.nameless_cost);
	json_put_count(document, "rest_cost_cycles", rows.rest_cost);
	json_put(document, "rows", report_json(top_rows_report(&rows, 0, show ? show : rows.nr)));
	top_rows_free(&rows);
	return document;
}
