// SPDX-License-Identifier: GPL-2.0
/* Rows of processes, threads, cgroups and nodes. */
#define _GNU_SOURCE
#include "top_rows.h"

#include <stdlib.h>
#include <string.h>

#include "../analysis/rank.h"
#include "../profile/history.h"
#include "../util/order.h"
#include "../util/source.h"
#include "../util/text.h"
#include "../util/xalloc.h"

/* A process: the sums of its own code, and the name of its first thread. */
struct process {
	__u32 pid, gen;
	char comm[MEMLAT_COMM_BYTES + 1];
	bool taken;		/* its code has been added to a row */
	__u64 source[MEMLAT_SRC_NR];
};

struct task {
	const struct memlat_rec_thread *thread;
	struct process *process;
	const char *group;
};

struct tasks {
	const struct top_interval *interval;
	struct process *processes;	/* sorted by pid, gen */
	size_t nr_processes;
	struct task *task;
	size_t nr;
};

ORDER_BY_2(by_process, struct process, pid, gen)

static struct process *process_of(const struct tasks *tasks, __u32 pid, __u32 gen)
{
	const struct process wanted = { .pid = pid, .gen = gen };

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
	const struct snapshot *all = tasks->interval->session;
	struct process *process;
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
		if (*process->comm || !tasks->interval->profile->history)
			continue;
		image = history_find(tasks->interval->profile->history, process->pid, process->gen);
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
		struct process *process = site->space ?
					  process_of(tasks, site->space, site->gen) : NULL;

		for (source = 0; process && source < MEMLAT_SRC_NR; source++)
			process->source[source] += site->source[source];
	}
}

static int compare_key(const struct task *a, const struct task *b, enum top_by by)
{
	switch (by) {
	case TOP_BY_CGROUP:
		return order_text(a->group, b->group);
	case TOP_BY_NODE:
		return order(a->thread->nodes, b->thread->nodes);
	default:
		return rank_thread(a->thread, b->thread, by == TOP_BY_PROCESS);
	}
}

static int compare(const void *pa, const void *pb, void *by)
{
	const struct task *a = pa, *b = pb;

	return compare_key(a, b, *(const enum top_by *)by) ?:
	       order(a->thread->tid, b->thread->tid);
}

void top_row_sources(struct top_row *row, const __u64 source[MEMLAT_SRC_NR])
{
	row->loads_known += source_total(source);
	row->l3 += source[MEMLAT_SRC_L3] + source[MEMLAT_SRC_L3_SNOOP];
	row->dram += source[MEMLAT_SRC_DRAM];
	row->remote += source[MEMLAT_SRC_RDRAM] + source[MEMLAT_SRC_RCACHE];
}

static char *name_of(const struct task *task, enum top_by by)
{
	const struct memlat_rec_thread *thread = task->thread;
	char comm[MEMLAT_COMM_BYTES + 1] = "", nodes[TEXT_LIST_MAX];

	switch (by) {
	case TOP_BY_CGROUP:
		return xstrdup(task->group ? task->group : "(not known)");
	case TOP_BY_NODE:
		return xasprintf("node %s", thread->nodes ? text_bits(nodes, thread->nodes) : "-");
	case TOP_BY_THREAD:
		memcpy(comm, thread->comm, MEMLAT_COMM_BYTES);
		return xstrdup(comm);
	default:
		return xstrdup(task->process->comm);
	}
}

static struct top_row *row_new(struct top_rows *rows, const struct task *task)
{
	const struct memlat_rec_thread *thread = task->thread;
	struct top_row *row = &rows->row[rows->nr++];
	const bool is_process = rows->by == TOP_BY_PROCESS || rows->by == TOP_BY_THREAD;

	*row = (struct top_row){
		.pid = is_process ? thread->tgid : 0, .gen = is_process ? thread->gen : 0,
		.tid = rows->by == TOP_BY_THREAD ? thread->tid : 0,
		.nodes = rows->by == TOP_BY_NODE ? thread->nodes : 0,
		.group = rows->by == TOP_BY_NODE ? NULL : task->group,
		.name = name_of(task, rows->by),
	};
	return row;
}

static void row_add(struct top_rows *rows, struct top_row *row, const struct task *task)
{
	const struct memlat_rec_thread *thread = task->thread;

	row->threads++;
	row->samples += thread->samples;
	row->stores += thread->stores;
	row->hitm += thread->hitm;
	row->latency += thread->latency_sum;
	row->weight += thread->weight;
	row->cost += thread->cost;
	/* The sums of a process's code are not known by thread. */
	if ((rows->by != TOP_BY_PROCESS && rows->by != TOP_BY_CGROUP) || task->process->taken)
		return;
	task->process->taken = true;
	top_row_sources(row, task->process->source);
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
		return xasprintf("%s: %s", verdict_text(verdict->verdict),
				 line->label ? line->label : address);
	return xasprintf("%s %s: %s", text_share(share, line->half->cost, interval->cost, 1),
			 verdict_text(verdict->verdict), line->label ? line->label : address);
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
	const struct profile *profile = interval->profile;
	const struct snapshot *snap = &profile->snap;
	struct tasks tasks = { .interval = interval, .nr = snap->nr_threads };
	enum top_by by = rows->by;
	struct top_row *row = NULL;
	size_t i;

	find_processes(&tasks);
	name_processes(&tasks);
	add_code(&tasks);
	tasks.task = xcalloc(tasks.nr, sizeof(*tasks.task));
	for (i = 0; i < tasks.nr; i++) {
		const struct memlat_rec_thread *thread = &snap->threads[i];

		tasks.task[i] = (struct task){
			.thread = thread,
			.process = process_of(&tasks, thread->tgid, thread->gen),
			.group = cgroups_find(&profile->cgroups, profile->history, thread->tgid,
					       thread->gen),
		};
	}
	qsort_r(tasks.task, tasks.nr, sizeof(*tasks.task), compare, &by);
	rows->row = xcalloc(tasks.nr, sizeof(*rows->row));
	for (i = 0; i < tasks.nr; i++) {
		if (!i || compare_key(&tasks.task[i - 1], &tasks.task[i], by))
			row = row_new(rows, &tasks.task[i]);
		row_add(rows, row, &tasks.task[i]);
	}
	find_worst(rows, &tasks);
	free(tasks.task);
	free(tasks.processes);
}
