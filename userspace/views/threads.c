// SPDX-License-Identifier: GPL-2.0
#define _GNU_SOURCE
#include "phases.h"
#include "threads.h"

#include <stdlib.h>
#include <string.h>

#include "../analysis/rank.h"
#include "../profile/history.h"
#include "../profile/imported.h"
#include "../util/order.h"
#include "../util/xalloc.h"
#include "filter.h"
#include "quality.h"
#include "report.h"
#include "row.h"

struct rows {
	const struct rows_view *view;
	struct threads_row *row;
	size_t nr, shown;
	struct row_whole whole;
	struct row_fold fold;
	struct report_table table;
};

static const char *const names[THREADS_BY] = {
	[THREADS_BY_THREAD]	= "thread",
	[THREADS_BY_PROCESS]	= "process",
	[THREADS_BY_CGROUP]	= "cgroup",
	[THREADS_BY_NODE]	= "node",
	[THREADS_BY_CPU]	= "cpu",
};

const char *threads_by_name(enum threads_by by)
{
	return names[by];
}

const char *thread_name(const struct profile *profile, __u32 tgid, __u32 gen, __u32 tid)
{
	static char name[MEMLAT_COMM_BYTES + 1];
	const struct snapshot *snap = &profile->snap;
	const struct history_image *image = NULL;
	size_t i;

	for (i = 0; i < snap->nr_threads; i++) {
		const struct memlat_rec_thread *thread = &snap->threads[i];

		if (thread->tid != tid || thread->tgid != tgid || thread->gen != gen ||
		    !*thread->comm)
			continue;
		memcpy(name, thread->comm, MEMLAT_COMM_BYTES);
		return name;
	}
	if (profile->history)
		image = history_find(profile->history, tgid, gen);
	return image ? history_thread_name(image, tid) ?: image->comm : NULL;
}

/* For qsort_r(): sort threads so that those of one row are adjacent. */
static int compare_key(const struct threads_row *a, const struct threads_row *b, enum threads_by by)
{
	switch (by) {
	case THREADS_BY_CGROUP:
		return order_text(a->group, b->group);
	case THREADS_BY_NODE:
		return order(a->nodes, b->nodes);
	case THREADS_BY_CPU:
		return order(a->cpus, b->cpus);
	default:
		return rank_thread(a->first, b->first, by == THREADS_BY_PROCESS);
	}
}

static int compare_by(const void *pa, const void *pb, void *by)
{
	const struct threads_row *a = pa, *b = pb;

	return compare_key(a, b, *(const enum threads_by *)by) ?: order(b->cost, a->cost) ?:
	       order(a->first->tgid, b->first->tgid) ?: order(a->first->tid, b->first->tid);
}

COMPARE(compare_cost, struct threads_row,
	share_order((double)a->cost, a->samples - a->stores, (double)b->cost,
		    b->samples - b->stores) ?:
	order(b->samples, a->samples) ?:
	order(a->first->tgid, b->first->tgid) ?: order(a->first->tid, b->first->tid))

static void add(struct threads_row *to, const struct threads_row *from)
{
	to->threads += from->threads;
	to->samples += from->samples;
	to->stores += from->stores;
	to->hitm += from->hitm;
	to->latency += from->latency;
	to->weight += from->weight;
	to->cost += from->cost;
	to->cpus |= from->cpus;
	to->nodes |= from->nodes;
}

struct threads_row *threads_group(const struct profile *profile, enum threads_by by, size_t *nr)
{
	const struct snapshot *snap = &profile->snap;
	struct threads_row *rows = xcalloc(snap->nr_threads, sizeof(*rows));
	size_t i;

	for (i = 0; i < snap->nr_threads; i++) {
		const struct memlat_rec_thread *thread = &snap->threads[i];

		rows[i] = (struct threads_row){
			.first = thread, .threads = 1, .samples = thread->samples,
			.stores = thread->stores, .hitm = thread->hitm,
			.latency = thread->latency_sum, .weight = thread->weight,
			.cost = thread->cost, .cpus = thread->cpus, .nodes = thread->nodes,
			.group = cgroups_find(&profile->cgroups, profile->history, thread->tgid,
					       thread->gen),
		};
	}
	qsort_r(rows, snap->nr_threads, sizeof(*rows), compare_by, &by);
	*nr = 0;
	for (i = 0; i < snap->nr_threads; i++) {
		if (*nr && !compare_key(&rows[*nr - 1], &rows[i], by))
			add(&rows[*nr - 1], &rows[i]);
		else
			rows[(*nr)++] = rows[i];
	}
	return rows;
}

