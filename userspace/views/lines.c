// SPDX-License-Identifier: GPL-2.0
#include "lines.h"

#include <stdlib.h>
#include <string.h>

#include "../analysis/line.h"
#include "../analysis/lineset.h"
#include "../analysis/trait.h"
#include "../analysis/verdict.h"
#include "../profile/imported.h"
#include "../util/xalloc.h"
#include "c2c.h"
#include "c2c_story.h"
#include "filter.h"
#include "housekeeping.h"
#include "locks.h"
#include "quality.h"
#include "report.h"
#include "row.h"
#include "untruths.h"

#define OFFSETS_MAX	(MEMLAT_LINE_SLOTS * 16)
#define HOT_PERCENT	20	/* of a line's loads: at most five slots can have that share */

/* The most useful columns first: a narrow terminal loses the last ones. */
enum which {
	W_RANK, W_COST, W_LINE, W_RHITM, W_LHITM, W_FWD, W_LOADS, W_STORES, W_VERDICT, W_STORE_HITM,
	W_LABEL, W_DATA, W_DATA_HOW, W_AVG, W_NODES, W_PROCESS, W_OFFSETS, W_STORED, W_HOME,
	W_BLOCKED_DATA, W_BLOCKED_ADDR, W_CPUS, W_MAX, W_WEIGHT, W_PHYS, W_SURE, W_PID,
	W_SAMPLES, W_COST_CYCLES, W_CPU_LIST, W_NR
};

#define FIGURE(kind, member)	REPORT_NUMBER(CELL_ ## kind, struct memlat_rec_line, member)
#define COUNT(member)		FIGURE(COUNT, member)

static const struct report_column known[W_NR] = {
	[W_RANK]	= { "rank", "#", false, true },
	[W_COST]	= { "cost", "cost", false, true, .bounded = true },
	[W_LINE]	= { "addr", "line", false, true, FIGURE(HEX, addr) },
	[W_RHITM]	= { "hitm_remote", "HITM rmt", COUNT(source[MEMLAT_SRC_RHITM]) },
	[W_LHITM]	= { "hitm_local", "HITM lcl", COUNT(source[MEMLAT_SRC_L3_HITM]) },
	[W_FWD]		= { "xsnp_fwd", "fwd or HITM" },
	[W_LOADS]	= { "loads", "loads", false, true },
	[W_STORES]	= { "stores", "stores", false, true, COUNT(stores) },
	[W_STORE_HITM]	= { "store_hitm", "stores HITM" },
	[W_VERDICT]	= { "verdict", "verdict", true, true },
	[W_LABEL]	= { NULL, "data", true, true },
	[W_DATA]	= { "data", NULL },
	[W_DATA_HOW]	= { "data_how", NULL },
	[W_AVG]		= { "latency_avg", "avg cyc" },
	[W_NODES]	= { "nodes", "nodes", true, FIGURE(BITS, nodes) },
	[W_PROCESS]	= { "comm", "process", true },
	[W_OFFSETS]	= { "offsets", "offsets (of loads)", true },
	[W_STORED]	= { "stored_at", "stored at", true },
	[W_HOME]	= { "home", "home" },
	[W_BLOCKED_DATA] = { "blocked_data", "blk data" },
	[W_BLOCKED_ADDR] = { "blocked_addr", "blk addr" },
	[W_CPUS]	= { NULL, "CPUs" },
	[W_MAX]		= { "latency_max", "max cyc", COUNT(latency_max) },
	[W_WEIGHT]	= { "weight", "est. accesses", COUNT(weight) },
	[W_PHYS]	= { "phys", "phys", FIGURE(HEX, phys), .known = true },
	[W_SURE]	= { "sure", NULL },
	[W_PID]		= { "pid", NULL, COUNT(space) },
	[W_SAMPLES]	= { "samples", NULL, COUNT(samples) },
	[W_COST_CYCLES]	= { "cost_cycles", NULL, COUNT(cost) },
	[W_CPU_LIST]	= { "cpus", NULL, FIGURE(BITS, cpus) },
};

/* The table with the columns for which this session has data. */
struct table {
	const struct rows_view *view;
	struct lineset *set;
	struct verdicts *verdicts;
	__u64 cost;		/* cost of all samples */
	struct row_whole whole;
	struct report_table table;
};

