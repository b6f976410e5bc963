// SPDX-License-Identifier: GPL-2.0
/* Read the names that a profile keeps. Any bytes may be there. */
#include <stdlib.h>

#include <zlib.h>

#include "../util/bytes.h"
#include "../util/xalloc.h"
#include "file_format.h"
#include "known.h"
#include "known_format.h"

#define PACKED_MOST	1100UL		/* no stream of zlib's grows more than that */
#define JOINED_MOST	(512UL << 20)	/* bytes of all texts that are joined of two */

struct reader {
	struct bytes_reader bytes;
	struct known *known;
	const char **texts;
	size_t nr_texts;
	struct columns columns;
	size_t joined;			/* bytes */
	const char *wrong;		/* static text; NULL: nothing */
};

static void refuse(struct reader *reader, const char *wrong)
{
	if (!reader->wrong)
		reader->wrong = wrong;
}

static bool good(const struct reader *reader)
{
	return !reader->wrong && !reader->bytes.failed;
}

static __u64 get_plain(struct reader *reader)
{
	__u64 number = 0, part = 0x80;
	unsigned int shift;

	for (shift = 0; shift < 64 && part & 0x80; shift += 7) {
		part = bytes_get(&reader->bytes, 1);
		number |= (part & 0x7f) << shift;
	}
	if (part & 0x80)
		refuse(reader, "a number is too long");
	return number;
}

static __u64 get(struct reader *reader)
{
	__u64 *before = &reader->columns.before[reader->columns.at++];
	const __u64 more = get_plain(reader);

	*before += more >> 1 ^ (__u64)-(__s64)(more & 1);
	return *before;
}

/* A number below a limit. */
static __u64 limited(struct reader *reader, __u64 number, __u64 limit, const char *wrong)
{
	if (number < limit)
		return number;
	refuse(reader, wrong);
	return 0;
}

/* How many of something follow, each of which takes a byte at least. */
static size_t get_count(struct reader *reader, __u64 most)
{
	const __u64 left = bytes_left(&reader->bytes);

	return limited(reader, get_plain(reader), (left < most ? left : most) + 1,
		       "more is claimed than can follow");
}

static size_t get_frames(struct reader *reader)
{
	return limited(reader, get(reader), KNOWN_FRAMES_MOST + 1, "a name has too many frames");
}

static const char *text_of(struct reader *reader, __u64 number)
{
	number = limited(reader, number, reader->nr_texts + 1ULL, "a text is missing");
	return number ? reader->texts[number - 1] : NULL;
}

static __u32 get_word(struct reader *reader)
{
	return (__u32)limited(reader, get(reader), 1ULL << 32, "a number is too large");
}

static void get_columns(struct reader *reader, void *row, const struct column *columns)
{
	EACH_COLUMN(column, columns) {
		void *at = (char *)row + column->offset;

		if (column->kind == COLUMN_TEXT)
			*(const char **)at = text_of(reader, get(reader));
		else if (column->kind == COLUMN_NUMBER)
			*(__u64 *)at = get(reader);
		else
			*(__u32 *)at = get_word(reader);
	}
}

static void get_texts(struct reader *reader)
{
	const size_t nr = get_count(reader, KNOWN_FILE_MOST);
	const size_t size = get_count(reader, KNOWN_FILE_MOST);
	const char *at = bytes_get_raw(&reader->bytes, size), *end;

	if (!good(reader))
		return;
	end = at + size;
	if (nr > size || (size && end[-1])) {
		refuse(reader, "its texts have no end");
		return;
	}
	reader->texts = xmallocarray(nr, sizeof(*reader->texts));
	for (; reader->nr_texts < nr && at < end; at += strlen(at) + 1)
		reader->texts[reader->nr_texts++] = known_keep(reader->known, at);
	if (at != end || reader->nr_texts < nr)
		refuse(reader, "its texts are not as many as it says");
}

