// SPDX-License-Identifier: GPL-2.0
#include "data.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <xxhash.h>

#include "../analysis/line.h"
#include "../names/memo.h"
#include "../util/order.h"
#include "../util/radix.h"
#include "../util/xalloc.h"

/* Much of the kernel's memory is in no symbol but was allocated: "[kernel vmalloc]". */
const char *data_kernel_area(const struct data_name *name)
{
	if (name->kind == DATA_KERNEL && name->how == DATA_VMALLOC)
		return "[kernel vmalloc]";
	if (name->kind == DATA_KERNEL && name->how > DATA_SYMBOL)
		return "[kernel objects]";
	return name->kind == DATA_KERNEL && name->name && *name->name == '[' ?
	       name->name : NULL;
}

/* The hash of a row's key, which its accesses have in common: numbers, and texts or NULL. */
static void put(__u64 *key, __u64 number)
{
	*key = XXH3_64bits_withSeed(&number, sizeof(number), *key);
}

static void put_text(__u64 *key, const char *text)
{
	*key = text ? XXH3_64bits_withSeed(text, strlen(text), *key) : *key + 1;
}

static void put_process(__u64 *key, const struct data_named *named)
{
	put(key, named->access->tgid);
	put(key, named->access->gen);
}

/* A variable of one file is the same in all processes that run the file. */
static void put_variable(__u64 *key, const struct data_named *named)
{
	const struct data_name *name = named->name;

	put(key, name->kind);
	put_text(key, name->path);
	put_text(key, name->name);
	/* Two static variables may have the same name. */
	put_text(key, name->file);
	put(key, name->line);
}

static void put_site(__u64 *key, const struct data_named *named)
{
	const struct code_name *site = named->name->site;

	put(key, site != NULL);
	if (!site)
		return;
	put_text(key, site->path);
	put(key, site->module_offset);
	put_text(key, site->function);
}

static bool has_type(const struct data_name *name)
{
	return name->how >= DATA_NOTED && name->type;
}

static void put_type(__u64 *key, const struct data_named *named)
{
	put_text(key, named->name->type);
}

static void put_field(__u64 *key, const struct data_named *named)
{
	put_variable(key, named);
	put_site(key, named);
	put_text(key, named->name->field);
	if (has_type(named->name))
		put_type(key, named);
	/*
	 * Without a path, the offset identifies the field. In memory without a name it means
	 * nothing.
	 */
	if (!named->name->field && named->name->how != DATA_NO_NAME)
		put(key, named->name->offset);
}

static void put_object(__u64 *key, const struct data_named *named)
{
	put_process(key, named);
	put(key, named->name->start);
	put_type(key, named);
}

/* Mappings are separate for each process. All variables of a section form one region. */
static void put_region(__u64 *key, const struct data_named *named)
{
	const struct data_name *name = named->name;

	put(key, name->kind);
	put_text(key, name->path);
	switch (name->kind) {
	case DATA_KERNEL:
		put_text(key, data_kernel_area(name));
		return;
	case DATA_VARIABLE:
	case DATA_TLS:
		put_text(key, name->section);
		return;
	case DATA_SHARED:
		/* It is the same region wherever it is seen. */
		put_text(key, name->name);
		return;
	case DATA_HEAP:
		put_process(key, named);
		return;
	default:
		put_text(key, name->name);
		put_process(key, named);
		if (name->kind == DATA_ANON || name->kind == DATA_FILE)
			put(key, name->start);
	}
}

static __u64 key_of(const struct data_named *named, enum data_by by)
{
	static void (*const put_all[DATA_TABLES])(__u64 *, const struct data_named *) = {
		[DATA_BY_VARIABLE]	= put_variable,
		[DATA_BY_FIELD]		= put_field,
		[DATA_BY_SITE]		= put_site,
		[DATA_BY_TYPE]		= put_type,
		[DATA_BY_OBJECT]	= put_object,
		[DATA_BY_REGION]	= put_region,
	};
	__u64 key = 0;

	put_all[by](&key, named);
	return key;
}

static bool has_symbol(const struct data_name *name)
{
	return name->kind == DATA_VARIABLE || name->kind == DATA_TLS ||
	       (name->kind == DATA_KERNEL && !data_kernel_area(name));
}

/* Does the access belong in this table? */
static bool belongs(const struct data_named *named, enum data_by by)
{
	switch (by) {
	case DATA_BY_VARIABLE:
		return has_symbol(named->name);
	case DATA_BY_FIELD:
		return has_symbol(named->name) || named->name->how == DATA_SLAB ||
		       named->name->how == DATA_VMALLOC ||
		       named->name->how == DATA_BPF_MAP ||
		       (has_type(named->name) && named->name->field);
	case DATA_BY_SITE:
		return named->name->site;
	case DATA_BY_TYPE:
	case DATA_BY_OBJECT:
		return has_type(named->name);
	default:
		return true;
	}
}

/*
 * Number the rows: group[i] of each access, from 0. Returns how many rows there are. Large programs
 * have millions of accesses and few names. So the accesses of a row are found by a hash of the row's
 * key, not by sorting. Rows of one hash are one row: of a million rows, two have the same one by
 * chance once in forty million tables.
 */
static size_t data_group(const struct data_named *named, size_t nr, enum data_by by,
			 __u32 *group)
{
	struct memo groups = { 0 };	/* an answer is the group's number, from 1 */
	size_t i, used;

	for (i = 0; i < nr; i++) {
		const struct memo_key key = { .address = key_of(&named[i], by) };
		uintptr_t number = (uintptr_t)memo_find(&groups, key);

		if (!number) {
			number = groups.used + 1;
			memo_keep(&groups, key, (const void *)number);
		}
		group[i] = (__u32)(number - 1);
	}
	used = groups.used;
	memo_free(&groups);
	return used;
}

