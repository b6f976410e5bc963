// SPDX-License-Identifier: GPL-2.0
#define _GNU_SOURCE
#include "data_rows.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "order.h"

struct named {
	const struct memlat_rec_access *access;
	const struct data_name *name;
};

struct data_names {
	size_t nr;
	struct named *named;
};

static int order_process(const struct named *a, const struct named *b)
{
	int ret = order(a->access->tgid, b->access->tgid);

	return ret ? ret : order(a->access->gen, b->access->gen);
}

/* Of the kernel much is in no symbol: memory that it allocated, "[kernel vmalloc]". */
const char *data_kernel_area(const struct data_name *name)
{
	return name->kind == DATA_KERNEL && name->name && *name->name == '[' ?
	       name->name : NULL;
}

static bool has_symbol(const struct data_name *name)
{
	return name->kind == DATA_VARIABLE || name->kind == DATA_TLS ||
	       (name->kind == DATA_KERNEL && !data_kernel_area(name));
}

static bool has_site(const struct data_name *name)
{
	return name->site != NULL;
}

/* A variable of one file is the same in all processes that run it. */
static int compare_variable(const struct named *a, const struct named *b)
{
	int ret = order(a->name->kind, b->name->kind);

	if (!ret)
		ret = order_text(a->name->path, b->name->path);
	if (!ret)
		ret = order_text(a->name->name, b->name->name);
	/* Two static ones may have one name. */
	if (!ret)
		ret = order_text(a->name->file, b->name->file);
	return ret ? ret : order(a->name->line, b->name->line);
}

static int compare_site(const struct named *a, const struct named *b)
{
	const struct code_name *at = a->name->site, *bt = b->name->site;
	int ret = order(at != NULL, bt != NULL);

	if (ret || !at || at == bt)
		return ret;
	ret = order_text(at->path, bt->path);
	if (!ret)
		ret = order(at->module_offset, bt->module_offset);
	return ret ? ret : order_text(at->function, bt->function);
}

static int compare_field(const struct named *a, const struct named *b)
{
	int ret = compare_variable(a, b);

	if (!ret)
		ret = compare_site(a, b);
	if (!ret)
		ret = order_text(a->name->field, b->name->field);
	/* Without a path the offset tells. */
	if (!ret && !a->name->field)
		ret = order(a->name->offset, b->name->offset);
	return ret;
}

/* Mappings are told apart by process; variables are all in one of their section's. */
static int compare_region(const struct named *a, const struct named *b)
{
	int ret = order(a->name->kind, b->name->kind);

	if (!ret)
		ret = order_text(a->name->path, b->name->path);
	if (!ret && a->name->kind == DATA_KERNEL)
		return order_text(data_kernel_area(a->name), data_kernel_area(b->name));
	if (ret)
		return ret;
	if (a->name->kind == DATA_VARIABLE || a->name->kind == DATA_TLS)
		return order_text(a->name->section, b->name->section);
	if (!ret && a->name->kind != DATA_HEAP)
		ret = order_text(a->name->name, b->name->name);
	/* A shared mapping is one wherever it is seen. */
	if (!ret && a->name->kind != DATA_SHARED)
		ret = order_process(a, b);
	if (!ret && (a->name->kind == DATA_ANON || a->name->kind == DATA_FILE))
		ret = order(a->name->start, b->name->start);
	return ret;
}

static int (*const compare[DATA_TABLES])(const struct named *, const struct named *) = {
	[DATA_BY_VARIABLE]	= compare_variable,
	[DATA_BY_FIELD]		= compare_field,
	[DATA_BY_SITE]		= compare_site,
	[DATA_BY_REGION]	= compare_region,
};

static bool belongs(const struct named *named, enum data_by by)
{
	switch (by) {
	case DATA_BY_VARIABLE:
		return has_symbol(named->name);
	case DATA_BY_FIELD:
		return has_symbol(named->name) ||
		       (has_site(named->name) && named->name->field);
	case DATA_BY_SITE:
		return has_site(named->name);
	default:
		return true;
	}
}

/* For qsort_r(): what is one row side by side, and in it what is one thread. */
static int compare_by(const void *pa, const void *pb, void *by)
{
	const struct named *a = pa, *b = pb;
	int ret = compare[*(const enum data_by *)by](a, b);

	if (!ret)
		ret = order_process(a, b);
	if (!ret)
		ret = order(a->access->tid, b->access->tid);
	if (!ret)
		ret = order(a->access->addr, b->access->addr);
	return ret ? ret : order(a->access->ip, b->access->ip);
}

static int compare_cost(const void *pa, const void *pb)
{
	const struct data_row *a = pa, *b = pb;
	int ret = order(b->cost, a->cost);

	if (!ret)
		ret = order(b->samples, a->samples);
	if (!ret)
		ret = order(a->name->kind, b->name->kind);
	if (!ret)
		ret = order_text(a->name->name, b->name->name);
	if (!ret)
		ret = order_text(a->name->field, b->name->field);
	return ret ? ret : order(a->access->addr, b->access->addr);
}