/* The names of code by their numbers in the file. */
static const struct code_name **get_code_names(struct reader *reader, size_t *nr)
{
	const struct code_name **names;
	size_t i, k;

	*nr = get_count(reader, 4 * KNOWN_ROWS_MOST);
	names = xmallocarray(*nr, sizeof(*names));
	table_begin(&reader->columns);
	for (i = 0; i < *nr && good(reader); i++) {
		struct code_name name = { .function = NULL };
		struct code_frame *frames;
		__u64 flags;

		row_begin(&reader->columns);
		get_columns(reader, &name, columns_code_name);
		flags = limited(reader, get(reader), 8, "a name has unknown flags");
		name.deleted = flags & 1;
		name.stripped = flags & 2;
		name.i386 = flags & 4;
		name.nr_frames = get_frames(reader);
		frames = xmallocarray(name.nr_frames, sizeof(*frames));
		for (k = 0; k < name.nr_frames && good(reader); k++) {
			frames[k].function = text_of(reader, get_plain(reader));
			frames[k].file = text_of(reader, get_plain(reader));
			frames[k].line = (__u32)limited(reader, get_plain(reader), 1ULL << 32,
							"a line is too large");
		}
		name.frames = frames;
		if (good(reader))
			names[i] = known_keep_code(reader->known, &name);
		free(frames);
	}
	return names;
}

static const char *join(struct reader *reader, const char *name, const char *field)
{
	const char *kept;
	char *text;

	reader->joined += strlen(name) + strlen(field);
	if (reader->joined > JOINED_MOST) {
		refuse(reader, "its texts are too long");
		return NULL;
	}
	text = xasprintf("%s%s", name, field);
	kept = known_keep(reader->known, text);
	free(text);
	return kept;
}

static void get_data_text(struct reader *reader, struct data_name *name)
{
	switch (limited(reader, get(reader), TEXT_OWN + 1, "a name has an unknown text")) {
	case TEXT_NONE:
		return;
	case TEXT_OWN:
		name->text = text_of(reader, get_plain(reader));
		return;
	case TEXT_BOTH:
		name->text = name->name && name->field ?
			     join(reader, name->name, name->field) : name->name;
		return;
	default:
		name->text = name->name;
	}
}

static const struct data_name **get_data_names(struct reader *reader,
					       const struct code_name *const *code, size_t nr_code,
					       size_t *nr)
{
	const struct data_name **names;
	const char *missing = "a place of allocation is missing";
	size_t i, k;
	__u64 site;

	*nr = get_count(reader, KNOWN_ROWS_MOST);
	names = xmallocarray(*nr, sizeof(*names));
	table_begin(&reader->columns);
	for (i = 0; i < *nr && good(reader); i++) {
		struct data_name name = { .name = NULL };
		const struct code_name **frames;

		row_begin(&reader->columns);
		name.kind = (enum data_kind)limited(reader, get(reader), DATA_KINDS,
						    "data is of an unknown kind");
		name.how = (enum data_how)limited(reader, get(reader), DATA_HOWS,
						  "a name is of unknown origin");
		get_columns(reader, &name, columns_data_name);
		get_data_text(reader, &name);
		get_columns(reader, &name, columns_data_name_more);
		site = limited(reader, get(reader), nr_code + 1ULL, missing);
		name.site = site ? code[site - 1] : NULL;
		name.objects = get(reader);
		name.nr_frames = get_frames(reader);
		frames = xmallocarray(name.nr_frames, sizeof(*frames));
		for (k = 0; k < name.nr_frames && good(reader); k++) {
			site = limited(reader, get_plain(reader), nr_code, missing);
			frames[k] = good(reader) ? code[site] : NULL;
		}
		name.frames = frames;
		if (good(reader))
			names[i] = known_keep_data(reader->known, &name);
		free(frames);
	}
	return names;
}

