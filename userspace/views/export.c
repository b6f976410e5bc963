// SPDX-License-Identifier: GPL-2.0
#include "export.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "../analysis/line.h"
#include "../profile/history.h"
#include "../util/bytes.h"
#include "../util/order.h"
#include "../util/source.h"
#include "../util/version.h"
#include "../util/xalloc.h"
#include "stacks.h"

__u64 export_value(const struct sums *sums, enum export_value value)
{
	return value == EXPORT_CYCLES ? sums->cost : value == EXPORT_LOADS ? sums_loads(sums) :
	       value == EXPORT_HITM ? sums->hitm : sums->stores;
}

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

static const char *process_of(const struct profile *profile,
			      const struct memlat_rec_access *access)
{
	const struct history_image *image;

	image = history_find(profile->history, access->tgid, access->gen);
	return image && image->comm && *image->comm ? image->comm : "[unknown]";
}

/* What the table of accesses evicted comes last, so that the sums are complete. */
COMPARE(by_code, struct export_row,
	order(!a->access, !b->access) ?: order(a->access->tgid, b->access->tgid) ?:
	order(a->access->gen, b->access->gen) ?: order(a->access->stack, b->access->stack) ?:
	order(a->access->ip, b->access->ip))

static __u64 less(__u64 whole, __u64 part)
{
	return whole > part ? whole - part : 0;
}

