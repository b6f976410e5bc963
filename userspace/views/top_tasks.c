// SPDX-License-Identifier: GPL-2.0
/* Rows of processes, threads, cgroups and nodes. */
#include "top.h"

#include <stdlib.h>
#include <string.h>

#include "../analysis/line.h"
#include "../profile/history.h"
#include "../util/order.h"
#include "../util/source.h"
#include "../util/text.h"
#include "../util/xalloc.h"
#include "figures.h"

/* A process: its control group, the name of its first thread, and the sums of its own code. */
struct process_row {
	__u32 pid, gen;
	const char *group;
	char comm[MEMLAT_COMM_BYTES + 1];
	__u64 source[MEMLAT_SRC_NR];
};

struct tasks {
	const struct top_interval *interval;
	struct process_row *processes;	/* sorted by pid, gen */
	size_t nr_processes;
};

ORDER_BY_2(by_process, struct process_row, pid, gen)

static struct process_row *process_of(const struct tasks *tasks, __u32 pid, __u32 gen)
{
	const struct process_row wanted = { .pid = pid, .gen = gen };

	return bsearch(&wanted, tasks->processes, tasks->nr_processes, sizeof(wanted), by_process);
}

static void find_processes(struct tasks *tasks)
{
	const struct snapshot *snap = &tasks->interval->profile->snap;
	size_t i, nr = 0;

	tasks->processes = xcalloc(snap->nr_threads, sizeof(*tasks->processes));
	for (i = 0; i < snap->nr_threads; i++) {
		tasks->processes[i].pid = snap->threads[i].tgid;
		tasks->processes[i].gen = snap->threads[i].gen;
	}
	qsort(tasks->processes, snap->nr_threads, sizeof(*tasks->processes), by_process);
	for (i = 0; i < snap->nr_threads; i++)
		if (!nr || by_process(&tasks->processes[nr - 1], &tasks->processes[i]))
			tasks->processes[nr++] = tasks->processes[i];
	tasks->nr_processes = nr;
}

/*
 * Names are from the whole session's threads, because the first thread may be idle in this
 * interval.
 */
static void name_processes(struct tasks *tasks)
{
	const struct profile *profile = tasks->interval->profile;
	const struct snapshot *all = tasks->interval->session;
	struct process_row *process;
	size_t i;

	for (i = 0; i < all->nr_threads; i++) {
		const struct memlat_rec_thread *thread = &all->threads[i];

		if (thread->tid != thread->tgid)
			continue;
		process = process_of(tasks, thread->tgid, thread->gen);
		if (process)
			memcpy(process->comm, thread->comm, MEMLAT_COMM_BYTES);
	}
	for (i = 0; i < tasks->nr_processes; i++) {
		const struct history_image *image;

		process = &tasks->processes[i];
		process->group = cgroups_find(&profile->cgroups, profile->history, process->pid,
					      process->gen);
		if (*process->comm || !profile->history)
			continue;
		image = history_find(profile->history, process->pid, process->gen);
		if (image && image->comm)
			strncpy(process->comm, image->comm, MEMLAT_COMM_BYTES);
	}
}

static void add_code(struct tasks *tasks)
{
	const struct snapshot *snap = &tasks->interval->profile->snap;
	unsigned int source;
	size_t i;

	for (i = 0; i < snap->nr_sites; i++) {
		const struct memlat_rec_site *site = &snap->sites[i];
		struct process_row *process = site->space ?
					  process_of(tasks, site->space, site->gen) : NULL;

		for (source = 0; process && source < MEMLAT_SRC_NR; source++)
			process->source[source] += site->source[source];
	}
}

/* Set the row's loads of the sources that a screen shows. */
static void top_row_sources(struct top_row *row, const __u64 source[MEMLAT_SRC_NR])
{
	row->loads_known += source_total(source);
	row->l3 += source[MEMLAT_SRC_L3] + source[MEMLAT_SRC_L3_SNOOP];
	row->dram += source[MEMLAT_SRC_DRAM];
	row->remote += source[MEMLAT_SRC_RDRAM] + source[MEMLAT_SRC_RCACHE];
}

