// SPDX-License-Identifier: GPL-2.0
#include "export.h"

#include <stdlib.h>
#include <string.h>

#include "../analysis/access_weight.h"
#include "../profile/history.h"
#include "../util/order.h"
#include "../util/source.h"
#include "../util/version.h"
#include "../util/xalloc.h"
#include "stacks.h"

const char *const export_value_names[EXPORT_VALUES] = { "cycles", "loads", "hitm", "stores" };

/* Sort by code and callers, so that equal rows are adjacent. */
COMPARE_POINTERS(by_code, struct memlat_rec_access,
	order(a->tgid, b->tgid) ?: order(a->gen, b->gen) ?: order(a->stack, b->stack) ?:
	order(a->ip, b->ip))

static void add_frames(struct export_row *row, const struct stacks *stacks,
		       const struct memlat_rec_access *access)
{
	const struct memlat_rec_stack *stack = access->stack ? stacks_find(stacks, access->stack) :
							       NULL;
	unsigned int i;

	row->frame[row->nr_frames++] = namer_sampled(stacks->namer, access->tgid, access->gen,
						     access->ip);
	for (i = 1; stack && i < stack->frames; i++)
		row->frame[row->nr_frames++] = stacks_code(stacks, stack, i);
}

static struct export_row *new_row(struct export *export)
{
	ARRAY_GROW(export->rows, export->nr + 1, export->room);
	memset(&export->rows[export->nr], 0, sizeof(*export->rows));
	return &export->rows[export->nr++];
}

static void add_access(struct export_row *row, const struct memlat_rec_access *access)
{
	row->value[EXPORT_CYCLES] += access->cost;
	row->value[EXPORT_LOADS] += access->samples - access_stores(access);
	row->value[EXPORT_HITM] += access->hitm + access->rhitm;
	row->value[EXPORT_STORES] += access->stores;
}

/* Add what the table of accesses evicted, so that the totals are complete. */
static void add_evicted(struct export *export)
{
	struct export_row rest = { 0 };
	bool any = false;
	unsigned int value;
	size_t i;

	for (value = 0; value < EXPORT_VALUES; value++) {
		__u64 sum = 0;

		for (i = 0; i < export->nr; i++)
			sum += export->rows[i].value[value];
		rest.value[value] = export->total[value] > sum ? export->total[value] - sum : 0;
		any |= rest.value[value];
	}
	if (any)
		*new_row(export) = rest;
}

static const char *process_of(const struct profile *profile,
			      const struct memlat_rec_access *access)
{
	const struct history_image *image;

	image = history_find(profile->history, access->tgid, access->gen);
	return image && image->comm && *image->comm ? image->comm : "[unknown]";
}

void export_begin(struct export *export, const struct profile *profile, struct namer *namer)
{
	const struct snapshot *snap = &profile->snap;
	const struct memlat_rec_access **sorted;
	struct export_row *row = NULL;
	struct stacks stacks;
	size_t i;

	*export = (struct export){
		.profile = profile,
		.total = {
			[EXPORT_CYCLES] = snapshot_cost(snap),
			[EXPORT_LOADS] = snap->head.status.loads,
			[EXPORT_HITM] = source_hitm(snap->buckets.count),
			[EXPORT_STORES] = snap->head.status.stores,
		},
	};
	stacks_take(&stacks, snap, namer);
	sorted = xmallocarray(snap->nr_accesses, sizeof(*sorted));
	for (i = 0; i < snap->nr_accesses; i++)
		sorted[i] = &snap->accesses[i];
	SORT(sorted, snap->nr_accesses, by_code);
	for (i = 0; i < snap->nr_accesses; i++) {
		if (!i || by_code(&sorted[i - 1], &sorted[i])) {
			row = new_row(export);
			row->process = process_of(profile, sorted[i]);
			add_frames(row, &stacks, sorted[i]);
		}
		add_access(row, sorted[i]);
	}
	free(sorted);
	stacks_free(&stacks);
	add_evicted(export);
}

void export_end(struct export *export)
{
	free(export->rows);
}

const char *export_function(const struct code_name *code)
{
	if (code->function)
		return code->function;
	if (code->raw)
		return code->raw;
	return code->module ? code->module : "[unknown]";
}

void export_put(FILE *out, const char *text, char instead_of)
{
	for (; *text; text++)
		fputc(*text < ' ' || *text > '~' || *text == instead_of ? '_' : *text, out);
}

void export_folded(FILE *out, const struct export *export, enum export_value value)
{
	size_t i;

	for (i = 0; i < export->nr; i++) {
		const struct export_row *row = &export->rows[i];
		unsigned int frame;

		if (!row->value[value])
			continue;
		export_put(out, row->process ? row->process : "[evicted]", ';');
		for (frame = row->nr_frames; frame-- > 0;) {
			fputc(';', out);
			export_put(out, export_function(row->frame[frame]), ';');
		}
		fprintf(out, " %llu\n", row->value[value]);
	}
}

static void put_values(FILE *out, const __u64 value[EXPORT_VALUES])
{
	unsigned int i;

	for (i = 0; i < EXPORT_VALUES; i++)
		fprintf(out, " %llu", value[i]);
	fputc('\n', out);
}

/* callgrind's format allows a function to be repeated. */
static void put_self(FILE *out, const struct export_row *row)
{
	const struct code_name *code = row->nr_frames ? row->frame[0] : NULL;

	fputs("\nob=", out);
	export_put(out, code && code->path ? code->path : "[unknown]", '\0');
	fputs("\nfl=", out);
	export_put(out, code && code->file ? code->file : "[unknown]", '\0');
	fputs("\nfn=", out);
	export_put(out, code ? export_function(code) : "[evicted]", '\0');
	fprintf(out, "\n%u", code ? code->line : 0);
	put_values(out, row->value);
}

void export_callgrind(FILE *out, const struct export *export)
{
	size_t i;

	fputs("# callgrind format\nversion: 1\ncreator: memlat-ctl " MEMLAT_VERSION "\ncmd: ", out);
	export_put(out, export->profile->command ? export->profile->command : "[all]", '\0');
	fputs("\npositions: line\nevents: Cycles Loads Hitm Stores\n"
	      "summary:", out);
	put_values(out, export->total);
	for (i = 0; i < export->nr; i++)
		put_self(out, &export->rows[i]);
	fputs("\ntotals:", out);
	put_values(out, export->total);
}
