// SPDX-License-Identifier: GPL-2.0
#define _GNU_SOURCE
#include "top.h"

#include <stdlib.h>
#include <string.h>

#include "../analysis/line.h"
#include "../analysis/selection.h"
#include "../util/order.h"
#include "../util/source.h"
#include "../util/text.h"
#include "figures.h"
#include "phases.h"
#include "quality.h"

const char *const top_by_names[TOP_BY] = {
	[TOP_BY_PROCESS] = "process", [TOP_BY_THREAD] = "thread", [TOP_BY_CGROUP] = "cgroup",
	[TOP_BY_NODE] = "node", [TOP_BY_LINE] = "line", [TOP_BY_FUNCTION] = "function",
	[TOP_BY_DATA] = "data",
};

const char *const top_order_names[TOP_ORDERS] = {
	[TOP_COST] = "cost", [TOP_HITM] = "hitm", [TOP_SAMPLES] = "samples", [TOP_LATENCY] = "latency",
};

static __u64 loads_of(const struct top_row *row)
{
	return sums_loads(&row->sum);
}

static double average(const struct top_row *row)
{
	return loads_of(row) ? (double)row->sum.latency_sum / (double)loads_of(row) : 0;
}

static int compare_figure(const struct top_row *a, const struct top_row *b, enum top_order by)
{
	switch (by) {
	case TOP_HITM:
		return order(b->sum.hitm, a->sum.hitm);
	case TOP_SAMPLES:
		return order(b->sum.samples, a->sum.samples);
	case TOP_LATENCY:
		return (average(a) < average(b)) - (average(a) > average(b));
	default:
		return share_order((double)a->sum.cost, loads_of(a), (double)b->sum.cost, loads_of(b));
	}
}

static int compare(const void *pa, const void *pb, void *by)
{
	const struct top_row *a = pa, *b = pb;

	return compare_figure(a, b, *(const enum top_order *)by) ?: order(b->sum.cost, a->sum.cost) ?:
	       order(b->sum.samples, a->sum.samples) ?: order_text(a->name, b->name) ?:
	       order(a->pid, b->pid) ?: order(a->tid, b->tid) ?: order(a->addr, b->addr);
}

static void row_free(struct top_row *row)
{
	free(row->name);
	free(row->module);
	free(row->worst);
}

static bool has(const char *text, const char *filter)
{
	return text && strcasestr(text, filter);
}

static bool passes(const struct top_row *row, const char *filter)
{
	char pid[TEXT_NUMBER_MAX];

	if (!filter || !*filter)
		return true;
	snprintf(pid, sizeof(pid), "%u", row->pid);
	return has(row->name, filter) || has(row->module, filter) || has(row->group, filter) ||
	       has(row->worst, filter) || (row->pid && !strcmp(pid, filter));
}

static void leave_out(struct top_rows *rows, const char *filter)
{
	size_t i, kept = 0;

	for (i = 0; i < rows->nr; i++) {
		if (passes(&rows->row[i], filter)) {
			rows->row[kept++] = rows->row[i];
			continue;
		}
		rows->filtered++;
		rows->filtered_cost += rows->row[i].sum.cost;
		row_free(&rows->row[i]);
	}
	rows->nr = kept;
}

void top_rows_find(struct top_rows *rows, const struct top_interval *interval, enum top_by by,
		   enum top_order order, const char *filter)
{
	memset(rows, 0, sizeof(*rows));
	rows->by = by;
	rows->cost = interval->cost;
	row_whole_take(&rows->whole, &interval->profile->snap);
	switch (by) {
	case TOP_BY_LINE:
		top_find_lines(rows, interval, order);
		break;
	case TOP_BY_FUNCTION:
		top_find_functions(rows, interval);
		break;
	case TOP_BY_DATA:
		top_find_data(rows, interval);
		break;
	default:
		top_find_tasks(rows, interval);
	}
	leave_out(rows, filter);
	qsort_r(rows->row, rows->nr, sizeof(*rows->row), compare, &order);
}

void top_rows_free(struct top_rows *rows)
{
	size_t i;

	for (i = 0; i < rows->nr; i++)
		row_free(&rows->row[i]);
	free(rows->row);
	rows->row = NULL;
	rows->nr = 0;
}

/* Is it a process or a thread, which is identified by a number? */
static bool is_task(enum top_by by)
{
	return by == TOP_BY_PROCESS || by == TOP_BY_THREAD;
}

/* A pid has no commas, because people type it. */
static struct cell number_cell(const struct top_rows *rows, __u64 number)
{
	return number ? cell_say(report_table_room(&rows->table), "%llu", number) : cell_none();
}

