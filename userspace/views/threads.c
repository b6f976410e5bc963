// SPDX-License-Identifier: GPL-2.0
#include "phases.h"
#include "figures.h"
#include "views.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "../analysis/line.h"
#include "../profile/history.h"
#include "../util/order.h"
#include "../util/xalloc.h"

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

static const char *group_of(const struct profile *profile, const struct memlat_rec_thread *thread)
{
	return cgroups_find(&profile->cgroups, profile->history, thread->tgid, thread->gen);
}

static __u64 key_of(const struct profile *profile, const struct memlat_rec_thread *thread,
		    enum threads_by by)
{
	__u64 key = 0;

	if (by == THREADS_BY_CGROUP) {
		key_text(&key, group_of(profile, thread));
	} else if (by > THREADS_BY_CGROUP) {
		key_number(&key, by == THREADS_BY_NODE ? thread->nodes : thread->cpus);
	} else {
		key_number(&key, (__u64)thread->tgid << 32 | thread->gen);
		if (by == THREADS_BY_THREAD)
			key_number(&key, thread->tid);
	}
	return key;
}

static int by_id(const struct memlat_rec_thread *a, const struct memlat_rec_thread *b)
{
	return order(a->tgid, b->tgid) ?: order(a->tid, b->tid) ?: order(a->gen, b->gen);
}

COMPARE(compare_cost, struct threads_row, sums_order(&a->sum, &b->sum) ?: by_id(a->first, b->first))

struct threads_row *threads_group(const struct profile *profile, enum threads_by by, size_t *nr)
{
	struct pivot pivot = PIVOT(struct threads_row);
	size_t i;

	for (i = 0; i < profile->snap.nr_threads; i++) {
		const struct memlat_rec_thread *thread = &profile->snap.threads[i];
		const struct sums sums = sums_of_thread(thread);
		struct threads_row *row = pivot_row(&pivot, key_of(profile, thread, by));
		const struct memlat_rec_thread *first = row->first;

		if (!first || (order(first->cost, thread->cost) ?: by_id(thread, first)) < 0) {
			row->first = thread;
			row->group = group_of(profile, thread);
		}
		sums_add(&row->sum, &sums);
	}
	return pivot_end(&pivot, compare_cost, nr);
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
	F_PROCESS_TEXT = F_OWN, F_THREAD, F_GROUP, F_PID_KNOWN, F_TID_KNOWN, F_GEN_KNOWN,
	F_THREAD_NAME, F_PROCESS_COMM
};

static const struct figure own[] = {
	OWN(PROCESS_TEXT) = { .as = F_PROCESS, .get = process },
	OWN(THREAD)	= { NULL, "thread", true, .get = thread },
	OWN(GROUP)	= { .as = F_CGROUP, .get = cgroup },
	OWN(PID_KNOWN)	= { .as = F_PID, .get = pid },
	OWN(TID_KNOWN)	= { .as = F_TID, .get = tid },
	OWN(GEN_KNOWN)	= { .as = F_GEN, .get = gen },
	OWN(THREAD_NAME) = { .as = F_THREAD_COMM, .get = comm },
	OWN(PROCESS_COMM) = { .as = F_COMM, .get = process_comm },
};

static const unsigned short columns[] = {
	F_RANK | KEEP, F_COST | KEEP, F_PROCESS_TEXT | KEEP, F_THREAD | KEEP, F_GROUP | KEEP,
	F_NODES, F_LOADS | KEEP, F_STORES | KEEP, F_AVG | KEEP, F_HITM | KEEP, F_THREADS, F_CPUS,
	F_WEIGHT, F_PID_KNOWN | ONLY_DATA, F_TID_KNOWN | ONLY_DATA, F_GEN_KNOWN, F_THREAD_NAME,
	F_PROCESS_COMM, F_SAMPLES | ONLY_DATA,
	F_COST_CYCLES, F_END
};

static void fill(struct figures *row, const struct grid *grid)
{
	const struct threads_row *of = &((const struct threads *)grid->of)->rows[row->index];

	*row = (struct figures){
		.of = of, .sum = of->sum, .pid = of->first->tgid, .gen = of->first->gen,
	};
}

static void begin(struct grid *grid, const struct rows_view *view, const unsigned short *list,
		  bool fold)
{
	struct threads *threads = xcalloc(1, sizeof(*threads));

	threads->by = view->word;
	threads->rows = threads_group(view->profile, view->word, &grid->nr);
	grid->fill = fill;
	grid->of = threads;
	grid->own = own;
	grid->quality = (struct quality_table){ "rows", "cost", .table = TABLE_THREADS };
	grid_show(grid, view->show, fold);
	grid_columns(grid, list);
	if (!of_process(grid))
		grid_title(grid, F_PROCESS_TEXT, NULL);
	if (view->word != THREADS_BY_THREAD)
		grid_title(grid, F_THREAD, NULL);
	if (view->word > THREADS_BY_CGROUP)
		grid_title(grid, F_GROUP, NULL);
	if (view->word == THREADS_BY_THREAD)
		grid_title(grid, F_THREADS, NULL);
	if (view->word == THREADS_BY_NODE)
		grid_title(grid, F_NODES, "nodes");
	grid_title(grid, F_CPUS, "CPUs");
}

static void end(struct grid *grid)
{
	struct threads *threads = (void *)(uintptr_t)grid->of;

	free(threads->rows);
	free(threads);
}

static void print_above(FILE *out, const struct rows_view *view)
{
	const struct memlat_status *status = &view->profile->snap.head.status;
	struct waits waits;
	char *first;

	waits_compute(&waits, &view->profile->snap, view->profile->counts);
	first = XPRINTED(text, waits_put(text, &waits, status); fputs(".\n", text));
	text_fit(out, first, view->width);
	free(first);
}

static void put(struct json_object *document, const struct grid *grid)
{
	static const char *const names[THREADS_BY] = {
		[THREADS_BY_THREAD]	= "thread",
		[THREADS_BY_PROCESS]	= "process",
		[THREADS_BY_CGROUP]	= "cgroup",
		[THREADS_BY_NODE]	= "node",
		[THREADS_BY_CPU]	= "cpu",
	};

	json_put_text(document, "by", names[by(grid)]);
}

struct json_object *threads_show(FILE *out, enum report_format format, const struct rows_view *view)
{
	static const struct grid_view threads = {
		"threads", "row", columns, false, begin, print_above, NULL, put, end,
	};

	return grid_view_show(out, format, view, &threads);
}
