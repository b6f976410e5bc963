// SPDX-License-Identifier: GPL-2.0
#include "views.h"

#include <stdint.h>
#include <stdlib.h>

#include "../analysis/line.h"
#include "../analysis/lineset.h"
#include "../analysis/verdict.h"
#include "../util/xalloc.h"
#include "c2c.h"
#include "c2c_story.h"
#include "figures.h"
#include "filter.h"
#include "quality.h"

#define OFFSETS_MAX	(MEMLAT_LINE_SLOTS * 16)
#define HOT_PERCENT	20	/* of a line's loads: at most five slots can have that share */

/* What the cells of this view are made from. */
struct lines {
	struct lineset *set;
	struct verdicts *verdicts;
	struct line_slots slots;	/* of the row that is filled in */
};

/* "+0x00 52% +0x08 48%": the slots that have much of all. */
static struct cell offsets(const struct grid *grid, const __u64 slot[MEMLAT_LINE_SLOTS])
{
	char text[OFFSETS_MAX] = "";
	double total = 0;	/* the sum, so that no share exceeds 100% */
	size_t used = 0;
	unsigned int i;

	for (i = 0; i < MEMLAT_LINE_SLOTS; i++)
		total += (double)slot[i];
	if (!(total > 0))
		return cell_none();
	for (i = 0; i < MEMLAT_LINE_SLOTS; i++) {
		const double percent = 100.0 * (double)slot[i] / total;

		if (percent >= HOT_PERCENT)
			used += (size_t)snprintf(text + used, OFFSETS_MAX - used, "%s+0x%02x %.0f%%",
						 used ? " " : "", i * 8, percent);
	}
	return used ? cell_say(grid_room(grid), "%s", text) : cell_text("spread");
}

/* The story of a row for a terminal. */
static struct story story_of(const struct grid *grid, const struct figures *row)
{
	const struct lines *lines = grid->of;

	return (struct story){
		.profile = grid->profile, .namer = grid->namer, .verdicts = lines->verdicts,
		.line = row->line, .number = row->index + 1, .cost = snapshot_cost(&grid->profile->snap),
	};
}

static const struct verdict_line *verdict_at(const struct grid *grid, size_t row)
{
	return verdict_of(((const struct lines *)grid->of)->verdicts, &grid->profile->snap.lines[row]);
}

/* "reading" is an older and coarser key for the verdict. */
static struct cell reading(const struct grid *grid, const struct figures *row)
{
	const enum verdict verdict = verdict_at(grid, row->index)->verdict;

	return cell_text(verdict == VERDICT_FALSE_SHARING || verdict == VERDICT_TRUE_SHARING ?
			 verdict_key(verdict) : NULL);
}

GRID_CELL(verdict, cell_text(verdict_words(verdict_at(grid, row->index))))
GRID_CELL(key_of_verdict, cell_text(verdict_key(verdict_at(grid, row->index)->verdict)))
GRID_CELL(sure, story_sure(grid->namer, row->line, verdict_at(grid, row->index)))
GRID_CELL(loaded_at, offsets(grid, row->line->slot))
GRID_CELL(stored_at, offsets(grid, row->line->slot_store))

#define STORY(name, ...) \
	static struct cell name(const struct grid *grid, const struct figures *row) \
	{ const struct story story = story_of(grid, row); return __VA_ARGS__; }

STORY(label, cell_keep(grid_room(grid), story_data(&story, true)))
STORY(data, cell_keep(grid_room(grid), story_data(&story, false)))
STORY(data_how, cell_text(story_how(&story)))

static struct cell slots_cell(const struct grid *grid, const struct figures *row, bool hitm)
{
	struct line_slots *slots = &((struct lines *)(uintptr_t)grid->of)->slots;

	slots_of_line(((const struct lines *)grid->of)->set, row->line, slots);
	return (struct cell){
		.kind = CELL_LIST, .list = hitm ? slots->hitm : slots->store, .part = MEMLAT_LINE_SLOTS,
	};
}

