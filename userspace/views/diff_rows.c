// SPDX-License-Identifier: GPL-2.0
#include "diff.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <xxhash.h>

#include "../analysis/access_weight.h"
#include "../analysis/line.h"
#include "../analysis/site.h"
#include "../names/memo.h"
#include "../util/order.h"
#include "../util/source.h"
#include "../util/xalloc.h"
#include "where.h"

#define NOT_KNOWN	"(not known)"
#define NO_SYMBOL	"(no symbol)"

struct collector {
	struct diff_rows *rows;
	size_t room;
	struct memo known;	/* numbers of rows, from 1, by hash of the names */
	const struct profile *profile;
	struct namer *namer;
	enum diff_side side;
};

static __u64 hash_text(const char *text, __u64 seed)
{
	return text ? XXH3_64bits_withSeed(text, strlen(text), seed) : seed + 1;
}

static struct memo_key key_of(const struct diff_row *row)
{
	__u64 hash = hash_text(row->name, hash_text(row->field, 0));

	return (struct memo_key){ .address = hash_text(row->kind, hash_text(row->module, hash)) };
}

static void collect(struct collector *all, const struct diff_row *named,
		    const struct diff_sum *sum)
{
	const struct memo_key key = key_of(named);
	uintptr_t number = (uintptr_t)memo_find(&all->known, key);
	struct diff_row *row;
	struct diff_sum *into;

	if (!number) {
		ARRAY_GROW(all->rows->rows, all->rows->nr + 1, all->room);
		all->rows->rows[all->rows->nr++] = *named;
		number = all->rows->nr;
		memo_keep(&all->known, key, (const void *)number);
	}
	row = &all->rows->rows[number - 1];
	if (named->how > row->how)
		row->how = named->how;
	into = &row->sum[all->side];
	into->rows++;
	into->samples += sum->samples;
	into->loads += sum->loads;
	into->hitm += sum->hitm;
	into->cost += sum->cost;
}

/* Name data the same in every run, without pid and address. */
static void name_data(struct collector *all, const struct data_name *data,
		      struct diff_row *row)
{
	struct pool *pool = &all->rows->pool;

	*row = (struct diff_row){
		.name = data->name ? data->name : NOT_KNOWN,
		.field = data->field,
		.kind = data_kind_name(data->kind),
		.module = data->module,
		.how = data->how,
	};
	if (data->kind == DATA_STACK)
		row->name = "[stack]";
	else if (data->kind == DATA_HEAP && data->site)
		row->name = data->site->function ?
			    pool_format(pool, "heap of %s%s", data->site->function,
					where_call(data->site->function)) :
			    pool_format(pool, "heap of %s+0x%llx", data->site->module ?
					data->site->module : "?",
					data->site->module_offset);
}

static void collect_variables(struct collector *all)
{
	const struct snapshot *snap = &all->profile->snap;
	size_t i;

	for (i = 0; i < snap->nr_accesses; i++) {
		const struct memlat_rec_access *access = &snap->accesses[i];
		const struct diff_sum sum = {
			.samples = access->samples,
			.loads = access->samples - access_stores(access),
			.hitm = access->hitm + access->rhitm,
			.cost = access->cost,
		};
		struct diff_row row;

		name_data(all, namer_access(all->namer, access), &row);
		collect(all, &row, &sum);
	}
}

static void collect_functions(struct collector *all)
{
	const struct snapshot *snap = &all->profile->snap;
	size_t i;

	for (i = 0; i < snap->nr_sites; i++) {
		const struct memlat_rec_site *site = &snap->sites[i];
		const struct code_name *code = namer_sampled(all->namer, site->space, site->gen,
							     site->ip);
		const struct diff_sum sum = {
			.samples = site->samples,
			.loads = site_loads(site),
			.hitm = site_hitm(site),
			.cost = site->cost,
		};
		const struct diff_row row = {
			.name = code->function ? code->function :
				code->module ? NO_SYMBOL : NOT_KNOWN,
			.module = code->module,
		};

		collect(all, &row, &sum);
	}
}

/* The first used byte of the line. Bytes before may belong to another variable. */
static __u64 first_used(const struct memlat_rec_line *line)
{
	__u64 bytes = line->bytes_loaded | line->bytes_stored;

	return line->addr + (bytes ? (unsigned int)__builtin_ctzll(bytes) : 0);
}

/* A place in a mapping or area means nothing in another run. */
static bool is_symbol(const struct data_name *data)
{
	return (data->kind == DATA_VARIABLE || data->kind == DATA_TLS ||
		data->kind == DATA_KERNEL) && data->size && data->name && *data->name != '[';
}

static void collect_lines(struct collector *all)
{
	const struct snapshot *snap = &all->profile->snap;
	size_t i;

	for (i = 0; i < snap->nr_lines; i++) {
		const struct memlat_rec_line *line = &snap->lines[i];
		const struct data_name *data = namer_data(all->namer, line->space, line->gen,
							  first_used(line), 0);
		const struct diff_sum sum = {
			.samples = line->samples,
			.loads = line_loads(line),
			.hitm = line_hitm(line),
			.cost = line->cost,
		};
		struct diff_row row;

		name_data(all, data, &row);
		row.field = is_symbol(data) ?
			    pool_format(&all->rows->pool, "+0x%02llx", line->addr > data->start ?
					line->addr - data->start : 0) : NULL;
		collect(all, &row, &sum);
	}
}