static char *name_of(const struct tasks *tasks, const struct threads_row *of, enum top_by by)
{
	char comm[MEMLAT_COMM_BYTES + 1] = "", nodes[TEXT_LIST_MAX];

	switch (by) {
	case TOP_BY_CGROUP:
		return xstrdup(of->group ? of->group : "(not known)");
	case TOP_BY_NODE:
		return xasprintf("node %s", of->sum.nodes ? text_bits(nodes, of->sum.nodes) : "-");
	case TOP_BY_THREAD:
		memcpy(comm, of->first->comm, MEMLAT_COMM_BYTES);
		return xstrdup(comm);
	default:
		return xstrdup(process_of(tasks, of->first->tgid, of->first->gen)->comm);
	}
}

static void take_row(struct top_rows *rows, const struct tasks *tasks, const struct threads_row *of)
{
	const bool is_process = rows->by == TOP_BY_PROCESS || rows->by == TOP_BY_THREAD;
	struct top_row *row = &rows->row[rows->nr++];
	size_t i;

	*row = (struct top_row){
		.pid = is_process ? of->first->tgid : 0, .gen = is_process ? of->first->gen : 0,
		.tid = rows->by == TOP_BY_THREAD ? of->first->tid : 0,
		.nodes = rows->by == TOP_BY_NODE ? of->sum.nodes : 0,
		.group = rows->by == TOP_BY_NODE ? NULL : of->group,
		.name = name_of(tasks, of, rows->by), .threads = of->sum.nr, .sum = of->sum,
	};
	/* The sums of a process's code are not known by thread. */
	if (rows->by == TOP_BY_PROCESS)
		top_row_sources(row, process_of(tasks, row->pid, row->gen)->source);
	for (i = 0; rows->by == TOP_BY_CGROUP && i < tasks->nr_processes; i++)
		if (!order_text(tasks->processes[i].group, of->group))
			top_row_sources(row, tasks->processes[i].source);
}

/* Does the row take part in the fight over a line? */
static bool takes_part(const struct top_rows *rows, const struct top_row *row,
		       const struct tasks *tasks, const struct verdict_party *party)
{
	const struct profile *profile = tasks->interval->profile;
	const char *cgroup;

	switch (rows->by) {
	case TOP_BY_CGROUP:
		cgroup = cgroups_find(&profile->cgroups, profile->history, party->pid, party->gen);
		return cgroup && row->group && !strcmp(cgroup, row->group);
	case TOP_BY_NODE:
		return party->nodes && !(party->nodes & ~row->nodes);
	case TOP_BY_THREAD:
		return party->pid == row->pid && party->gen == row->gen && party->tid == row->tid;
	default:
		return party->pid == row->pid && party->gen == row->gen;
	}
}

static char *worst_of(const struct top_interval *interval, const struct c2c_line *line,
		      const struct verdict_line *verdict)
{
	char share[TEXT_NUMBER_MAX], address[32];

	snprintf(address, sizeof(address), "0x%llx", line->half->addr);
	if (!line->half->cost || !interval->cost)
		return xasprintf("%s: %s", verdict_words(verdict),
				 line->label ? line->label : address);
	return xasprintf("%s %s: %s", text_share(share, line->half->cost, interval->cost, 1),
			 verdict_words(verdict), line->label ? line->label : address);
}

