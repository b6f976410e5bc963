// SPDX-License-Identifier: GPL-2.0
#define _GNU_SOURCE
#include "diff.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "../analysis/line.h"
#include "../analysis/selection.h"
#include "../util/number.h"
#include "../util/order.h"
#include "../util/source.h"
#include "../util/text.h"
#include "../util/xalloc.h"

#define NOT_KNOWN	"(not known)"
#define NO_SYMBOL	"(no symbol)"

struct collector {
	struct diff_rows *rows;
	struct pivot pivot;
	const struct profile *profile;
	struct namer *namer;
	enum diff_side side;
};

static void collect(struct collector *all, const struct diff_row *named, struct sums sum)
{
	struct diff_row *row;
	__u64 key = named->apart;

	key_text(&key, named->name);
	key_text(&key, named->field);
	key_text(&key, named->kind);
	key_text(&key, named->module);
	row = pivot_row(&all->pivot, key);
	if (!row->name)
		*row = *named;
	if (named->how > row->how)
		row->how = named->how;
	sums_add(&row->sum[all->side], &sum);
	share_add(&row->share[all->side], (double)sum.cost, sums_loads(&sum));
}

/* Code that the program did not choose to run, as --program leaves it out. */
static bool is_apart(const struct collector *all, __u32 space, __u32 gen, __u64 ip)
{
	return kernel_address(ip) || selection_is_loader(all->profile, space, gen, ip);
}

