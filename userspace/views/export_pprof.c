// SPDX-License-Identifier: GPL-2.0
/*
 * https://github.com/google/pprof/blob/main/proto/profile.proto, of which this writes sample
 * types, samples, locations, functions and strings.
 */
#include "export.h"

#include <stdlib.h>

#include "../util/bytes.h"
#include "../util/order.h"
#include "../util/xalloc.h"

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
	/* Each location is written once. Its key is the pointer to its name, which is unique. */
	const struct code_name **codes;
	size_t nr_codes, room_codes;
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

COMPARE_POINTERS(by_place, struct code_name, ORDER_OF(a, b))

static void collect_codes(struct writer *writer, const struct export *export)
{
	size_t i, kept = 0;
	unsigned int frame;

	for (i = 0; i < export->nr; i++) {
		const struct export_row *row = &export->rows[i];

		ARRAY_GROW(writer->codes, writer->nr_codes + row->nr_frames, writer->room_codes);
		for (frame = 0; frame < row->nr_frames; frame++)
			writer->codes[writer->nr_codes++] = row->frame[frame];
	}
	SORT(writer->codes, writer->nr_codes, by_place);
	for (i = 0; i < writer->nr_codes; i++)
		if (!kept || writer->codes[kept - 1] != writer->codes[i])
			writer->codes[kept++] = writer->codes[i];
	writer->nr_codes = kept;
	for (i = 0; i < kept; i++)
		put_location(writer, i + 1, export_function(writer->codes[i]),
			     writer->codes[i]->file ? writer->codes[i]->file : "",
			     writer->codes[i]->line);
	/* A location for evicted samples, which have no code. */
	put_location(writer, kept + 1, "[evicted]", "", 0);
}

static __u64 location_of(const struct writer *writer, const struct code_name *code)
{
	const struct code_name **found;

	found = bsearch(&code, writer->codes, writer->nr_codes, sizeof(code), by_place);
	return (__u64)(found - writer->codes) + 1;
}

static void put_sample(struct writer *writer, const struct export_row *row)
{
	unsigned int i;

	for (i = 0; i < row->nr_frames; i++)
		put_varint(&writer->inner, location_of(writer, row->frame[i]));
	if (!row->nr_frames)
		put_varint(&writer->inner, writer->nr_codes + 1);
	put_part(&writer->part, SAMPLE_LOCATION, &writer->inner);
	for (i = 0; i < EXPORT_VALUES; i++)
		put_varint(&writer->inner, row->value[i]);
	put_part(&writer->part, SAMPLE_VALUE, &writer->inner);
	put_part(&writer->all, PROFILE_SAMPLE, &writer->part);
}

void export_pprof(FILE *out, const struct export *export)
{
	const struct profile *profile = export->profile;
	struct writer writer = { 0 };
	size_t i;

	put_string(&writer, "");
	for (i = 0; i < EXPORT_VALUES; i++)
		put_type(&writer, export_value_names[i], i == EXPORT_CYCLES ? "cycles" : "count");
	collect_codes(&writer, export);
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
	free(writer.codes);
}