static bool is_thread(const struct data_who *who, const struct memlat_rec_access *access)
{
	return who->tid == access->tid && who->tgid == access->tgid &&
	       who->gen == access->gen;
}

static bool more(const struct data_who *a, const struct data_who *b)
{
	return a->cost > b->cost || (a->cost == b->cost && a->samples > b->samples);
}

/* A thread is whole: is it one of those that are named? */
static void note_thread(struct data_row *row, const struct data_who *thread)
{
	size_t place, i;

	if (!thread->samples)
		return;
	row->nr_threads++;
	for (place = 0; place < DATA_WHO; place++)
		if (more(thread, &row->who[place]))
			break;
	if (place == DATA_WHO)
		return;
	for (i = DATA_WHO - 1; i > place; i--)
		row->who[i] = row->who[i - 1];
	row->who[place] = *thread;
}

static void row_add(struct data_row *row, const struct named *named)
{
	const struct memlat_rec_access *access = named->access;

	if (!row->access || access->cost > row->access->cost) {
		row->access = access;
		row->name = named->name;
	}
	if (!row->samples || access->addr < row->lowest)
		row->lowest = access->addr;
	if (access->addr > row->highest)
		row->highest = access->addr;
	row->samples += access->samples;
	row->stores += access->stores;
	row->hitm += access->hitm;
	row->rhitm += access->rhitm;
	row->latency += access->latency_sum;
	if (access->latency_max > row->latency_max)
		row->latency_max = access->latency_max;
	row->weight += access->weight;
	row->cost += access->cost;
	row->cpus |= access->cpus;
	row->nodes |= access->nodes;
}

static void add_up(struct data_rows *rows, const struct named *named, size_t nr)
{
	struct data_who thread = { 0 };
	struct data_row *row = NULL;
	size_t i;

	for (i = 0; i < nr; i++) {
		const struct memlat_rec_access *access = named[i].access;
		bool begins = !i || compare[rows->by](&named[i - 1], &named[i]);

		if (row && (begins || !is_thread(&thread, access))) {
			note_thread(row, &thread);
			thread.samples = thread.cost = 0;
		}
		if (begins)
			row = &rows->rows[rows->total++];
		thread.tgid = access->tgid;
		thread.gen = access->gen;
		thread.tid = access->tid;
		thread.samples += access->samples;
		thread.cost += access->cost;
		row_add(row, &named[i]);
		rows->samples += access->samples;
		rows->cost += access->cost;
	}
	if (row)
		note_thread(row, &thread);
}

static size_t count_rows(const struct named *named, size_t nr, enum data_by by)
{
	size_t i, nr_rows = 0;

	for (i = 0; i < nr; i++)
		nr_rows += !i || compare[by](&named[i - 1], &named[i]);
	return nr_rows;
}

static void keep_top(struct data_rows *rows, size_t show)
{
	struct data_row *fewer;
	__u64 before = 0;
	size_t i;

	qsort(rows->rows, rows->total, sizeof(*rows->rows), compare_cost);
	rows->nr = show && show < rows->total ? show : rows->total;
	for (i = 0; i < rows->nr; i++) {
		rows->rows[i].cost_before = before;
		before += rows->rows[i].cost;
	}
	if (!rows->nr)
		return;
	fewer = realloc(rows->rows, rows->nr * sizeof(*rows->rows));
	if (fewer)
		rows->rows = fewer;
}

int data_rows_find(struct data_rows *rows, struct data_names *names, enum data_by by,
		   size_t show)
{
	struct named *named = calloc(names->nr + 1, sizeof(*named));
	size_t i, nr = 0;

	*rows = (struct data_rows){ .by = by };
	if (!named)
		return -ENOMEM;
	for (i = 0; i < names->nr; i++)
		if (belongs(&names->named[i], by))
			named[nr++] = names->named[i];
	qsort_r(named, nr, sizeof(*named), compare_by, &by);
	rows->rows = calloc(count_rows(named, nr, by) + 1, sizeof(*rows->rows));
	if (rows->rows) {
		add_up(rows, named, nr);
		keep_top(rows, show);
	}
	free(named);
	return rows->rows ? 0 : -ENOMEM;
}

void data_rows_free(struct data_rows *rows)
{
	free(rows->rows);
	memset(rows, 0, sizeof(*rows));
}

struct data_names *data_names_new(const struct profile *profile, struct namer *namer)
{
	const struct snapshot *snap = &profile->snap;
	struct data_names *names = calloc(1, sizeof(*names));
	size_t i;

	if (!names)
		return NULL;
	names->named = calloc(snap->nr_accesses + 1, sizeof(*names->named));
	if (!names->named) {
		free(names);
		return NULL;
	}
	names->nr = snap->nr_accesses;
	for (i = 0; i < names->nr; i++) {
		const struct memlat_rec_access *access = &snap->accesses[i];

		names->named[i].access = access;
		names->named[i].name = namer_data(namer, access->tgid, access->gen,
						  access->addr, access->tid);
	}
	return names;
}

void data_names_free(struct data_names *names)
{
	if (!names)
		return;
	free(names->named);
	free(names);
}