/* names: those that the rows' numbers are of. */
static void get_rows(struct reader *reader, const struct place_table *table,
		     const void *const *names, size_t nr_names)
{
	struct known_rows *rows = (void *)((char *)reader->known + table->rows);
	size_t i, nr = get_count(reader, KNOWN_ROWS_MOST);
	char *row = xcalloc(1, table->size);

	table_begin(&reader->columns);
	for (i = 0; i < nr && good(reader); i++) {
		row_begin(&reader->columns);
		get_columns(reader, row, table->columns);
		*(__u32 *)(row + table->age) = (__u32)i;
		if (table->name) {
			const __u64 name = limited(reader, get(reader), nr_names,
						   "a name is missing");

			if (!good(reader))
				break;
			*(const void **)(row + table->name) = names[name];
		}
		known_append(reader->known, rows, row, table->size);
	}
	free(row);
}

static void get_code(struct reader *reader)
{
	size_t i, nr = get_count(reader, KNOWN_ROWS_MOST);

	for (i = 0; i < nr && good(reader); i++) {
		const char *path = text_of(reader, get_plain(reader));
		const __u64 start = get_plain(reader);
		const size_t size = get_count(reader, KNOWN_FILE_MOST);
		const void *bytes = bytes_get_raw(&reader->bytes, size);

		if (!path)
			refuse(reader, "machine code is of no file");
		if (good(reader))
			known_add_text(reader->known, path, start, bytes, size);
	}
	reader->known->left_out = get_plain(reader);
}

static void get_all(struct reader *reader)
{
	const struct code_name **code = NULL;
	const struct data_name **data = NULL;
	size_t nr_code = 0, nr_data = 0, i;

	get_texts(reader);
	reader->known->reading = true;
	if (good(reader))
		code = get_code_names(reader, &nr_code);
	if (good(reader))
		data = get_data_names(reader, code, nr_code, &nr_data);
	for (i = 0; i < PLACE_TABLES && good(reader); i++)
		get_rows(reader, &place_tables[i], i ? (const void *)data : (const void *)code,
			 i ? nr_data : nr_code);
	reader->known->reading = false;
	if (good(reader))
		get_code(reader);
	if (reader->bytes.failed)
		refuse(reader, "the names are cut off");
	if (bytes_left(&reader->bytes))
		refuse(reader, "the names go on after their end");
	free(code);
	free(data);
}

/* The unpacked bytes, newly allocated; NULL: *why says what is wrong. */
static void *unpack(const unsigned char *data, size_t size, size_t *plain, const char **why)
{
	struct bytes_reader head = { .at = data, .left = size };
	const __u64 layout = bytes_get(&head, 4), wanted = bytes_get(&head, 8);
	unsigned long got = wanted;
	void *bytes;

	if (head.failed || layout != KNOWN_LAYOUT) {
		*why = head.failed ? "the names are cut off" : "the names have an unknown layout";
		return NULL;
	}
	if (wanted > KNOWN_FILE_MOST || wanted > PACKED_MOST * (head.left + 1)) {
		*why = "the names are larger than they can be";
		return NULL;
	}
	bytes = xmalloc(wanted);
	*plain = wanted;
	if (wanted == head.left) {
		memcpy(bytes, head.at, wanted);
	} else if (uncompress(bytes, &got, head.at, head.left) != Z_OK || got != wanted) {
		*why = "the names cannot be unpacked";
		free(bytes);
		return NULL;
	}
	return bytes;
}

int known_decode(struct known **result, const void *data, size_t size, const char **why)
{
	struct reader reader = { .wrong = NULL };
	size_t plain;
	void *bytes = unpack(data, size, &plain, why);

	if (!bytes)
		return -EBADMSG;
	reader.bytes.at = bytes;
	reader.bytes.left = plain;
	reader.known = known_new();
	get_all(&reader);
	free(reader.texts);
	free(bytes);
	if (reader.wrong) {
		known_free(reader.known);
		return section_refuse(why, reader.wrong);
	}
	known_sort(reader.known);
	*result = reader.known;
	return 0;
}
