// SPDX-License-Identifier: GPL-2.0
#include "figures.h"

#include <stdlib.h>
#include <string.h>

#include "../analysis/line.h"
#include "../util/order.h"
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

static void put_process(__u64 *key, const struct data_named *named)
{
	key_number(key, named->access->tgid);
	key_number(key, named->access->gen);
}

/* A variable of one file is the same in all processes that run the file. */
static void put_variable(__u64 *key, const struct data_named *named)
{
	const struct data_name *name = named->name;

	key_number(key, name->kind);
	key_text(key, name->path);
	key_text(key, name->name);
	/* Two static variables may have the same name. */
	key_text(key, name->file);
	key_number(key, name->line);
}

static void put_site(__u64 *key, const struct data_named *named)
{
	const struct code_name *site = named->name->site;

	key_number(key, site != NULL);
	if (!site)
		return;
	key_text(key, site->path);
	key_number(key, site->module_offset);
	key_text(key, site->function);
}

static bool has_type(const struct data_name *name)
{
	return name->how >= DATA_NOTED && name->type;
}

static void put_type(__u64 *key, const struct data_named *named)
{
	key_text(key, named->name->type);
}

static void put_field(__u64 *key, const struct data_named *named)
{
	put_variable(key, named);
	put_site(key, named);
	key_text(key, named->name->field);
	if (has_type(named->name))
		put_type(key, named);
	/*
	 * Without a path, the offset identifies the field. In memory without a name it means
	 * nothing.
	 */
	if (!named->name->field && named->name->how != DATA_NO_NAME)
		key_number(key, named->name->offset);
}

static void put_object(__u64 *key, const struct data_named *named)
{
	put_process(key, named);
	key_number(key, named->name->start);
	put_type(key, named);
}

/* Mappings are separate for each process. All variables of a section form one region. */
static void put_region(__u64 *key, const struct data_named *named)
{
	const struct data_name *name = named->name;

	key_number(key, name->kind);
	key_text(key, name->path);
	switch (name->kind) {
	case DATA_KERNEL:
		key_text(key, data_kernel_area(name));
		return;
	case DATA_VARIABLE:
	case DATA_TLS:
		key_text(key, name->section);
		return;
	case DATA_SHARED:
		/* It is the same region wherever it is seen. */
		key_text(key, name->name);
		return;
	case DATA_HEAP:
		put_process(key, named);
		return;
	default:
		key_text(key, name->name);
		put_process(key, named);
		if (name->kind == DATA_ANON || name->kind == DATA_FILE)
			key_number(key, name->start);
	}
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

__u64 data_key(__u64 key, const struct data_named *named, enum data_by by)
{
	static void (*const put_all[DATA_TABLES])(__u64 *, const struct data_named *) = {
		[DATA_BY_VARIABLE]	= put_variable,
		[DATA_BY_FIELD]		= put_field,
		[DATA_BY_SITE]		= put_site,
		[DATA_BY_TYPE]		= put_type,
		[DATA_BY_OBJECT]	= put_object,
		[DATA_BY_REGION]	= put_region,
	};

	put_all[by](&key, named);
	return key;
}

const struct data_name *data_most(const struct data_named *named, size_t nr, enum data_by by,
				  __u64 (*weight)(const struct memlat_rec_access *access),
				  __u64 *most)
{
	struct pivot pivot = PIVOT(struct data_row);
	const struct data_name *name = NULL;
	struct data_row *rows;
	size_t i;

	for (i = 0; i < nr; i++) {
		struct data_row *row = pivot_row(&pivot, data_key(0, &named[i], by));

		if (!row->name)
			row->name = named[i].name;
		row->sum.weight += weight(named[i].access);
	}
	rows = pivot_end(&pivot, NULL, &nr);
	*most = 0;
	for (i = 0; i < nr; i++)
		if (rows[i].sum.weight > *most) {
			*most = rows[i].sum.weight;
			name = rows[i].name;
		}
	free(rows);
	return name;
}

COMPARE(compare_cost, struct data_row,
	sums_order(&a->sum, &b->sum) ?:
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
static void note_thread(struct data_row *row)
{
	size_t place, i;

	if (!row->last.samples)
		return;
	row->nr_threads++;
	for (place = 0; place < DATA_WHO; place++)
		if (more(&row->last, &row->who[place]))
			break;
	if (place == DATA_WHO)
		return;
	for (i = DATA_WHO - 1; i > place; i--)
		row->who[i] = row->who[i - 1];
	row->who[place] = row->last;
}

/* A tie-break that does not depend on the order of the accesses. */
static bool is_first(const struct memlat_rec_access *a, const struct memlat_rec_access *b)
{
	if (a->cost != b->cost)
		return a->cost > b->cost;
	return a->addr != b->addr ? a->addr < b->addr : a->ip < b->ip;
}

static void sum_access(struct data_row *row, const struct data_named *named)
{
	const struct memlat_rec_access *access = named->access;
	const struct sums sums = sums_of_access(access);

	if (!row->access || is_first(access, row->access)) {
		row->access = access;
		row->name = named->name;
	}
	if (!row->sum.samples || access->addr < row->lowest)
		row->lowest = access->addr;
	if (access->addr > row->highest)
		row->highest = access->addr;
	if (!is_thread(&row->last, access)) {
		note_thread(row);
		row->last = (struct data_who){ access->tgid, access->gen, access->tid, 0, 0 };
	}
	row->last.samples += access->samples;
	row->last.cost += access->cost;
	sums_add(&row->sum, &sums);
}

struct data_row *data_rows(const struct data_names *names, enum data_by by, size_t *nr)
{
	struct pivot pivot = PIVOT(struct data_row);
	struct data_row *rows;
	size_t i;

	for (i = 0; i < names->nr; i++)
		if (belongs(&names->named[i], by))
			sum_access(pivot_row(&pivot, data_key(0, &names->named[i], by)), &names->named[i]);
	rows = pivot_end(&pivot, compare_cost, nr);
	for (i = 0; i < *nr; i++)
		note_thread(&rows[i]);
	return rows;
}

void data_names_find(struct data_names *names, const struct profile *profile, struct namer *namer)
{
	const size_t nr = profile->snap.nr_accesses;
	const struct memlat_rec_access *accesses = profile->snap.accesses;
	struct radix_row *order = xmallocarray(nr, sizeof(*order));
	struct radix_row *spare = xmallocarray(nr, sizeof(*spare));
	size_t i;

	for (i = 0; i < nr; i++)
		order[i] = (struct radix_row){ accesses[i].tid, i };
	radix_sort(order, spare, nr);
	for (i = 0; i < nr; i++)
		order[i].key = (__u64)accesses[order[i].row].tgid << 32 | accesses[order[i].row].gen;
	radix_sort(order, spare, nr);
	names->nr = nr;
	names->named = xcalloc(nr, sizeof(*names->named));
	for (i = 0; i < nr; i++) {
		const struct memlat_rec_access *access = &accesses[order[i].row];

		names->named[i] = (struct data_named){ access, namer_access(namer, access) };
	}
	free(order);
	free(spare);
}

void data_names_free(struct data_names *names)
{
	free(names->named);
}