void diff_name_data(struct pool *pool, const struct data_name *data, struct diff_row *row)
{
	*row = (struct diff_row){
		.name = data->name ? data->name : NOT_KNOWN,
		.field = data->field ? text_without_indices(pool_text(pool, data->field)) : NULL,
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

/* By type: of what has none, the name is its kind. */
static void name_type(const struct data_name *data, struct diff_row *row)
{
	if (data->type)
		row->name = data->type;
	row->field = row->kind = row->module = NULL;
}

static void collect_variables(struct collector *all)
{
	const struct snapshot *snap = &all->profile->snap;
	size_t i;

	for (i = 0; i < snap->nr_accesses; i++) {
		const struct memlat_rec_access *access = &snap->accesses[i];
		const struct data_name *data = namer_access(all->namer, access);
		struct diff_row row;

		diff_name_data(&all->rows->pool, data, &row);
		if (all->rows->by == DIFF_BY_TYPE)
			name_type(data, &row);
		row.apart = is_apart(all, access->tgid, access->gen, access->ip);
		collect(all, &row, sums_of_access(access));
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
		const struct diff_row row = {
			.name = code->function ? code->function :
				code->module ? NO_SYMBOL : NOT_KNOWN,
			.module = code->module,
			.apart = is_apart(all, site->space, site->gen, site->ip),
		};

		collect(all, &row, sums_of_site(site));
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
		struct diff_row row;

		diff_name_data(&all->rows->pool, data, &row);
		if (!row.field && is_symbol(data))
			row.field = pool_format(&all->rows->pool, "+0x%02llx", line->addr > data->start ?
						line->addr - data->start : 0);
		row.apart = kernel_address(line->addr) ||
			    is_apart(all, line->space, line->gen, line->ip);
		collect(all, &row, sums_of_line(line));
	}
}

static int order_name(const struct diff_row *a, const struct diff_row *b)
{
	return order_text(a->name, b->name) ?: order_text(a->field, b->field) ?:
	       order_text(a->kind, b->kind) ?: a->apart - b->apart;
}

/* Sort by name. Rows of both profiles stay apart from rows of one; of these, before comes first. */
static int by_name(const void *pa, const void *pb)
{
	const struct diff_row *a = pa, *b = pb;
	bool both_a = a->sum[DIFF_BEFORE].nr && a->sum[DIFF_AFTER].nr;
	bool both_b = b->sum[DIFF_BEFORE].nr && b->sum[DIFF_AFTER].nr;

	return order_name(a, b) ?: both_a - both_b ?:
	       !a->sum[DIFF_BEFORE].nr - !b->sum[DIFF_BEFORE].nr ?:
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
		       !(row[same].sum[DIFF_BEFORE].nr && row[same].sum[DIFF_AFTER].nr))
			same++;
		if (same == 2 && !row->sum[DIFF_AFTER].nr && !next->sum[DIFF_BEFORE].nr) {
			next->sum[DIFF_BEFORE] = row->sum[DIFF_BEFORE];
			next->share[DIFF_BEFORE] = row->share[DIFF_BEFORE];
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

/* The least that a row surely changed by; or what it costs at least, where that is not sure. */
static double weight_of(const struct diff_row *row, const struct diff_rows *rows)
{
	double least[DIFF_SIDES] = { 0 };
	unsigned int side;

	if (row->sure)
		return fmin(fabs(row->change.low), fabs(row->change.high));
	for (side = 0; side < DIFF_SIDES; side++)
		if (rows->per[side] > 0)
			least[side] = share_least((double)row->sum[side].cost, sums_loads(&row->sum[side])) /
				      rows->per[side];
	return fmax(least[DIFF_BEFORE], least[DIFF_AFTER]);
}

static __u64 samples(const struct diff_row *row)
{
	return row->sum[DIFF_BEFORE].samples + row->sum[DIFF_AFTER].samples;
}

bool diff_is_few(const struct diff_row *row)
{
	return !row->sure && samples(row) < DIFF_FEW;
}

static int by_change(const void *pa, const void *pb, void *rows)
{
	const struct diff_row *a = pa, *b = pb;
	const double first = weight_of(a, rows), second = weight_of(b, rows);

	return a->apart - b->apart ?: b->sure - a->sure ?: diff_is_few(a) - diff_is_few(b) ?:
	       (first < second) - (first > second) ?:
	       order(samples(b), samples(a)) ?: order_name(a, b) ?: order_text(a->module, b->module);
}

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

static void sum_all(struct diff_row *all, enum diff_side side, const struct snapshot *snap)
{
	const struct memlat_status *status = &snap->head.status;
	struct row_whole whole;

	row_whole_take(&whole, snap);
	all->sum[side] = (struct sums){
		.nr = 1, .samples = status->samples, .stores = status->samples - status->loads,
		.hitm = source_hitm(snap->buckets.count), .cost = snapshot_cost(snap),
	};
	all->share[side] = whole.cost;
}

void diff_relate(struct diff_rows *rows, const struct profile *const profiles[DIFF_SIDES])
{
	unsigned int side;

	rows->per_instruction = snapshot_instructions(&profiles[DIFF_BEFORE]->snap) > 0 &&
				snapshot_instructions(&profiles[DIFF_AFTER]->snap) > 0;
	for (side = 0; side < DIFF_SIDES; side++) {
		const struct memlat_status *status = &profiles[side]->snap.head.status;

		rows->per[side] = rows->per_instruction ?
				  snapshot_instructions(&profiles[side]->snap) / 1e6 :
				  (double)status->duration_ns / 1e9;
		/* Where no load was sampled, one would have stood for its period. */
		rows->unit[side] = rows->per[side] > 0 ?
				   (status->loads ? (double)status->weight_loads / (double)status->loads :
				    (double)(status->period_high ?: status->period)) / rows->per[side] : 0;
	}
}

static void judge(struct diff_row *row, const struct diff_rows *rows)
{
	struct share rate[DIFF_SIDES];
	unsigned int side;

	for (side = 0; side < DIFF_SIDES; side++)
		if (rows->per[side] > 0)
			row->rate[side] = number_whole((double)row->sum[side].cost / rows->per[side]);
	if (!diff_is_timed(rows))
		return;
	for (side = 0; side < DIFF_SIDES; side++)
		rate[side] = share_rate(&row->share[side], rows->per[side]);
	row->change = share_change(rate, rows->unit);
	row->sure = row->change.low > 0 || row->change.high < 0;
}

void diff_rows_find(struct diff_rows *rows, enum diff_by by,
		    const struct profile *const profiles[DIFF_SIDES],
		    struct namer *const namers[DIFF_SIDES])
{
	struct collector all = { .rows = rows, .pivot = PIVOT(struct diff_row) };
	unsigned int side;
	size_t i;

	*rows = (struct diff_rows){ .by = by };
	diff_relate(rows, profiles);
	for (side = 0; side < DIFF_SIDES; side++) {
		all.side = side;
		all.profile = profiles[side];
		all.namer = namers[side];
		sum_all(&rows->all, side, &profiles[side]->snap);
		collect_side(&all);
	}
	judge(&rows->all, rows);
	rows->rows = pivot_end(&all.pivot, NULL, &rows->nr);
	if (!rows->nr)
		return;
	match_over_modules(rows);
	for (i = 0; i < rows->nr; i++) {
		judge(&rows->rows[i], rows);
		rows->nr_program += !rows->rows[i].apart;
	}
	qsort_r(rows->rows, rows->nr, sizeof(*rows->rows), by_change, rows);
}

void diff_rows_free(struct diff_rows *rows)
{
	free(rows->rows);
	pool_free(&rows->pool);
	*rows = (struct diff_rows){ 0 };
}