#define ROW	(&of->row[of->first + at])
#define CELL(name, ...)	REPORT_CELL(name, struct top_rows, __VA_ARGS__)

CELL(cost, row_cost_cell(&of->whole, ROW->sum.cost, loads_of(ROW)))
/* A thread's name may be empty. */
CELL(name, cell_text(*ROW->name || !is_task(of->by) ? ROW->name : NULL))
CELL(pid, number_cell(of, ROW->pid))
CELL(tid, number_cell(of, ROW->tid))
CELL(gen, cell_known(ROW->pid, ROW->gen))
CELL(latency_avg, cell_ratio(CELL_AVERAGE, ROW->sum.latency_sum, loads_of(ROW)))
CELL(hitm_share, cell_ratio(CELL_SHARE, ROW->sum.hitm, loads_of(ROW)))
CELL(loads, cell_count(loads_of(ROW)))
CELL(verdict, cell_text(of->by == TOP_BY_LINE ? verdict_key(ROW->verdict) : NULL))

#define COUNT(member)		REPORT_NUMBER(CELL_COUNT, struct top_row, member)
#define KNOWN(kind, member) \
	REPORT_NUMBER(CELL_ ## kind, struct top_row, member), .known = true
#define WORDS(member)		REPORT_WORDS(struct top_row, member)
#define SHARE(part, whole)	REPORT_RATIO(CELL_SHARE, struct top_row, part, whole)

#define BY(table)	(1U << TOP_BY_ ## table)
#define TASK		(BY(PROCESS) | BY(THREAD))
#define SOURCES		(BY(PROCESS) | BY(CGROUP) | BY(LINE) | BY(FUNCTION))
#define ALL		((1U << TOP_BY) - 1)

static const struct {
	struct report_column column;
	unsigned int by;	/* tables that show it as text; 0: all */
	const char *of_line;	/* its heading in the table of lines */
} known[] = {
	{ .column = { .figure = F_COST, .keep = true, .bounded = true, .get = cost } },
	{ .column = { "name", "name", true, true, .get = name }, .of_line = "cache line" },
	{ .column = { .figure = F_PID | ONLY_TEXT, .keep = true, .get = pid }, TASK | BY(LINE) },
	{ .column = { .figure = F_TID | ONLY_TEXT, .keep = true, .get = tid }, BY(THREAD) },
	{ .column = { .figure = F_CGROUP, WORDS(group) }, TASK },
	{ .column = { .figure = F_MODULE, WORDS(module) }, BY(FUNCTION) | BY(DATA) },
	{ .column = { .figure = F_THREADS, KNOWN(COUNT, threads) }, ALL & ~(BY(THREAD) | BY(FUNCTION)) },
	{ .column = { .figure = F_AVG, .keep = true, .get = latency_avg } },
	{ .column = { "l3", "L3", SHARE(l3, loads_known) }, SOURCES },
	{ .column = { "dram", "DRAM", SHARE(dram, loads_known) }, SOURCES },
	{ .column = { "remote", "remote", SHARE(remote, loads_known) }, SOURCES },
	{ .column = { .figure = F_HITM_SHARE, .keep = true, .get = hitm_share } },
	{ .column = { .figure = F_LOADS, .get = loads } },
	{ .column = { .figure = F_STORES, COUNT(sum.stores) } },
	{ .column = { "worst", "worst line", true, true, WORDS(worst) },
	  ALL & ~(BY(FUNCTION) | BY(DATA)), .of_line = "verdict" },
	{ .column = { .figure = F_PID | ONLY_DATA, KNOWN(COUNT, pid) } },
	{ .column = { .figure = F_TID | ONLY_DATA, KNOWN(COUNT, tid) } },
	{ .column = { .figure = F_GEN, .get = gen } },
	{ .column = { .figure = F_NODES | ONLY_DATA, KNOWN(BITS, nodes) } },
	{ .column = { .figure = F_LINE | ONLY_DATA, KNOWN(HEX, addr) } },
	{ .column = { .figure = F_HITM | ONLY_DATA, COUNT(sum.hitm) } },
	{ .column = { .figure = F_SAMPLES | ONLY_DATA, COUNT(sum.samples) } },
	{ .column = { .figure = F_WEIGHT | ONLY_DATA, COUNT(sum.weight) } },
	{ .column = { .figure = F_COST_CYCLES, COUNT(sum.cost) } },
	{ .column = { .figure = F_VERDICT, .get = verdict } },
};

const struct report *top_rows_report(struct top_rows *rows, size_t first, size_t nr)
{
	struct report_table *table = &rows->table;
	size_t i;

	rows->first = first < rows->nr ? first : rows->nr;
	if (nr > rows->nr - rows->first)
		nr = rows->nr - rows->first;
	report_table_begin(table, rows, "rows", NULL, nr, nr);
	table->report.rows = rows->row + rows->first;
	for (i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		struct report_column *column = report_table_add(table, known[i].column);

		if (column->get == name)
			column->title = top_by_names[rows->by];
		if (known[i].of_line && rows->by == TOP_BY_LINE)
			column->title = known[i].of_line;
		if (known[i].by && !(known[i].by >> rows->by & 1))
			column->title = NULL;
	}
	return &table->report;
}

/* Quote a name for a pattern, in which *, ? and \ are special. Of a long one, the begin has to do. */
static void quote(char text[256], const char *name)
{
	size_t used = 0;

	for (; *name && used + 3 < 256; name++) {
		if (strchr("*?\\", *name))
			text[used++] = '\\';
		text[used++] = *name;
	}
	if (*name)
		text[used++] = '*';
	text[used] = '\0';
}

bool top_row_select(const struct top_rows *rows, size_t at, struct selection *selection,
		    char text[256])
{
	const struct top_row *row = &rows->row[at];

	memset(selection, 0, sizeof(*selection));
	quote(text, rows->by == TOP_BY_CGROUP && row->group ? row->group : row->name);
	switch (rows->by) {
	case TOP_BY_PROCESS:
		selection->text[SELECT_PID] = text;
		selection->number[SELECT_PID] = row->pid;
		return true;
	case TOP_BY_THREAD:
		selection->text[SELECT_TID] = text;
		selection->number[SELECT_TID] = row->tid;
		return true;
	case TOP_BY_CGROUP:
		selection->text[SELECT_CGROUP] = text;
		return row->group;
	case TOP_BY_NODE:
		/* Only for a single node. A thread that moved between nodes is in no node's row. */
		if (!row->nodes || row->nodes & (row->nodes - 1))
			return false;
		selection->text[SELECT_NODE] = text;
		selection->number[SELECT_NODE] = (__u32)__builtin_ctzll(row->nodes);
		return true;
	case TOP_BY_FUNCTION:
		selection->text[SELECT_FUNCTION] = text;
		return true;
	case TOP_BY_DATA:
		selection->text[SELECT_DATA] = text;
		return true;
	default:
		return false;
	}
}

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
	json_put_text(document, "by", top_by_names[screen->by]);
	json_put_text(document, "order", top_order_names[screen->order]);
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

#define LINES_TOLD	24	/* lines that are examined */

/*
 * How many lines to examine. Skip those that are next to nothing, as finding names takes time.
 */
static size_t lines_told(const struct snapshot *snap)
{
	struct row_whole whole;
	size_t i, nr = 0;

	row_whole_take(&whole, snap);
	for (i = 0; i < snap->nr_lines && nr < LINES_TOLD; i++)
		nr += !row_line_is_little(&whole, &snap->lines[i]);
	return nr ? nr : 1;
}

void top_interval_take(struct top_interval *interval, const struct profile *profile,
		       const struct snapshot *session, struct namer *namer)
{
	struct c2c_options options = { .display = C2C_COST };
	const struct snapshot *snap = &profile->snap;

	memset(interval, 0, sizeof(*interval));
	interval->profile = profile;
	interval->session = session;
	interval->namer = namer;
	interval->cost = snapshot_cost(snap);
	interval->busy = snapshot_busy(&snap->head.status);
	waits_compute(&interval->waits, snap, NULL);
	snapshot_cost_by_source(&interval->profile->snap, interval->by_source);
	options.show = lines_told(snap);
	c2c_take(&interval->c2c, profile, namer, &options);
}

void top_interval_free(struct top_interval *interval)
{
	c2c_free(&interval->c2c);
}

void top_past_add(struct top_past *past, const struct top_interval *interval, __u64 ns, size_t keep)
{
	double value = 0;

	const double estimate = (double)scale_up(&interval->waits.scale, interval->cost);

	if (interval->waits.why == WAITS_COUNTED)
		value = interval->waits.high;
	else if (interval->busy)
		value = estimate / (double)interval->busy;
	else if (ns)
		value = estimate / (double)ns;
	if (keep > TOP_PAST)
		keep = TOP_PAST;
	if (past->nr >= keep && past->nr) {
		memmove(past->value, past->value + 1, (past->nr - 1) * sizeof(past->value[0]));
		past->nr--;
	}
	past->value[past->nr++] = value;
}