static struct row_figures figures(const void *rows, size_t at)
{
	const struct threads_row *row = (const struct threads_row *)rows + at;

	return (struct row_figures){ row->cost, row->samples - row->stores, row->samples, false };
}

static void rows_find(struct rows *rows, const struct rows_view *view, bool fold)
{
	memset(rows, 0, sizeof(*rows));
	rows->view = view;
	row_whole_take(&rows->whole, rows_snap(view));
	rows->row = threads_group(view->profile, view->word, &rows->nr);
	qsort(rows->row, rows->nr, sizeof(*rows->row), compare_cost);
	rows->shown = view->show;
	if (fold)
		rows->shown = row_fold(&rows->fold, &rows->whole, view->show, rows->row, rows->nr,
				       figures);
	if (!rows->shown || rows->shown > rows->nr)
		rows->shown = rows->nr;
}

enum which {
	W_RANK, W_COST, W_PROCESS, W_THREAD, W_CGROUP, W_NODES, W_LOADS, W_STORES, W_AVG, W_HITM,
	W_THREADS, W_CPUS, W_WEIGHT, W_PID, W_TID, W_GEN, W_COMM, W_PROCESS_COMM, W_SAMPLES,
	W_COST_CYCLES, W_NR
};

#define FIGURE(kind, member)	REPORT_NUMBER(CELL_ ## kind, struct threads_row, member)
#define COUNT(member)		FIGURE(COUNT, member)

static const struct report_column known[W_NR] = {
	[W_RANK]	= { "rank", "#", false, true },
	[W_COST]	= { "cost", "cost", false, true, .bounded = true },
	[W_PROCESS]	= { NULL, "process", true, true },
	[W_THREAD]	= { NULL, "thread", true, true },
	[W_CGROUP]	= { "cgroup", "cgroup", true, true },
	[W_NODES]	= { "nodes", "nodes", true, FIGURE(BITS, nodes) },
	[W_LOADS]	= { "loads", "loads", false, true },
	[W_STORES]	= { "stores", "stores", false, true, COUNT(stores) },
	[W_AVG]		= { "latency_avg", "avg cyc", false, true },
	[W_HITM]	= { "hitm", "HITM", false, true, COUNT(hitm) },
	[W_THREADS]	= { "threads", "threads", COUNT(threads) },
	[W_CPUS]	= { "cpus", "CPUs", true, FIGURE(BITS, cpus) },
	[W_WEIGHT]	= { "weight", "est. accesses", COUNT(weight) },
	[W_PID]		= { "pid", NULL },
	[W_TID]		= { "tid", NULL },
	[W_GEN]		= { "gen", NULL },
	[W_COMM]	= { "comm", NULL },
	[W_PROCESS_COMM] = { "process", NULL },
	[W_SAMPLES]	= { "samples", NULL, COUNT(samples) },
	[W_COST_CYCLES]	= { "cost_cycles", NULL, COUNT(cost) },
};

static bool wanted(const struct rows *rows, enum which which)
{
	const struct memlat_status *status = &rows_snap(rows->view)->head.status;
	enum threads_by by = rows->view->word;

	switch (which) {
	case W_PROCESS:
		return by == THREADS_BY_THREAD || by == THREADS_BY_PROCESS;
	case W_THREAD:
		return by == THREADS_BY_THREAD;
	case W_CGROUP:
		return by <= THREADS_BY_CGROUP;
	case W_THREADS:
		return by != THREADS_BY_THREAD;
	case W_NODES:
		return by == THREADS_BY_NODE || status->nodes != 1;
	case W_COST:
	case W_LOADS:
	case W_AVG:
	case W_HITM:
		return filter_loads(status->flags);
	case W_STORES:
		return filter_stores(status->flags);
	default:
		return true;
	}
}

