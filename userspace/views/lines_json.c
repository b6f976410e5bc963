// SPDX-License-Identifier: GPL-2.0
#include "lines.h"

#include "../lib/account.h"
#include "quality.h"
#include "row.h"

static const char *reading_name(enum line_reading reading)
{
	switch (reading) {
	case LINE_FALSE_SHARING:
		return "false_sharing";
	case LINE_TRUE_SHARING:
		return "true_sharing";
	default:
		return NULL;
	}
}

/* Where it is: null where that is not known. */
static void put_place(struct json_object *object,
		      const struct memlat_rec_line *line)
{
	if (line->phys)
		json_put_hex(object, "phys", line->phys);
	else
		json_put_null(object, "phys");
	if (line->home == MEMLAT_NODE_UNKNOWN)
		json_put_null(object, "home");
	else
		json_put_count(object, "home", line->home);
	json_put_bool(object, "shared", line->shared != 0);
}

static void put_slots(struct json_object *object,
		      const struct memlat_rec_line *line,
		      const struct line_slots *slots)
{
	json_put_counts(object, "slots", line->slot, MEMLAT_LINE_SLOTS);
	json_put_counts(object, "slot_hitm", line->slot_hitm, MEMLAT_LINE_SLOTS);
	json_put_counts(object, "slot_store", line->slot_store,
			MEMLAT_LINE_SLOTS);
	json_put_counts(object, "slot_hitm_weight", slots->hitm,
			MEMLAT_LINE_SLOTS);
	json_put_counts(object, "slot_store_weight", slots->store,
			MEMLAT_LINE_SLOTS);
	json_put_bits(object, "bytes_loaded", line->bytes_loaded);
	json_put_bits(object, "bytes_stored", line->bytes_stored);
}

static struct json_object *line_json(const struct lines_view *view, size_t row,
				     __u64 whole)
{
	const struct memlat_rec_line *line = &view->snap->lines[row];
	struct json_object *object = json_new();
	struct line_slots slots;
	const char *reading;

	slots_of_line(view->snap, line, &slots);
	reading = reading_name(line_read(line, &slots));
	json_put_count(object, "rank", row + 1);
	json_put_hex(object, "addr", line->addr);
	json_put_count(object, "pid", line->space);
	json_put_count(object, "gen", line->gen);
	row_put_comm(object, "comm", line->comm);
	json_put_bool(object, "kernel", !line->space);
	put_place(object, line);
	json_put_count(object, "samples", line->samples);
	json_put_count(object, "loads", line_loads(line));
	json_put_count(object, "stores", line->stores);
	json_put_count(object, "store_l1_hit", line->store_l1_hit);
	json_put_count(object, "error", line->error);
	json_put_count(object, "weight", line->weight);
	row_put_ratio(object, "cost", line->cost, whole);
	json_put_count(object, "cost_cycles", line->cost);
	json_put_count(object, "latency_sum", line->latency_sum);
	row_put_ratio(object, "latency_avg", line->latency_sum,
		      line_loads(line));
	json_put_count(object, "latency_max", line->latency_max);
	row_put_hitm(object, line->source);
	json_put_count(object, "locked", line->locked);
	json_put_count(object, "stlb_miss", line->stlb_miss);
	json_put_sources(object, "sources", line->source);
	json_put_sources(object, "latency", line->latency);
	put_slots(object, line, &slots);
	json_put_bits(object, "cpus", line->cpus);
	json_put_bits(object, "nodes", line->nodes);
	json_put_bits(object, "hitm_nodes", line->hitm_nodes);
	json_put_bits(object, "store_cpus", line->store_cpus);
	json_put_bits(object, "store_nodes", line->store_nodes);
	json_put_hex(object, "ip", line->ip);
	if (reading)
		json_put_text(object, "reading", reading);
	else
		json_put_null(object, "reading");
	return object;
}

struct json_object *lines_json(const struct lines_view *view)
{
	const struct snapshot *snap = view->snap;
	const struct quality_table quality = lines_quality(view);
	struct json_object *document = json_new(), *list = json_list();
	__u64 whole = snapshot_cost(snap);
	size_t row;

	json_put_count(document, "abi_version", snap->head.abi_version);
	json_put_text(document, "model", snap->head.model_name);
	quality_put(document, &snap->head.status);
	json_put_bool(document, "accounts_hold", !account_snapshot_broken(snap));
	json_put_text(document, "unit", "core cycles");
	json_put_text(document, "sort", line_order_name(view->order));
	json_put_count(document, "latency_sum", snap->head.status.latency_sum);
	json_put_count(document, "cost_cycles", whole);
	json_put_count(document, "lines_total", snap->nr_lines);
	json_put_count(document, "lines_shown", quality.shown);
	quality_put_table(document, &snap->head.status, &quality);
	for (row = 0; row < quality.shown; row++)
		json_append(list, line_json(view, row, whole));
	json_put(document, "lines", list);
	return document;
}