/* Lines are sorted by cost, so the first fight of a row is its worst. */
static void find_worst(struct top_rows *rows, const struct tasks *tasks)
{
	const struct c2c *c2c = &tasks->interval->c2c;
	size_t i, k, p;

	for (i = 0; i < c2c->nr_shown; i++) {
		const struct c2c_line *line = &c2c->lines[i];
		const struct verdict_line *verdict = verdict_of(c2c->verdicts, line->half);

		if (!c2c_is_fight(verdict->verdict) || line->housekeeping)
			continue;
		for (k = 0; k < rows->nr; k++) {
			struct top_row *row = &rows->row[k];

			for (p = 0; !row->worst && p < verdict->nr_parties; p++)
				if (takes_part(rows, row, tasks, &verdict->parties[p]))
					row->worst = worst_of(tasks->interval, line, verdict);
		}
	}
}

void top_find_tasks(struct top_rows *rows, const struct top_interval *interval)
{
	static const enum threads_by by[] = {
		[TOP_BY_PROCESS] = THREADS_BY_PROCESS, [TOP_BY_THREAD] = THREADS_BY_THREAD,
		[TOP_BY_CGROUP] = THREADS_BY_CGROUP, [TOP_BY_NODE] = THREADS_BY_NODE,
	};
	struct tasks tasks = { .interval = interval };
	struct threads_row *groups;
	size_t nr, i;

	find_processes(&tasks);
	name_processes(&tasks);
	add_code(&tasks);
	groups = threads_group(interval->profile, by[rows->by], &nr);
	rows->row = xcalloc(nr, sizeof(*rows->row));
	for (i = 0; i < nr; i++)
		take_row(rows, &tasks, &groups[i]);
	find_worst(rows, &tasks);
	free(groups);
	free(tasks.processes);
}

/* Rows of cache lines, functions and data. */

/* Finding names takes time: only the costliest lines get names. */
#define NAMED_LINES	60
#define NAMED_SITES	1024
#define NAMED_ACCESSES	1024

static const char *const unnamed = "(no name)";

struct story top_story(const struct top_interval *interval, const struct memlat_rec_line *line)
{
	return (struct story){
		.profile = interval->profile, .namer = interval->namer,
		.verdicts = interval->c2c.verdicts, .line = line, .number = 1,
		.cost = interval->cost,
	};
}

static void take_line(struct top_rows *rows, const struct top_interval *interval,
		      const struct memlat_rec_line *line)
{
	const struct story story = top_story(interval, line);
	const char *words = verdict_text(VERDICT_TOO_FEW);
	struct top_row *row = &rows->row[rows->nr++];
	char *label = NULL;

	*row = (struct top_row){
		.pid = line->space, .gen = line->gen, .addr = line->addr, .line = line,
		.verdict = VERDICT_TOO_FEW,
		.sum = sums_of_line(line),
	};
	top_row_sources(row, line->source);
	/* Finding names takes time. */
	if (!row_line_is_little(&rows->whole, line)) {
		const struct verdict_line *verdict = verdict_of(interval->c2c.verdicts, line);

		label = story_data(&story, true);
		row->verdict = verdict->verdict;
		words = verdict_words(verdict);
		row->threads = verdict->nr_parties;
	}
	row->name = label ? label : xasprintf("0x%llx", line->addr);
	row->worst = xstrdup(words);
}

static int by_order(const void *pa, const void *pb)
{
	const struct lineset_line *a = *(const struct lineset_line *const *)pa;
	const struct lineset_line *b = *(const struct lineset_line *const *)pb;

	/*
	 * Lines that only stores tell of come after lines with a cost, those with the most stores
	 * first.
	 */
	return order(b->rec->cost, a->rec->cost) ?: order(b->rec->samples, a->rec->samples) ?:
	       order(a->start, b->start);
}

static int by_hitm(const void *pa, const void *pb)
{
	const struct lineset_line *a = *(const struct lineset_line *const *)pa;
	const struct lineset_line *b = *(const struct lineset_line *const *)pb;

	return order(line_hitm(b->rec), line_hitm(a->rec)) ?: by_order(pa, pb);
}

void top_find_lines(struct top_rows *rows, const struct top_interval *interval,
		    enum top_order order)
{
	const struct lineset *set = interval->c2c.set;
	size_t nr = set ? lineset_lines(set) : 0, i;
	const struct lineset_line **lines = xcalloc(nr, sizeof(const struct lineset_line *));

