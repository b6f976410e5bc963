// SPDX-License-Identifier: GPL-2.0
/* Write the names that a profile keeps. */
#define _GNU_SOURCE	/* twalk() */
#include <search.h>
#include <stdlib.h>

#include <zlib.h>

#include "../util/bytes.h"
#include "../util/xalloc.h"
#include "known.h"
#include "known_format.h"

struct writer {
	struct bytes rows, texts;
	__u64 nr_texts;
	struct columns columns;
};

static void put_plain(struct bytes *bytes, __u64 number)
{
	for (; number >= 0x80; number >>= 7)
		bytes_put(bytes, number | 0x80, 1);
	bytes_put(bytes, number, 1);
}

/* The sign of a difference is in its lowest bit, so that small ones have few bytes either way. */
static void put(struct writer *writer, __u64 number)
{
	__u64 *before = &writer->columns.before[writer->columns.at++];
	const __u64 more = number - *before;

	*before = number;
	put_plain(&writer->rows, more << 1 ^ (__u64)-(__s64)(more >> 63));
}

/* A text gets its number when it is met first. 0: NULL. */
static __u64 text_number(struct writer *writer, const char *text)
{
	__u32 *number;

	if (!text)
		return 0;
	number = known_text_number(text);
	if (!*number) {
		*number = (__u32)++writer->nr_texts;
		bytes_put_raw(&writer->texts, text, strlen(text) + 1);
	}
	return *number;
}

static void put_columns(struct writer *writer, const void *row, const struct column *columns)
{
	EACH_COLUMN(column, columns) {
		const void *at = (const char *)row + column->offset;

		put(writer, column->kind == COLUMN_TEXT ?
			    text_number(writer, *(const char *const *)at) :
			    column->kind == COLUMN_NUMBER ? *(const __u64 *)at :
							    *(const __u32 *)at);
	}
}

static void put_code_names(struct writer *writer, const struct known_rows *rows)
{
	size_t i, k;

	put_plain(&writer->rows, rows->nr);
	table_begin(&writer->columns);
	for (i = 0; i < rows->nr; i++) {
		const struct code_name *name = rows->row[i];

		row_begin(&writer->columns);
		put_columns(writer, name, columns_code_name);
		put(writer, (__u64)name->deleted | (__u64)name->stripped << 1 |
			    (__u64)name->i386 << 2);
		put(writer, name->nr_frames);
		for (k = 0; k < name->nr_frames; k++) {
			put_plain(&writer->rows, text_number(writer, name->frames[k].function));
			put_plain(&writer->rows, text_number(writer, name->frames[k].file));
			put_plain(&writer->rows, name->frames[k].line);
		}
	}
}

static enum text_kind kind_of_text(const struct data_name *name)
{
	size_t length;

	if (!name->text)
		return TEXT_NONE;
	if (!name->name)
		return TEXT_OWN;
	length = strlen(name->name);
	if (strncmp(name->text, name->name, length))
		return TEXT_OWN;
	if (!name->text[length])
		return TEXT_NAME;
	return name->field && !strcmp(name->text + length, name->field) ? TEXT_BOTH : TEXT_OWN;
}

static void put_data_names(struct writer *writer, const struct known_rows *rows)
{
	size_t i, k;

	put_plain(&writer->rows, rows->nr);
	table_begin(&writer->columns);
	for (i = 0; i < rows->nr; i++) {
		const struct data_name *name = rows->row[i];
		const enum text_kind kind = kind_of_text(name);

		row_begin(&writer->columns);
		put(writer, name->kind);
		put(writer, name->how);
		put_columns(writer, name, columns_data_name);
		put(writer, kind);
		if (kind == TEXT_OWN)
			put_plain(&writer->rows, text_number(writer, name->text));
		put_columns(writer, name, columns_data_name_more);
		put(writer, name->site ? known_number(name->site) + 1ULL : 0);
		put(writer, name->objects);
		put(writer, name->nr_frames);
		for (k = 0; k < name->nr_frames; k++)
			put_plain(&writer->rows, known_number(name->frames[k]));
	}
}

static void put_rows(struct writer *writer, const struct known *known,
		     const struct place_table *table)
{
	const struct known_rows *rows = (const void *)((const char *)known + table->rows);
	size_t i;

	put_plain(&writer->rows, rows->nr);
	table_begin(&writer->columns);
	for (i = 0; i < rows->nr; i++) {
		const char *row = rows->row[i];

		row_begin(&writer->columns);
		put_columns(writer, row, table->columns);
		if (table->name)
			put(writer, known_number(*(const void *const *)(row + table->name)));
	}
}

static void put_places(struct writer *writer, const struct known *known)
{
	size_t i;

	for (i = 0; i < PLACE_TABLES; i++)
		put_rows(writer, known, &place_tables[i]);
	put_plain(&writer->rows, known->text.nr);
	for (i = 0; i < known->text.nr; i++) {
		const struct known_text *row = known->text.row[i];

		put_plain(&writer->rows, text_number(writer, row->path));
		put_plain(&writer->rows, row->start);
		put_plain(&writer->rows, row->size);
		bytes_put_raw(&writer->rows, row->bytes, row->size);
	}
	put_plain(&writer->rows, known->left_out);
}

static void forget_number(const void *node, VISIT which, int depth)
{
	if (which == preorder || which == leaf)
		*known_text_number(*(const char *const *)node) = 0;
}

/* If packing saves nothing, the bytes stay as they are. */
static void pack(const struct bytes *plain, struct bytes *packed)
{
	unsigned long size = compressBound(plain->used);
	void *bytes = xmalloc(size);

	bytes_put(packed, KNOWN_LAYOUT, 4);
	bytes_put(packed, plain->used, 8);
	/* A higher level takes four times as long, and saves a tenth of the bytes. */
	if (compress2(bytes, &size, plain->data, plain->used, Z_BEST_SPEED) != Z_OK)
		xneed(NULL);
	if (size < plain->used)
		bytes_put_raw(packed, bytes, size);
	else
		bytes_put_raw(packed, plain->data, plain->used);
	free(bytes);
}

void known_encode(struct known *known, void **data, size_t *size)
{
	struct bytes plain = { 0 }, packed = { 0 };
	struct writer writer = { .nr_texts = 0 };

	known_sort(known);
	twalk(known->texts, forget_number);
	put_code_names(&writer, &known->code_names);
	put_data_names(&writer, &known->data_names);
	put_places(&writer, known);
	put_plain(&plain, writer.nr_texts);
	put_plain(&plain, writer.texts.used);
	bytes_put_raw(&plain, writer.texts.data, writer.texts.used);
	bytes_put_raw(&plain, writer.rows.data, writer.rows.used);
	pack(&plain, &packed);
	free(writer.texts.data);
	free(writer.rows.data);
	free(plain.data);
	bytes_take(&packed, data, size);
}