const struct data_name *data_most(const struct data_named *named, size_t nr, enum data_by by,
				  __u64 (*weight)(const struct memlat_rec_access *access),
				  __u64 *most)
{
	__u32 *group = xcalloc(nr, sizeof(*group));
	__u64 *sums = xcalloc(nr, sizeof(*sums));
	const struct data_name *name = NULL;
	size_t i;

	data_group(named, nr, by, group);
	for (i = 0; i < nr; i++)
		sums[group[i]] += weight(named[i].access);
	*most = 0;
	for (i = 0; i < nr; i++)
		if (sums[group[i]] > *most) {
			*most = sums[group[i]];
			name = named[i].name;
		}
	free(group);
	free(sums);
	return name;
}

COMPARE(compare_cost, struct data_row,
	share_order((double)a->cost, a->samples - a->stores, (double)b->cost,
		    b->samples - b->stores) ?:
	order(b->samples, a->samples) ?:
	order(a->name->kind, b->name->kind) ?: order_text(a->name->name, b->name->name) ?:
	order_text(a->name->field, b->name->field) ?: order(a->access->addr, b->access->addr))

static bool is_thread(const struct data_who *who, const struct memlat_rec_access *access)
{
	return who->tid == access->tid && who->tgid == access->tgid &&
	       who->gen == access->gen;
}

static bool more(const struct data_who *a, const struct data_who *b)
{
	return a->cost > b->cost || (a->cost == b->cost && a->samples > b->samples);
}

/* A thread's sums are complete: keep the thread if it is one of the costliest. */
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

/* A tie-break that does not depend on the order of the accesses. */
static bool is_first(const struct memlat_rec_access *a, const struct memlat_rec_access *b)
{
	if (a->cost != b->cost)
		return a->cost > b->cost;
	return a->addr != b->addr ? a->addr < b->addr : a->ip < b->ip;
}

static void row_add(struct data_row *row, const struct data_named *named)
{
	const struct memlat_rec_access *access = named->access;

	if (!row->access || is_first(access, row->access)) {
		row->access = access;
		row->name = named->name;
	}
	if (!row->samples || access->addr < row->lowest)
		row->lowest = access->addr;
	if (access->addr > row->highest)
		row->highest = access->addr;
	row->samples += access->samples;
	row->stores += access_stores(access);
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

/* order: the accesses sorted by row, and within a row by thread. */
static void add_up(struct data_rows *rows, const struct data_named *named,
		   const struct radix_row *order, size_t nr)
{
	struct data_who thread = { 0 };
	struct data_row *row = NULL;
	size_t i;

	for (i = 0; i < nr; i++) {
		const struct memlat_rec_access *access = named[order[i].row].access;
		bool begins = !i || order[i].key != order[i - 1].key;

		if (row && (begins || !is_thread(&thread, access))) {
			note_thread(row, &thread);
			thread.samples = thread.cost = 0;
		}
		if (begins)
			row = &rows->rows[rows->nr++];
		thread.tgid = access->tgid;
		thread.gen = access->gen;
		thread.tid = access->tid;
		thread.samples += access->samples;
		thread.cost += access->cost;
		row_add(row, &named[order[i].row]);
	}
	if (row)
		note_thread(row, &thread);
}

static void sort_rows(struct radix_row *order, struct radix_row *spare,
		      const struct data_named *named, const __u32 *group, size_t nr)
{
	size_t i;

	for (i = 0; i < nr; i++)
		order[i] = (struct radix_row){ named[i].access->tid, i };
	radix_sort(order, spare, nr);
	for (i = 0; i < nr; i++) {
		const struct memlat_rec_access *access = named[order[i].row].access;

		order[i].key = (__u64)access->tgid << 32 | access->gen;
	}
	radix_sort(order, spare, nr);
	for (i = 0; i < nr; i++)
		order[i].key = group[order[i].row];
	radix_sort(order, spare, nr);
}

void data_rows_find(struct data_rows *rows, const struct data_names *names, enum data_by by)
{
	struct data_named *named = xcalloc(names->nr, sizeof(*named));
	struct radix_row *order = xmallocarray(names->nr, sizeof(*order));
	struct radix_row *spare = xmallocarray(names->nr, sizeof(*spare));
	__u32 *group = xmallocarray(names->nr, sizeof(*group));
	size_t i, nr = 0;

	*rows = (struct data_rows){ .by = by };
	for (i = 0; i < names->nr; i++)
		if (belongs(&names->named[i], by))
			named[nr++] = names->named[i];
	rows->rows = xcalloc(data_group(named, nr, by, group), sizeof(*rows->rows));
	sort_rows(order, spare, named, group, nr);
	add_up(rows, named, order, nr);
	qsort(rows->rows, rows->nr, sizeof(*rows->rows), compare_cost);
	for (i = 1; i < rows->nr; i++)
		rows->rows[i].cost_before = rows->rows[i - 1].cost_before + rows->rows[i - 1].cost;
	free(named);
	free(order);
	free(spare);
	free(group);
}

void data_rows_free(struct data_rows *rows)
{
	free(rows->rows);
	memset(rows, 0, sizeof(*rows));
}

void data_names_find(struct data_names *names, const struct profile *profile, struct namer *namer)
{
	const struct snapshot *snap = &profile->snap;
	size_t i;

	names->nr = snap->nr_accesses;
	names->named = xcalloc(names->nr, sizeof(*names->named));
	for (i = 0; i < names->nr; i++) {
		names->named[i].access = &snap->accesses[i];
		names->named[i].name = namer_access(namer, &snap->accesses[i]);
	}
}

void data_names_free(struct data_names *names)
{
	free(names->named);
}
