// SPDX-License-Identifier: GPL-2.0
#define _GNU_SOURCE
#include "phases.h"
#include "threads.h"

#include <stdlib.h>
#include <string.h>

#include "../analysis/line.h"
#include "../profile/history.h"
#include "../util/order.h"
#include "../util/xalloc.h"
#include "figures.h"

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

/* The cells are made from groups, which are as these words say. */
struct threads {
	enum threads_by by;
	struct threads_row *rows;
};

static enum threads_by by(const struct grid *grid)
{
	return ((const struct threads *)grid->of)->by;
}

static bool of_process(const struct grid *grid)
{
	return by(grid) <= THREADS_BY_PROCESS;
}

/* The name of a process is that of its first thread. */
static const char *name_of(const struct grid *grid, const struct figures *row, bool thread)
{
	const struct memlat_rec_thread *first = row->threads->first;

	return thread_name(grid->profile, first->tgid, first->gen, thread ? first->tid : first->tgid);
}

GRID_CELL(process, cell_say(grid_room(grid), "%s:%u", name_of(grid, row, false) ?: "", row->pid))
GRID_CELL(thread, cell_say(grid_room(grid), "%s:%u", name_of(grid, row, true) ?: "",
		      row->threads->first->tid))
GRID_CELL(cgroup, cell_text(by(grid) <= THREADS_BY_CGROUP ? row->threads->group : NULL))
GRID_CELL(pid, cell_known(of_process(grid), row->pid))
GRID_CELL(gen, cell_known(of_process(grid), row->gen))
GRID_CELL(tid, cell_known(by(grid) == THREADS_BY_THREAD, row->threads->first->tid))
GRID_CELL(comm, cell_text(by(grid) == THREADS_BY_THREAD ? name_of(grid, row, true) : NULL))
GRID_CELL(process_comm, cell_text(of_process(grid) ? name_of(grid, row, false) : NULL))

enum {
	F_PROCESS_TEXT = F_OWN, F_THREAD, F_CGROUP, F_THREADS, F_PID_KNOWN, F_TID, F_GEN_KNOWN,
	F_THREAD_COMM, F_PROCESS_COMM
};

static const struct figure own[] = {
	OWN(PROCESS_TEXT) = { NULL, "process", true, .get = process },
	OWN(THREAD)	= { NULL, "thread", true, .get = thread },
	OWN(CGROUP)	= { "cgroup", "cgroup", true, .get = cgroup },
	OWN(THREADS)	= { "threads", "threads",
			    REPORT_NUMBER_AT(CELL_COUNT, struct figures, threads, threads) },
	OWN(PID_KNOWN)	= { "pid", .get = pid },
	OWN(TID)	= { "tid", .get = tid },
	OWN(GEN_KNOWN)	= { "gen", .get = gen },
	OWN(THREAD_COMM) = { "comm", .get = comm },
	OWN(PROCESS_COMM) = { "process", .get = process_comm },
};

static const unsigned short columns[] = {
	F_RANK | KEEP, F_COST | KEEP, F_PROCESS_TEXT | KEEP, F_THREAD | KEEP, F_CGROUP | KEEP,
	F_NODES, F_LOADS | KEEP, F_STORES | KEEP, F_AVG | KEEP, F_HITM | KEEP, F_THREADS, F_CPUS,
	F_WEIGHT, F_PID_KNOWN, F_TID, F_GEN_KNOWN, F_THREAD_COMM, F_PROCESS_COMM, F_SAMPLES,
	F_COST_CYCLES, F_END
};

static void fill(struct figures *row, const struct grid *grid)
{
	const struct threads_row *of = &((const struct threads *)grid->of)->rows[row->index];

	*row = (struct figures){
		.of = of, .samples = of->samples, .stores = of->stores, .hitm = of->hitm,
		.latency_sum = of->latency, .weight = of->weight, .cost = of->cost,
		.cpus = of->cpus, .nodes = of->nodes, .pid = of->first->tgid, .gen = of->first->gen,
	};
}

static void begin(struct grid *grid, struct threads *threads, const struct rows_view *view,
		  bool fold)
{
	*grid = (struct grid){
		.profile = view->profile, .key = "threads", .fill = fill, .of = threads, .own = own,
		.quality = { "rows", "cost", .table = TABLE_THREADS },
	};
	threads->by = view->word;
	threads->rows = threads_group(view->profile, view->word, &grid->nr);
	qsort(threads->rows, grid->nr, sizeof(*threads->rows), compare_cost);
	grid_show(grid, view->show, fold);
	grid_columns(grid, columns);
	if (!of_process(grid))
		grid_title(grid, F_PROCESS_TEXT, NULL);
	if (view->word != THREADS_BY_THREAD)
		grid_title(grid, F_THREAD, NULL);
	if (view->word > THREADS_BY_CGROUP)
		grid_title(grid, F_CGROUP, NULL);
	if (view->word == THREADS_BY_THREAD)
		grid_title(grid, F_THREADS, NULL);
	if (view->word == THREADS_BY_NODE)
		grid_title(grid, F_NODES, "nodes");
	grid_title(grid, F_CPUS, "CPUs");
}

void threads_print(FILE *out, const struct rows_view *view)
{
	const struct memlat_status *status = &view->profile->snap.head.status;
	struct threads threads;
	struct waits waits;
	struct grid grid;
	char *first;

	if (!quality_print_begin(out, status))
		return;
	waits_compute(&waits, &view->profile->snap, view->profile->counts);
	first = XPRINTED(text, waits_put(text, &waits, status); fputs(".\n", text));
	text_fit(out, first, view->width);
	free(first);
	begin(&grid, &threads, view, true);
	fputc('\n', out);
	grid_print(out, &grid, "row", view->width);
	free(threads.rows);
}

void threads_csv(FILE *out, const struct rows_view *view)
{
	struct threads threads;
	struct grid grid;

	begin(&grid, &threads, view, false);
	report_csv(out, &grid.table.report);
	free(threads.rows);
}

struct json_object *threads_json(const struct rows_view *view)
{
	struct json_object *document = quality_document("threads", rows_snap(view));
	struct threads threads;
	struct grid grid;

	begin(&grid, &threads, view, false);
	json_put_text(document, "unit", "core cycles");
	json_put_text(document, "by", threads_by_name(view->word));
	grid_put_sums(document, &grid);
	json_put(document, "threads", report_json(&grid.table.report));
	free(threads.rows);
	return document;
}
