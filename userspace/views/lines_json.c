// SPDX-License-Identifier: GPL-2.0
#include "lines_told.h"

#include <stdlib.h>

#include "../analysis/slots.h"
#include "../analysis/trait.h"
#include "quality.h"
#include "row.h"

/* Put the verdict. "reading" is an older and coarser key for it. */
static void put_verdict(struct json_object *object, const struct lines_told *told,
			size_t row)
{
	const struct memlat_rec_line *line = &told->view->profile->snap.lines[row];
	const struct verdict_line *verdict = verdict_of(told->verdicts, line);
	bool sharing = verdict->verdict == VERDICT_FALSE_SHARING ||
		       verdict->verdict == VERDICT_TRUE_SHARING;
	struct story story = lines_story(told, row);
	char *data = story_data(&story);

	json_put_text(object, "reading", sharing ? verdict_key(verdict->verdict) : NULL);
	json_put_text(object, "verdict", verdict_key(verdict->verdict));
	json_put_ratio(object, "sure", verdict->sure,
		      verdict->verdict == VERDICT_TOO_FEW ? 0 : 100);
	json_put_text(object, "data", data);
	json_put_text(object, "data_how", story_how(&story));
	free(data);
}

/* Put where the line is; null if that is not known. */
static void put_place(struct json_object *object,
		      const struct memlat_rec_line *line)
{
	if (line->phys)
		json_put_hex(object, "phys", line->phys);
	else
		json_put_null(object, "phys");
	json_put_known(object, "home", line->home != MEMLAT_NODE_UNKNOWN, line->home);
	json_put_bool(object, "shared", line->shared != 0);
}

static void put_slots(struct json_object *object,
		      const struct memlat_rec_line *line,
		      const struct line_slots *slots)
{
	json_put_counts(object, "slots", line->slot, MEMLAT_LINE_SLOTS);
	json_put_counts(object, "slot_hitm", line->slot_hitm, MEMLAT_LINE_SLOTS);
	json_put_counts(object, "slot_xsnp_fwd", line->slot_xsnp_fwd, MEMLAT_LINE_SLOTS);
	json_put_counts(object, "slot_store", line->slot_store,
			MEMLAT_LINE_SLOTS);
	json_put_counts(object, "slot_hitm_weight", slots->hitm,
			MEMLAT_LINE_SLOTS);
	json_put_counts(object, "slot_store_weight", slots->store,
			MEMLAT_LINE_SLOTS);
	json_put_bits(object, "bytes_loaded", line->bytes_loaded);
	json_put_bits(object, "bytes_stored", line->bytes_stored);
}

static struct json_object *line_json(const struct lines_told *told, size_t row)
{
	const struct snapshot *snap = &told->view->profile->snap;
	const struct memlat_rec_line *line = &snap->lines[row];
	const struct memlat_status *status = &snap->head.status;
	bool blocks = trait_here(status, MEMLAT_TRAIT_BLOCKED);
	struct json_object *object = json_new();
	struct line_slots slots;

	slots_of_line(told->set, line, &slots);
	json_put_count(object, "rank", row + 1);
	json_put_hex(object, "addr", line->addr);
	row_put_owner(object, line->space, line->gen, line->comm);
	put_place(object, line);
	ROW_PUT_FIGURES(object, line, snap, told->cost);
	put_slots(object, line, &slots);
	json_put_bits(object, "cpus", line->cpus);
	json_put_bits(object, "nodes", line->nodes);
	json_put_bits(object, "hitm_nodes", line->hitm_nodes);
	json_put_bits(object, "store_cpus", line->store_cpus);
	json_put_bits(object, "store_nodes", line->store_nodes);
	json_put_hex(object, "ip", line->ip);
	put_verdict(object, told, row);
	json_put_known(object, "blocked_data", blocks, line->blocked_data);
	json_put_known(object, "blocked_addr", blocks, line->blocked_addr);
	return object;
}

struct json_object *lines_json(const struct lines_view *view)
{
	const struct snapshot *snap = &view->profile->snap;
	const struct quality_table quality = lines_quality(view);
	struct json_object *document = quality_document("lines", snap), *list = json_list();
	struct lines_told told;
	size_t row;

	lines_told_init(&told, view);
	json_put_text(document, "unit", "core cycles");
	json_put_text(document, "sort", line_order_name(view->order));
	json_put_count(document, "latency_sum", snap->head.status.latency_sum);
	json_put_count(document, "cost_cycles", told.cost);
	json_put_count(document, "lines_total", snap->nr_lines);
	json_put_count(document, "lines_shown", quality.shown);
	quality_put_table(document, &snap->head.status, &quality);
	json_put_bool(document, "ip_after",
		      trait_here(&snap->head.status, MEMLAT_TRAIT_IP_AFTER));
	for (row = 0; row < quality.shown; row++)
		json_append(list, line_json(&told, row));
	json_put(document, "lines", list);
	lines_told_free(&told);
	return document;
}