/* What the model is asked, for selftests/judge/fit.py, which fits the model. */
static struct cell features(const struct grid *grid, const struct figures *row)
{
	double features[MODEL_FEATURES];
	unsigned int i;

	verdict_features(((const struct lines *)grid->of)->verdicts, row->line, features);
	return cell_keep(grid_room(grid), XPRINTED(out,
		for (i = 0; i < MODEL_FEATURES; i++)
			fprintf(out, "%s%.6g", i ? " " : "", features[i])));
}

GRID_CELL(slot_hitm_weight, slots_cell(grid, row, true))
GRID_CELL(slot_store_weight, slots_cell(grid, row, false))

enum {
	F_WORDS = F_OWN, F_KEY, F_READING, F_LINE_SURE, F_LABEL, F_LINE_DATA, F_LINE_DATA_HOW,
	F_OFFSETS, F_STORED, F_SLOTS, F_SLOT_HITM, F_SLOT_FWD, F_SLOT_STORE, F_SLOT_HITM_WEIGHT,
	F_SLOT_STORE_WEIGHT, F_BYTES_LOADED, F_BYTES_STORED, F_HITM_NODES, F_STORE_CPUS,
	F_STORE_NODES, F_FEATURES
};

#define SLOTS(member)	REPORT_LIST_AT(struct figures, line, member)
#define BITS(member)	REPORT_NUMBER_AT(CELL_BITS, struct figures, line, member)

static const struct figure own[] = {
	OWN(WORDS)	= { .as = F_VERDICT_TEXT, .get = verdict },
	OWN(KEY)	= { .as = F_VERDICT, .get = key_of_verdict },
	OWN(READING)	= { "reading", .get = reading },
	OWN(LINE_SURE)	= { .as = F_SURE, .get = sure },
	OWN(LABEL)	= { .as = F_DATA_TEXT, .get = label },
	OWN(LINE_DATA)	= { .as = F_DATA_NAME, .get = data },
	OWN(LINE_DATA_HOW) = { .as = F_DATA_HOW, .get = data_how },
	OWN(OFFSETS)	= { NULL, "offsets (of loads)", true, .needs = NEEDS_LOADS, .get = loaded_at },
	OWN(STORED)	= { NULL, "stored at", true, NEEDS_STORES, .get = stored_at },
	OWN(SLOTS)	= { "slots", NULL, SLOTS(slot) },
	OWN(SLOT_HITM)	= { "slot_hitm", NULL, SLOTS(slot_hitm) },
	OWN(SLOT_FWD)	= { "slot_xsnp_fwd", NULL, SLOTS(slot_xsnp_fwd) },
	OWN(SLOT_STORE)	= { "slot_store", NULL, SLOTS(slot_store) },
	OWN(SLOT_HITM_WEIGHT) = { "slot_hitm_weight", .get = slot_hitm_weight },
	OWN(SLOT_STORE_WEIGHT) = { "slot_store_weight", .get = slot_store_weight },
	OWN(BYTES_LOADED) = { "bytes_loaded", NULL, BITS(bytes_loaded) },
	OWN(BYTES_STORED) = { "bytes_stored", NULL, BITS(bytes_stored) },
	OWN(HITM_NODES)	= { "hitm_nodes", NULL, BITS(hitm_nodes) },
	OWN(STORE_CPUS)	= { "store_cpus", NULL, BITS(store_cpus) },
	OWN(STORE_NODES) = { "store_nodes", NULL, BITS(store_nodes) },
	OWN(FEATURES)	= { "features", .get = features },
};