static bool wanted(const struct table *table, enum which which)
{
	const struct report_column *column = &table->table.columns[which];
	const struct snapshot *snap = rows_snap(table->view);
	const struct memlat_status *status = &snap->head.status;
	__u32 flags = status->flags;

	switch (which) {
	case W_RHITM:
		/* A machine of one node has remote sources only if the CPU reports some. */
		return filter_loads(flags) &&
		       (status->nodes != 1 || report_any(&table->table.report, column));
	case W_NODES:
		return status->nodes != 1;
	case W_LHITM:
		return filter_loads(flags) &&
		       !trait_everywhere(snap, MEMLAT_TRAIT_XSNP_FWD);
	case W_FWD:
		return filter_loads(flags) && trait_here(status, MEMLAT_TRAIT_XSNP_FWD);
	case W_COST:
	case W_LOADS:
	case W_AVG:
	case W_OFFSETS:
	case W_MAX:
		return filter_loads(flags);
	case W_STORES:
	case W_STORED:
		return filter_stores(flags);
	case W_STORE_HITM:
		return filter_stores(flags) && trait_here(status, MEMLAT_TRAIT_STORE_SOURCE);
	case W_HOME:
	case W_PHYS:
		return flags & MEMLAT_F_PHYS;
	case W_BLOCKED_DATA:
	case W_BLOCKED_ADDR:
		return report_any(&table->table.report, column);
	default:
		return true;
	}
}

static size_t shown(const struct rows_view *view)
{
	return rows_shown(view, rows_snap(view)->nr_lines);
}

/* "+0x00 52% +0x08 48%": the slots that have much of all. */
static struct cell offsets(struct cell_room *room, const __u64 slot[MEMLAT_LINE_SLOTS])
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
	return used ? cell_say(room, "%s", text) : cell_text("spread");
}

/* The story of a row for a terminal. */
static struct story story_of(const struct table *table, size_t row)
{
	return (struct story){
		.profile = table->view->profile,
		.namer = table->view->namer,
		.verdicts = table->verdicts,
		.line = &rows_snap(table->view)->lines[row],
		.number = row + 1,
		.cost = table->cost,
	};
}

static struct cell told_cell(const struct table *table, size_t row, enum which which)
{
	struct cell_room *room = report_table_room(&table->table);
	const struct memlat_rec_line *line = &rows_snap(table->view)->lines[row];
	const struct verdict_line *verdict = verdict_of(table->verdicts, line);
	struct story story;

	switch (which) {
	case W_VERDICT:
		return cell_text(verdict_words(verdict));
	case W_SURE:
		return story_sure(table->view->namer, line, verdict);
	default:
		story = story_of(table, row);
		if (which == W_DATA_HOW)
			return cell_text(story_how(&story));
		return cell_keep(room, story_data(&story, which == W_LABEL));
	}
}

static struct cell cell(const void *context, size_t row, unsigned int which)
{
	const struct table *table = context;
	struct cell_room *room = report_table_room(&table->table);
	const struct memlat_status *status = &rows_snap(table->view)->head.status;
	const struct memlat_rec_line *line = &rows_snap(table->view)->lines[row];

	switch ((enum which)which) {
	case W_RANK:
		return cell_count(row + 1);
	case W_COST:
		return row_cost_cell(&table->whole, line->cost, line_loads(line));
	case W_FWD:
		return cell_known(trait_here(status, MEMLAT_TRAIT_XSNP_FWD), line->xsnp_fwd);
	case W_LOADS:
		return cell_count(line_loads(line));
	case W_STORE_HITM:
		return cell_known(trait_here(status, MEMLAT_TRAIT_STORE_SOURCE), line->store_hitm);
	case W_BLOCKED_DATA:
		return cell_known(trait_here(status, MEMLAT_TRAIT_BLOCKED), line->blocked_data);
	case W_BLOCKED_ADDR:
		return cell_known(trait_here(status, MEMLAT_TRAIT_BLOCKED), line->blocked_addr);
	case W_AVG:
		return cell_ratio(CELL_AVERAGE, line->latency_sum,
				  imported_timed(status, line_loads(line)));
	case W_PROCESS:
		return row_process_cell(room, line->comm, line->space, line->shared);
	case W_OFFSETS:
		return offsets(room, line->slot);
	case W_STORED:
		return offsets(room, line->slot_store);
	case W_HOME:
		return line->home == MEMLAT_NODE_UNKNOWN ? cell_none() : cell_count(line->home);
	case W_CPUS:
		return cell_cpu_count(line->cpus);
	default:
		return told_cell(table, row, which);
	}
}