	for (i = 0; i < nr; i++)
		lines[i] = lineset_line(set, i);
	qsort(lines, nr, sizeof(*lines), order == TOP_HITM ? by_hitm : by_order);
	rows->row = xcalloc(NAMED_LINES, sizeof(*rows->row));
	for (i = 0; i < nr && i < NAMED_LINES; i++)
		take_line(rows, interval, lines[i]->rec);
	for (; i < nr; i++)
		rows->rest_cost += lines[i]->rec->cost;
	free(lines);
}

void top_find_functions(struct top_rows *rows, const struct top_interval *interval)
{
	struct profile some = *interval->profile;
	const size_t nr = some.snap.nr_sites;
	struct dcache_row *functions;
	size_t found, i;

	/* Sort a copy, because the interval's rows must stay in their order. */
	some.snap.sites = xcalloc(nr, sizeof(*some.snap.sites));
	if (nr)
		memcpy(some.snap.sites, interval->profile->snap.sites, nr * sizeof(*some.snap.sites));
	site_sort(some.snap.sites, nr, SITE_BY_COST);
	for (i = NAMED_SITES; i < nr; i++)
		rows->rest_cost += some.snap.sites[i].cost;
	if (some.snap.nr_sites > NAMED_SITES)
		some.snap.nr_sites = NAMED_SITES;
	functions = dcache_rows(&some, interval->namer, DCACHE_FUNCTION, &found);
	rows->row = xcalloc(found, sizeof(*rows->row));
	for (i = 0; i < found; i++) {
		const struct dcache_row *of = &functions[i];
		const char *name = of->name->function ? of->name->function : of->name->raw;
		struct top_row *row = &rows->row[rows->nr++];

		*row = (struct top_row){
			.name = xstrdup(name ? name : unnamed),
			.module = of->name->module ? xstrdup(of->name->module) : NULL,
			.sum = of->all,
		};
		top_row_sources(row, of->sum.source);
	}
	free(functions);
	free(some.snap.sites);
}

COMPARE(by_cost, struct memlat_rec_access,
	order(b->cost, a->cost) ?: order(b->samples, a->samples) ?: order(a->addr, b->addr))

void top_find_data(struct top_rows *rows, const struct top_interval *interval)
{
	struct profile some = *interval->profile;
	const size_t nr = some.snap.nr_accesses;
	struct data_names names;
	struct data_row *data;
	__u64 known = interval->profile->own.cost;
	size_t found, i;

	some.snap.accesses = xcalloc(nr, sizeof(*some.snap.accesses));
	if (nr)
		memcpy(some.snap.accesses, interval->profile->snap.accesses,
		       nr * sizeof(*some.snap.accesses));
	qsort(some.snap.accesses, nr, sizeof(*some.snap.accesses), by_cost);
	for (i = NAMED_ACCESSES; i < nr; i++)
		rows->rest_cost += some.snap.accesses[i].cost;
	known += rows->rest_cost;
	if (some.snap.nr_accesses > NAMED_ACCESSES)
		some.snap.nr_accesses = NAMED_ACCESSES;
	data_names_find(&names, &some, interval->namer);
	data = data_rows(&names, DATA_BY_FIELD, &found);
	rows->row = xcalloc(found, sizeof(*rows->row));
	for (i = 0; i < found; i++) {
		const struct data_row *of = &data[i];

		known += of->sum.cost;
		rows->row[rows->nr++] = (struct top_row){
			.name = xstrdup(of->name->text ? of->name->text : unnamed),
			.module = of->name->module ? xstrdup(of->name->module) : NULL,
			.threads = of->nr_threads, .sum = of->sum,
		};
	}
	rows->nameless_cost = rows->cost > known ? rows->cost - known : 0;
	free(data);
	data_names_free(&names);
	free(some.snap.accesses);
}