static struct cell who_cell(const struct rows *rows, const struct threads_row *row,
			    enum which which)
{
	struct cell_room *room = report_table_room(&rows->table);
	const struct memlat_rec_thread *thread = row->first;
	enum threads_by by = rows->view->word;
	bool is_process = by == THREADS_BY_THREAD || by == THREADS_BY_PROCESS;
	/* The name of a process is that of its first thread. */
	const char *comm = thread_name(rows->view->profile, thread->tgid, thread->gen,
				       which == W_THREAD || which == W_COMM ? thread->tid :
									      thread->tgid);

	switch (which) {
	case W_PROCESS:
		return cell_say(room, "%s:%u", comm ? comm : "", thread->tgid);
	case W_THREAD:
		return cell_say(room, "%s:%u", comm ? comm : "", thread->tid);
	case W_PID:
		return cell_known(is_process, thread->tgid);
	case W_GEN:
		return cell_known(is_process, thread->gen);
	case W_TID:
		return cell_known(by == THREADS_BY_THREAD, thread->tid);
	case W_COMM:
		return cell_text(by == THREADS_BY_THREAD ? comm : NULL);
	default:
		return cell_text(is_process ? comm : NULL);
	}
}

static struct cell cell(const void *context, size_t at, unsigned int which)
{
	const struct rows *rows = context;
	const struct threads_row *row = &rows->row[at];

	switch ((enum which)which) {
	case W_RANK:
		return cell_count(at + 1);
	case W_COST:
		return row_cost_cell(&rows->whole, row->cost, row->samples - row->stores);
	case W_CGROUP:
		return cell_text(rows->view->word <= THREADS_BY_CGROUP ? row->group : NULL);
	case W_LOADS:
		return cell_count(row->samples - row->stores);
	case W_AVG:
		return cell_ratio(CELL_AVERAGE, row->latency,
				  imported_timed(&rows_snap(rows->view)->head.status,
						 row->samples - row->stores));
	default:
		return who_cell(rows, row, which);
	}
}

static void table_make(struct rows *rows)
{
	unsigned int which;

	report_table_begin(&rows->table, rows, "threads", NULL, rows->shown, rows->shown);
	rows->table.report.rows = rows->row;
	report_table_take(&rows->table, known, W_NR, cell);
	for (which = 0; which < W_NR; which++)
		if (!wanted(rows, which))
			rows->table.columns[which].title = NULL;
}

static struct quality_table quality_of(const struct rows *rows)
{
	return (struct quality_table){
		.what = "rows",
		.order = "cost",
		.shown = rows->shown,
		.total = rows->nr,
		.table = TABLE_THREADS,
	};
}

void threads_print(FILE *out, const struct rows_view *view)
{
	const struct memlat_status *status = &view->profile->snap.head.status;
	struct quality_table quality;
	struct waits waits;
	struct rows rows;
	char *first;

	if (!quality_print_begin(out, status))
		return;
	waits_compute(&waits, &view->profile->snap, view->profile->counts);
	first = XPRINTED(text, waits_put(text, &waits, status); fputs(".\n", text));
	text_fit(out, first, view->width);
	free(first);
	rows_find(&rows, view, true);
	table_make(&rows);
	fputc('\n', out);
	report_print(out, &rows.table.report, view->width);
	quality = quality_of(&rows);
	quality_print_table(out, status, &quality);
	row_print_cpus(out, view->profile);
	quality_print_fold(out, "row", &rows.fold, snapshot_cost(rows_snap(view)));
	free(rows.row);
}

void threads_csv(FILE *out, const struct rows_view *view)
{
	struct rows rows;

	rows_find(&rows, view, false);
	table_make(&rows);
	report_csv(out, &rows.table.report);
	free(rows.row);
}

struct json_object *threads_json(const struct rows_view *view)
{
	const struct snapshot *snap = &view->profile->snap;
	struct json_object *document = quality_document("threads", snap);
	struct quality_table quality;
	struct rows rows;

	rows_find(&rows, view, false);
	table_make(&rows);
	quality = quality_of(&rows);
	json_put_text(document, "unit", "core cycles");
	json_put_text(document, "by", threads_by_name(view->word));
	json_put_count(document, "cost_cycles", snapshot_cost(snap));
	json_put_count(document, "rows_total", rows.nr);
	json_put_count(document, "rows_shown", rows.shown);
	quality_put_table(document, &snap->head.status, &quality);
	json_put(document, "threads", report_json(&rows.table.report));
	free(rows.row);
	return document;
}