static void table_init(struct table *table, const struct rows_view *view)
{
	unsigned int which;

	memset(table, 0, sizeof(*table));
	table->view = view;
	table->cost = snapshot_cost(rows_snap(view));
	row_whole_take(&table->whole, rows_snap(view));
	/* Lines that processes share are judged as one. */
	table->set = lineset_new(rows_snap(view), view->profile->history, MEMLAT_LINE_BYTES);
	table->verdicts = verdicts_of_set(table->set);
	if (view->namer) {
		verdicts_know_locks(table->verdicts, locks_is_lock, view->namer);
		verdicts_know_widths(table->verdicts, locks_width, view->namer);
	}
	report_table_begin(&table->table, table, "lines", NULL, shown(view), shown(view));
	table->table.report.rows = rows_snap(view)->lines;
	report_table_take(&table->table, known, W_NR, cell);
	for (which = 0; which < W_NR; which++)
		if (!wanted(table, which))
			table->table.columns[which].title = NULL;
}

static void table_free(struct table *table)
{
	verdicts_free(table->verdicts);
	lineset_free(table->set);
}

static struct quality_table quality_of(const struct rows_view *view)
{
	return (struct quality_table){
		.what = "lines",
		.order = line_order_name(view->word),
		.shown = shown(view),
		.total = rows_snap(view)->nr_lines,
		.table = TABLE_LINES,
	};
}

/*
 * The first line that deserves a story. In a program's report it is none of the kernel's own work.
 */
static size_t told_row(const struct rows_view *view)
{
	const struct memlat_status *status = &rows_snap(view)->head.status;
	size_t row = 0;

	if (!filter_of_tasks(status))
		return 0;
	while (row < shown(view) &&
	       housekeeping_line(view->namer, &rows_snap(view)->lines[row]))
		row++;
	return row < shown(view) ? row : 0;
}

/* Print that line's story. */
static void print_story(FILE *out, const struct table *table)
{
	const struct story story = story_of(table, told_row(table->view));
	char *text = story_text(&story);

	if (*text)
		fprintf(out, "\n%s", text);
	free(text);
}

static struct row_figures figures(const void *rows, size_t at)
{
	return row_line_figures((const struct memlat_rec_line *)rows + at);
}

static bool any_fight(const struct table *table)
{
	size_t row;

	for (row = 0; row < shown(table->view); row++)
		if (c2c_is_fight(verdict_of(table->verdicts, &rows_snap(table->view)->lines[row])->verdict))
			return true;
	return false;
}

static void print_lines(FILE *out, const struct rows_view *all)
{
	struct rows_view folded = *all, *view = &folded;
	struct quality_table quality;
	struct row_whole whole;
	struct row_fold fold;
	struct table table;

	row_whole_take(&whole, rows_snap(view));
	view->show = row_fold(&fold, &whole, view->show, rows_snap(view)->lines,
			      rows_snap(view)->nr_lines, figures);
	quality = quality_of(view);
	table_init(&table, view);
	report_print(out, &table.table.report, view->width);
	quality_print_table(out, &rows_snap(view)->head.status, &quality);
	row_print_cpus(out, view->profile);
	quality_print_fold(out, "line", &fold, table.cost);
	if (!any_fight(&table))
		quality_print_elsewhere(out);
	print_story(out, &table);
	namer_print_notes(view->namer, out);
	table_free(&table);
}

void lines_print(FILE *out, const struct rows_view *view)
{
	const struct memlat_status *status = &rows_snap(view)->head.status;
	const struct quality_table quality = quality_of(view);

	if (!quality_print_begin(out, status))
		return;
	fputc('\n', out);
	if (!rows_snap(view)->nr_lines) {
		quality_print_table(out, status, &quality);
		return;
	}
	print_lines(out, view);
	untruths_print(out, "", untruths_here(rows_snap(view)), UNTRUTH_SOURCES);
}

void lines_csv(FILE *out, const struct rows_view *view)
{
	struct table table;

	table_init(&table, view);
	report_csv(out, &table.table.report);
	table_free(&table);
}