static int order_name(const struct diff_row *a, const struct diff_row *b)
{
	return order_text(a->name, b->name) ?: order_text(a->field, b->field) ?:
	       order_text(a->kind, b->kind);
}

/* Sort by name. Rows of both profiles stay apart from rows of one; of these, before comes first. */
static int by_name(const void *pa, const void *pb)
{
	const struct diff_row *a = pa, *b = pb;
	bool both_a = a->sum[DIFF_BEFORE].rows && a->sum[DIFF_AFTER].rows;
	bool both_b = b->sum[DIFF_BEFORE].rows && b->sum[DIFF_AFTER].rows;

	return order_name(a, b) ?: both_a - both_b ?:
	       !a->sum[DIFF_BEFORE].rows - !b->sum[DIFF_BEFORE].rows ?:
	       order_text(a->module, b->module);
}

/*
 * A fix is often another program. Join a name's two rows if each profile has the name in one module
 * only, and the modules differ.
 */
static void match_over_modules(struct diff_rows *rows)
{
	size_t i = 0, kept = 0;

	qsort(rows->rows, rows->nr, sizeof(*rows->rows), by_name);
	while (i < rows->nr) {
		struct diff_row *row = &rows->rows[i], *next = row + 1;
		size_t same = 1;

		while (i + same < rows->nr && !order_name(row, row + same) &&
		       !(row[same].sum[DIFF_BEFORE].rows && row[same].sum[DIFF_AFTER].rows))
			same++;
		if (same == 2 && !row->sum[DIFF_AFTER].rows && !next->sum[DIFF_BEFORE].rows) {
			next->sum[DIFF_BEFORE] = row->sum[DIFF_BEFORE];
			if (row->how > next->how)
				next->how = row->how;
			rows->rows[kept++] = *next;
		} else {
			memmove(&rows->rows[kept], row, same * sizeof(*row));
			kept += same;
		}
		i += same;
	}
	rows->nr = kept;
}

static __u64 rate_of(__u64 cost, const struct profile *profile)
{
	__u64 time = profile->snap.head.status.duration_ns;
	unsigned __int128 rate = time ? (unsigned __int128)cost * 1000000000 / time : 0;

	return rate > UINT64_MAX ? UINT64_MAX : (__u64)rate;
}

static __u64 change(const struct diff_row *row)
{
	__u64 before = row->sum[DIFF_BEFORE].rate, after = row->sum[DIFF_AFTER].rate;

	return before < after ? after - before : before - after;
}

static __u64 samples(const struct diff_row *row)
{
	return row->sum[DIFF_BEFORE].samples + row->sum[DIFF_AFTER].samples;
}

COMPARE(by_change, struct diff_row,
	order(change(b), change(a)) ?: order(samples(b), samples(a)) ?: order_name(a, b) ?:
	order_text(a->module, b->module))

static void collect_side(struct collector *all)
{
	switch (all->rows->by) {
	case DIFF_BY_FUNCTION:
		collect_functions(all);
		break;
	case DIFF_BY_LINE:
		collect_lines(all);
		break;
	default:
		collect_variables(all);
	}
}

static void sum_all(struct diff_sum *sum, const struct profile *profile)
{
	sum->rows = 1;
	sum->samples = profile->snap.head.status.samples;
	sum->loads = profile->snap.head.status.loads;
	sum->hitm = source_hitm(profile->snap.buckets.count);
	sum->cost = snapshot_cost(&profile->snap);
	sum->rate = rate_of(sum->cost, profile);
}

void diff_rows_find(struct diff_rows *rows, enum diff_by by,
		    const struct profile *const profiles[DIFF_SIDES],
		    struct namer *const namers[DIFF_SIDES])
{
	struct collector all = { .rows = rows };
	unsigned int side;
	size_t i;

	*rows = (struct diff_rows){ .by = by };
	for (side = 0; side < DIFF_SIDES; side++) {
		all.side = side;
		all.profile = profiles[side];
		all.namer = namers[side];
		sum_all(&rows->all[side], profiles[side]);
		collect_side(&all);
	}
	memo_free(&all.known);
	if (!rows->nr)
		return;
	match_over_modules(rows);
	for (i = 0; i < rows->nr; i++)
		for (side = 0; side < DIFF_SIDES; side++)
			rows->rows[i].sum[side].rate =
				rate_of(rows->rows[i].sum[side].cost, profiles[side]);
	qsort(rows->rows, rows->nr, sizeof(*rows->rows), by_change);
}

void diff_rows_free(struct diff_rows *rows)
{
	free(rows->rows);
	pool_free(&rows->pool);
	*rows = (struct diff_rows){ 0 };
}