/* The most useful columns first: a narrow terminal loses the last ones. */
static const unsigned short columns[] = {
	F_RANK | KEEP, F_COST | KEEP, F_LINE | KEEP, F_HITM_PARTS, F_FWD, F_HITM | ONLY_DATA,
	F_LOADS | KEEP, F_STORES | KEEP, F_WORDS | KEEP, F_STORE_HITM, F_LABEL | KEEP, F_AVG, F_NODES,
	F_PROCESS, F_OFFSETS, F_STORED, F_HOME, F_BLOCKED_DATA, F_BLOCKED_ADDR, F_CPU_COUNT, F_MAX,
	F_WEIGHT, F_PHYS, F_OF_RECORD, F_COMM, F_SHARED, F_KEY, F_LINE_SURE, F_READING, F_LINE_DATA,
	F_LINE_DATA_HOW, F_IP | ONLY_DATA, F_LOCKED | ONLY_DATA, F_SLOTS, F_SLOT_HITM, F_SLOT_FWD, F_SLOT_STORE,
	F_SLOT_HITM_WEIGHT, F_SLOT_STORE_WEIGHT, F_BYTES_LOADED, F_BYTES_STORED, F_HITM_NODES,
	F_STORE_CPUS, F_STORE_NODES, F_END
};

static void fill(struct figures *row, const struct grid *grid)
{
	figures_of_line(row, &grid->profile->snap.lines[row->index]);
	row->few = row->sum.samples < VERDICT_LEAST;
}

static void begin(struct grid *grid, const struct rows_view *view, const unsigned short *list,
		  bool fold)
{
	static const unsigned short features[] = { F_FEATURES, F_END };
	struct lines *lines = xcalloc(1, sizeof(*lines));

	grid->nr = rows_snap(view)->nr_lines;
	grid->fill = fill;
	grid->of = lines;
	grid->own = own;
	grid->quality = (struct quality_table){
		"lines", line_order_name(view->word), .table = TABLE_LINES,
	};
	grid_show(grid, view->show, fold);
	/* Lines that processes share are judged as one. */
	lines->set = lineset_new(rows_snap(view), view->profile->history, MEMLAT_LINE_BYTES);
	lines->verdicts = verdicts_of_set(lines->set);
	if (view->namer) {
		verdicts_know_locks(lines->verdicts, locks_is_lock, view->namer);
		lineset_know_widths(lines->set, locks_width, view->namer);
	}
	grid_columns(grid, list);
	if (getenv("MEMLAT_MODEL_FEATURES"))
		grid_columns(grid, features);
}

static void end(struct grid *grid)
{
	struct lines *lines = (void *)(uintptr_t)grid->of;

	verdicts_free(lines->verdicts);
	lineset_free(lines->set);
	free(lines);
}

/* Hardly sampled lines have no story, nor has the kernel's own work in a program's report. */
static bool has_story(const struct grid *grid, size_t row)
{
	return verdict_at(grid, row)->few != VERDICT_FEW_SAMPLES &&
	       !(filter_of_tasks(&grid->profile->snap.head.status) &&
		 housekeeping_line(grid->namer, &grid->profile->snap.lines[row]));
}

/* Print the story of the first line that has one. */
static void print_story(FILE *out, const struct grid *grid)
{
	struct figures told = { 0 };
	struct story story;
	char *text;

	while (told.index < grid->shown && !has_story(grid, told.index))
		told.index++;
	if (told.index == grid->shown)
		return;
	told.line = &grid->profile->snap.lines[told.index];
	story = story_of(grid, &told);
	text = story_text(&story);
	if (*text)
		fprintf(out, "\n%s", text);
	free(text);
}

static bool any_fight(const struct grid *grid)
{
	size_t row;

	for (row = 0; row < grid->shown; row++)
		if (c2c_is_fight(verdict_at(grid, row)->verdict))
			return true;
	return false;
}

static void print_below(FILE *out, const struct grid *grid)
{
	if (!grid->nr)
		return;
	if (!any_fight(grid))
		quality_print_elsewhere(out);
	print_story(out, grid);
	namer_print_notes(grid->namer, out);
	errata_print(out, "", errata_here(&grid->profile->snap), ERRATA_SOURCES);
}

static void put(struct json_object *document, const struct grid *grid)
{
	json_put_text(document, "sort", grid->quality.order);
	json_put_count(document, "latency_sum", grid->profile->snap.head.status.latency_sum);
}

struct json_object *lines_show(FILE *out, enum report_format format, const struct rows_view *view)
{
	static const struct grid_view lines = {
		"lines", "line", columns, true, begin, NULL, print_below, put, end,
	};

	return grid_view_show(out, format, view, &lines);
}