void export_begin(struct export *export, const struct profile *profile, struct namer *namer)
{
	const struct snapshot *snap = &profile->snap;
	const struct memlat_status *status = &snap->head.status;
	struct pivot pivot = PIVOT(struct export_row);
	struct sums known = { 0 }, rest;
	struct stacks stacks;
	size_t i;

	*export = (struct export){
		.profile = profile,
		.total = {
			.cost = snapshot_cost(snap), .samples = status->loads + status->stores,
			.hitm = source_hitm(snap->buckets.count), .stores = status->stores,
		},
	};
	stacks_take(&stacks, snap, namer);
	for (i = 0; i < snap->nr_accesses; i++) {
		const struct memlat_rec_access *access = &snap->accesses[i];
		const struct sums sums = sums_of_access(access);
		struct export_row *row;
		__u64 key = 0;

		key_number(&key, (__u64)access->tgid << 32 | access->gen);
		key_number(&key, access->stack);
		key_number(&key, access->ip);
		row = pivot_row(&pivot, key);
		if (!row->access) {
			row->access = access;
			row->process = process_of(profile, access);
			add_frames(row, &stacks, access);
		}
		sums_add(&row->sum, &sums);
		sums_add(&known, &sums);
	}
	stacks_free(&stacks);
	rest = (struct sums){
		.cost = less(export->total.cost, known.cost), .hitm = less(export->total.hitm, known.hitm),
		.stores = less(export->total.stores, known.stores),
	};
	rest.samples = rest.stores + less(sums_loads(&export->total), sums_loads(&known));
	if (rest.cost || rest.hitm || rest.samples)
		((struct export_row *)pivot_row(&pivot, 0))->sum = rest;
	export->rows = pivot_end(&pivot, by_code, &export->nr);
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

struct folded {
	char *stack;
	__u64 value;
};

COMPARE(by_stack, struct folded, order_text(a->stack, b->stack))

static void put_stack(FILE *out, const struct export_row *row)
{
	unsigned int frame;

	export_put(out, row->process ? row->process : "[evicted]", ';');
	for (frame = row->nr_frames; frame-- > 0;) {
		fputc(';', out);
		export_put(out, export_function(row->frame[frame]), ';');
	}
}

/* A stack of functions stands once, whatever instructions and processes it has. */
void export_folded(FILE *out, const struct export *export, enum export_value value)
{
	struct folded *folded = xcalloc(export->nr + 1, sizeof(*folded));
	size_t i, nr = 0;

	for (i = 0; i < export->nr; i++) {
		folded[nr].value = export_value(&export->rows[i].sum, value);
		if (folded[nr].value)
			folded[nr++].stack = XPRINTED(stack, put_stack(stack, &export->rows[i]));
	}
	SORT(folded, nr, by_stack);
	for (i = 0; i < nr; i++) {
		if (i + 1 < nr && !order_text(folded[i].stack, folded[i + 1].stack))
			folded[i + 1].value += folded[i].value;
		else
			fprintf(out, "%s %llu\n", folded[i].stack, folded[i].value);
		free(folded[i].stack);
	}
	free(folded);
}

static void put_values(FILE *out, const struct sums *sums)
{
	enum export_value i;

	for (i = 0; i < EXPORT_VALUES; i++)
		fprintf(out, " %llu", export_value(sums, i));
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
	put_values(out, &row->sum);
}

void export_callgrind(FILE *out, const struct export *export)
{
	size_t i;

	fputs("# callgrind format\nversion: 1\ncreator: memlat-ctl " MEMLAT_VERSION "\ncmd: ", out);
	export_put(out, export->profile->command ? export->profile->command : "[all]", '\0');
	fputs("\npositions: line\nevents: Cycles Loads Hitm Stores\n"
	      "summary:", out);
	put_values(out, &export->total);
	for (i = 0; i < export->nr; i++)
		put_self(out, &export->rows[i]);
	fputs("\ntotals:", out);
	put_values(out, &export->total);
}

/*
 * https://github.com/google/pprof/blob/main/proto/profile.proto, of which this writes sample
 * types, samples, locations, functions and strings.
 */

/* Numbers of the fields. */
enum {
	PROFILE_SAMPLE_TYPE = 1, PROFILE_SAMPLE, PROFILE_LOCATION = 4, PROFILE_FUNCTION,
	PROFILE_STRING, PROFILE_TIME = 9, PROFILE_DURATION, PROFILE_DEFAULT = 14,
	TYPE_NAME = 1, TYPE_UNIT,
	SAMPLE_LOCATION = 1, SAMPLE_VALUE,
	LOCATION_ID = 1, LOCATION_LINE = 4,
	LINE_FUNCTION = 1, LINE_LINE,
	FUNCTION_ID = 1, FUNCTION_NAME, FUNCTION_SYSTEM, FUNCTION_FILE
};

static void put_varint(struct bytes *to, __u64 number)
{
	for (; number > 0x7f; number >>= 7)
		bytes_put(to, (number & 0x7f) | 0x80, 1);
	bytes_put(to, number, 1);
}

static void put_number(struct bytes *to, unsigned int field, __u64 number)
{
	put_varint(to, field << 3);
	put_varint(to, number);
}

/* Append bytes after their length, and empty the part that held them. */
static void put_part(struct bytes *to, unsigned int field, struct bytes *part)
{
	put_varint(to, field << 3 | 2);
	put_varint(to, part->used);
	bytes_put_raw(to, part->data, part->used);
	part->used = 0;
}

struct writer {
	struct bytes all, part, inner;
	__u64 strings;
	/* Numbers of locations, by the pointer to the name, which is unique. Each is written once. */
	struct name_cache locations;
};

/*
 * Put a string and return its number. Bytes that are not printable ASCII become '_', because the
 * format requires UTF-8.
 */
static __u64 put_string(struct writer *writer, const char *text)
{
	struct bytes plain = { 0 };

	for (; *text; text++)
		bytes_put(&plain, *text < ' ' || *text > '~' ? '_' : (unsigned char)*text, 1);
	put_part(&writer->all, PROFILE_STRING, &plain);
	free(plain.data);
	return writer->strings++;
}

static void put_type(struct writer *writer, const char *name, const char *unit)
{
	const __u64 name_at = put_string(writer, name), unit_at = put_string(writer, unit);

	put_number(&writer->part, TYPE_NAME, name_at);
	put_number(&writer->part, TYPE_UNIT, unit_at);
	put_part(&writer->all, PROFILE_SAMPLE_TYPE, &writer->part);
}

/* Put a location and its function, which have the same number. */
static void put_location(struct writer *writer, __u64 id, const char *name, const char *file,
			 unsigned int line)
{
	const __u64 name_at = put_string(writer, name), file_at = put_string(writer, file);

	put_number(&writer->part, FUNCTION_ID, id);
	put_number(&writer->part, FUNCTION_NAME, name_at);
	put_number(&writer->part, FUNCTION_SYSTEM, name_at);
	put_number(&writer->part, FUNCTION_FILE, file_at);
	put_part(&writer->all, PROFILE_FUNCTION, &writer->part);
	put_number(&writer->inner, LINE_FUNCTION, id);
	put_number(&writer->inner, LINE_LINE, line);
	put_number(&writer->part, LOCATION_ID, id);
	put_part(&writer->part, LOCATION_LINE, &writer->inner);
	put_part(&writer->all, PROFILE_LOCATION, &writer->part);
}

/* The number of the code's location. NULL: that of evicted samples, which have no code. */
static __u64 location_of(struct writer *writer, const struct code_name *code)
{
	const struct name_cache_key key = { .address = (uintptr_t)code };
	uintptr_t number = (uintptr_t)name_cache_find(&writer->locations, key);

	if (!number) {
		number = writer->locations.used + 1;
		name_cache_keep(&writer->locations, key, (const void *)number);
		put_location(writer, number, code ? export_function(code) : "[evicted]",
			     code && code->file ? code->file : "", code ? code->line : 0);
	}
	return number;
}

static void put_sample(struct writer *writer, const struct export_row *row)
{
	const unsigned int frames = row->nr_frames ?: 1;
	__u64 location[MEMLAT_STACK_FRAMES];
	unsigned int i;

	for (i = 0; i < frames; i++)
		location[i] = location_of(writer, row->frame[i]);
	for (i = 0; i < frames; i++)
		put_varint(&writer->inner, location[i]);
	put_part(&writer->part, SAMPLE_LOCATION, &writer->inner);
	for (i = 0; i < EXPORT_VALUES; i++)
		put_varint(&writer->inner, export_value(&row->sum, i));
	put_part(&writer->part, SAMPLE_VALUE, &writer->inner);
	put_part(&writer->all, PROFILE_SAMPLE, &writer->part);
}

void export_pprof(FILE *out, const struct export *export)
{
	static const char *const names[EXPORT_VALUES] = { "cycles", "loads", "hitm", "stores" };
	const struct profile *profile = export->profile;
	struct writer writer = { 0 };
	size_t i;

	put_string(&writer, "");
	for (i = 0; i < EXPORT_VALUES; i++)
		put_type(&writer, names[i], i == EXPORT_CYCLES ? "cycles" : "count");
	for (i = 0; i < export->nr; i++)
		put_sample(&writer, &export->rows[i]);
	put_number(&writer.all, PROFILE_TIME, profile->recorded_at * 1000000000ULL);
	put_number(&writer.all, PROFILE_DURATION, profile->snap.head.status.duration_ns);
	/* The string number of the first type's name. */
	put_number(&writer.all, PROFILE_DEFAULT, 1);
	fwrite(writer.all.data, 1, writer.all.used, out);
	free(writer.all.data);
	free(writer.part.data);
	free(writer.inner.data);
	name_cache_free(&writer.locations);
}