static void put_slots(struct json_object *object, const struct table *table,
		      const struct memlat_rec_line *line)
{
	struct line_slots slots;

	slots_of_line(table->set, line, &slots);
	json_put_counts(object, "slots", line->slot, MEMLAT_LINE_SLOTS);
	json_put_counts(object, "slot_hitm", line->slot_hitm, MEMLAT_LINE_SLOTS);
	json_put_counts(object, "slot_xsnp_fwd", line->slot_xsnp_fwd, MEMLAT_LINE_SLOTS);
	json_put_counts(object, "slot_store", line->slot_store, MEMLAT_LINE_SLOTS);
	json_put_counts(object, "slot_hitm_weight", slots.hitm, MEMLAT_LINE_SLOTS);
	json_put_counts(object, "slot_store_weight", slots.store, MEMLAT_LINE_SLOTS);
	json_put_bits(object, "bytes_loaded", line->bytes_loaded);
	json_put_bits(object, "bytes_stored", line->bytes_stored);
}

/* What the model is asked, for selftests/judge/fit.py, which fits the model. */
static void put_features(struct json_object *object, const struct table *table,
			 const struct memlat_rec_line *line)
{
	double features[MODEL_FEATURES];
	char *text = NULL;
	size_t size;
	unsigned int i;
	FILE *out;

	if (!getenv("MEMLAT_MODEL_FEATURES"))
		return;
	verdict_features(table->verdicts, line, features);
	out = xmemstream(&text, &size);
	for (i = 0; i < MODEL_FEATURES; i++)
		fprintf(out, "%s%.6g", i ? " " : "", features[i]);
	xmemstream_end(out);
	json_put_text(object, "features", text);
	free(text);
}

/* "reading" is an older and coarser key for the verdict. */
static void put_verdict(struct json_object *object, const struct table *table,
			const struct memlat_rec_line *line)
{
	const enum verdict verdict = verdict_of(table->verdicts, line)->verdict;
	bool sharing = verdict == VERDICT_FALSE_SHARING || verdict == VERDICT_TRUE_SHARING;

	json_put_text(object, "reading", sharing ? verdict_key(verdict) : NULL);
	json_put_text(object, "verdict", verdict_key(verdict));
	put_features(object, table, line);
}

static struct json_object *line_json(const struct table *table, size_t row)
{
	const struct report *report = &table->table.report;
	const struct snapshot *snap = rows_snap(table->view);
	const struct memlat_rec_line *line = &snap->lines[row];
	struct json_object *object = json_new();

	REPORT_PUT(object, report, row, W_RANK, W_LINE);
	row_put_owner(object, line->space, line->gen, line->comm);
	REPORT_PUT(object, report, row, W_PHYS, W_HOME);
	json_put_bool(object, "shared", line->shared != 0);
	ROW_PUT_FIGURES(object, line, snap, &table->whole);
	put_slots(object, table, line);
	REPORT_PUT(object, report, row, W_CPU_LIST, W_NODES);
	json_put_bits(object, "hitm_nodes", line->hitm_nodes);
	json_put_bits(object, "store_cpus", line->store_cpus);
	json_put_bits(object, "store_nodes", line->store_nodes);
	json_put_hex(object, "ip", line->ip);
	put_verdict(object, table, line);
	REPORT_PUT(object, report, row, W_SURE, W_DATA, W_DATA_HOW, W_BLOCKED_DATA,
		   W_BLOCKED_ADDR);
	return object;
}

struct json_object *lines_json(const struct rows_view *view)
{
	const struct snapshot *snap = rows_snap(view);
	const struct quality_table quality = quality_of(view);
	struct json_object *document = quality_document("lines", snap), *list = json_list();
	struct table table;
	size_t row;

	table_init(&table, view);
	json_put_text(document, "unit", "core cycles");
	json_put_text(document, "sort", line_order_name(view->word));
	json_put_count(document, "latency_sum", snap->head.status.latency_sum);
	json_put_count(document, "cost_cycles", table.cost);
	json_put_count(document, "lines_total", snap->nr_lines);
	json_put_count(document, "lines_shown", quality.shown);
	quality_put_table(document, &snap->head.status, &quality);
	json_put_bool(document, "ip_after",
		      trait_here(&snap->head.status, MEMLAT_TRAIT_IP_AFTER));
	for (row = 0; row < quality.shown; row++)
		json_append(list, line_json(&table, row));
	json_put(document, "lines", list);
	table_free(&table);
	return document;
}
