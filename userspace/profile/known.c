// SPDX-License-Identifier: GPL-2.0
/* The names that a profile keeps, in memory. */
#define _GNU_SOURCE	/* tdestroy() */
#include "known.h"

#include <search.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "../util/order.h"
#include "../util/xalloc.h"
#include "known_format.h"

const struct column columns_code_name[] = {
	COLUMN(code_name, function), COLUMN(code_name, raw), COLUMN(code_name, file),
	COLUMN(code_name, module), COLUMN(code_name, path), COLUMN(code_name, size),
	COLUMN(code_name, line), COLUMNS_END
};
const struct column columns_data_name[] = {
	COLUMN(data_name, name), COLUMN(data_name, field), COLUMN(data_name, type), COLUMNS_END
};
const struct column columns_data_name_more[] = {
	COLUMN(data_name, start), COLUMN(data_name, size), COLUMN(data_name, offset),
	COLUMN(data_name, tid), COLUMN(data_name, section), COLUMN(data_name, cache),
	COLUMN(data_name, module), COLUMN(data_name, path), COLUMN(data_name, file),
	COLUMN(data_name, line), COLUMNS_END
};
static const struct column columns_code[] = {
	COLUMN(known_code, space), COLUMN(known_code, gen), COLUMN(known_code, start),
	COLUMN(known_code, length), COLUMN(known_code, offset), COLUMN(known_code, module_offset),
	COLUMNS_END
};
static const struct column columns_data[] = {
	COLUMN(known_data, space), COLUMN(known_data, gen), COLUMN(known_data, address),
	COLUMN(known_data, tid), COLUMN(known_data, ip), COLUMNS_END
};
static const struct column columns_width[] = {
	COLUMN(known_width, space), COLUMN(known_width, gen), COLUMN(known_width, ip),
	COLUMN(known_width, width), COLUMNS_END
};
#define PLACES(list, member, row, name) \
	{ list, offsetof(struct known, member), sizeof(struct row), offsetof(struct row, age), name }
const struct place_table place_tables[PLACE_TABLES] = {
	PLACES(columns_code, code, known_code, offsetof(struct known_code, name)),
	PLACES(columns_data, data, known_data, offsetof(struct known_data, name)),
	PLACES(columns_width, widths, known_width, 0),
};

/* What is there once has a number ahead of it. */
struct once {
	__u32 number;
	_Alignas(16) char row[];
};

static struct once *once_of(const void *row)
{
	return (struct once *)((uintptr_t)row - offsetof(struct once, row));
}

struct known *known_new(void)
{
	return xcalloc(1, sizeof(struct known));
}

/* All rows and texts are in the pool. */
static void leave(void *node)
{
}

static void free_rows(struct known_rows *rows)
{
	tdestroy(rows->tree, leave);
	free(rows->row);
}

void known_free(struct known *known)
{
	if (!known)
		return;
	free_rows(&known->code_names);
	free_rows(&known->data_names);
	free_rows(&known->code);
	free_rows(&known->data);
	free_rows(&known->widths);
	free_rows(&known->text);
	tdestroy(known->texts, leave);
	pool_free(&known->pool);
	free(known);
}

static void *add_once(struct known *known, void **tree, const void *row, size_t size,
		      int (*compare)(const void *a, const void *b))
{
	struct once *once = pool_take(&known->pool, sizeof(*once) + size);

	memcpy(once->row, row, size);
	xneed(tsearch(once->row, tree, compare));
	return once->row;
}

static int by_text(const void *a, const void *b)
{
	return strcmp(a, b);
}

const char *known_keep(struct known *known, const char *text)
{
	const char *const *found;

	if (!text)
		return NULL;
	found = tfind(text, &known->texts, by_text);
	return found ? *found : add_once(known, &known->texts, text, strlen(text) + 1, by_text);
}

__u32 *known_text_number(const char *text)
{
	return &once_of(text)->number;
}

__u32 known_number(const void *name)
{
	return once_of(name)->number;
}

void *known_append(struct known *known, struct known_rows *rows, const void *row, size_t size)
{
	void *kept = pool_take(&known->pool, size);

	ARRAY_GROW(rows->row, rows->nr + 1, rows->room);
	rows->row[rows->nr++] = memcpy(kept, row, size);
	known->sorted = false;
	return kept;
}

/* A name that is there once; nested: its frames, which are copied only if it is new. */
static void *keep_name(struct known *known, struct known_rows *rows, const void *name, size_t size,
		       int (*compare)(const void *a, const void *b), bool *new)
{
	void *const *found = tfind(name, &rows->tree, compare);
	void *kept;

	*new = !found;
	if (found)
		return *found;
	kept = add_once(known, &rows->tree, name, size, compare);
	once_of(kept)->number = (__u32)rows->nr;
	ARRAY_GROW(rows->row, rows->nr + 1, rows->room);
	return rows->row[rows->nr++] = kept;
}

/* Compare texts that are kept, which are there once. */
static int by_place(const void *a, const void *b)
{
	return order((uintptr_t)a, (uintptr_t)b);
}

static int by_frames(const struct code_name *a, const struct code_name *b)
{
	int ret = order(a->nr_frames, b->nr_frames);
	size_t i;

	for (i = 0; !ret && i < a->nr_frames; i++)
		ret = by_place(a->frames[i].function, b->frames[i].function) ?:
		      by_place(a->frames[i].file, b->frames[i].file) ?:
		      order(a->frames[i].line, b->frames[i].line);
	return ret;
}

COMPARE(by_code_name, struct code_name,
	by_place(a->raw, b->raw) ?: by_place(a->function, b->function) ?:
	order(a->line, b->line) ?: by_place(a->file, b->file) ?: by_place(a->path, b->path) ?:
	order(a->size, b->size) ?: by_place(a->module, b->module) ?:
	order(a->deleted, b->deleted) ?: order(a->stripped, b->stripped) ?:
	order(a->i386, b->i386) ?: by_frames(a, b))

static int by_chain(const struct data_name *a, const struct data_name *b)
{
	int ret = order(a->nr_frames, b->nr_frames);
	size_t i;

	for (i = 0; !ret && i < a->nr_frames; i++)
		ret = by_place(a->frames[i], b->frames[i]);
	return ret;
}

COMPARE(by_data_name, struct data_name,
	order(a->start, b->start) ?: order(a->offset, b->offset) ?: by_place(a->name, b->name) ?:
	by_place(a->field, b->field) ?: by_place(a->type, b->type) ?: by_place(a->text, b->text) ?:
	order(a->size, b->size) ?: order(a->kind, b->kind) ?: order(a->how, b->how) ?:
	order(a->tid, b->tid) ?: by_place(a->section, b->section) ?:
	by_place(a->cache, b->cache) ?: by_place(a->module, b->module) ?:
	by_place(a->path, b->path) ?: by_place(a->file, b->file) ?: order(a->line, b->line) ?:
	by_place(a->site, b->site) ?: order(a->objects, b->objects) ?: by_chain(a, b))

/*
 * A hostile file has one long text in each name, and one long chain in another one. So what was read
 * once is not looked for again.
 */
static const char *keep_text(struct known *known, const char *text)
{
	return known->reading ? text : known_keep(known, text);
}

static void keep_texts(struct known *known, void *row, const struct column *columns)
{
	EACH_COLUMN(column, columns) {
		const char **text = (void *)((char *)row + column->offset);

		if (column->kind == COLUMN_TEXT)
			*text = keep_text(known, *text);
	}
}

static const struct code_name *keep_code(struct known *known, const struct code_name *name)
{
	return known->reading ? name : known_keep_code(known, name);
}

const struct code_name *known_keep_code(struct known *known, const struct code_name *name)
{
	struct code_name kept = *name, *once;
	struct code_frame *frames = xmallocarray(name->nr_frames, sizeof(*frames));
	const size_t size = name->nr_frames * sizeof(*frames);
	size_t i;
	bool new;

	keep_texts(known, &kept, columns_code_name);
	kept.offset = kept.module_offset = 0;
	for (i = 0; i < name->nr_frames; i++)
		frames[i] = (struct code_frame){
			.function = keep_text(known, name->frames[i].function),
			.file = keep_text(known, name->frames[i].file),
			.line = name->frames[i].line,
		};
	kept.frames = frames;
	once = keep_name(known, &known->code_names, &kept, sizeof(kept), by_code_name, &new);
	if (new)
		once->frames = size ? memcpy(pool_take(&known->pool, size), frames, size) : NULL;
	free(frames);
	return once;
}

const struct data_name *known_keep_data(struct known *known, const struct data_name *name)
{
	struct data_name kept = *name, *once;
	const struct code_name **frames = xmallocarray(name->nr_frames, sizeof(*frames));
	const size_t size = name->nr_frames * sizeof(*frames);
	size_t i;
	bool new;

	keep_texts(known, &kept, columns_data_name);
	keep_texts(known, &kept, columns_data_name_more);
	kept.text = keep_text(known, name->text);
	kept.site = name->site ? keep_code(known, name->site) : NULL;
	for (i = 0; i < name->nr_frames; i++)
		frames[i] = keep_code(known, name->frames[i]);
	kept.frames = frames;
	once = keep_name(known, &known->data_names, &kept, sizeof(kept), by_data_name, &new);
	if (new)
		once->frames = size ? memcpy(pool_take(&known->pool, size), frames, size) : NULL;
	free(frames);
	return once;
}

static bool has_room(struct known *known, const struct known_rows *rows, size_t nr_frames)
{
	if (rows->nr < KNOWN_ROWS_MOST && known->code_names.nr < 2 * KNOWN_ROWS_MOST &&
	    known->pool.bytes < KNOWN_BYTES_MOST && nr_frames <= KNOWN_FRAMES_MOST)
		return true;
	known->left_out++;
	return false;
}

void known_add_code(struct known *known, __u32 space, __u32 gen, __u64 start, __u64 length,
		    const struct code_name *name)
{
	struct known_code row = {
		.start = start, .length = length, .space = space, .gen = gen,
		.offset = name->offset, .module_offset = name->module_offset,
		.age = (__u32)known->code.nr,
	};

	if (!has_room(known, &known->code, name->nr_frames))
		return;
	row.name = known_keep_code(known, name);
	known_append(known, &known->code, &row, sizeof(row));
}

void known_add_data(struct known *known, __u32 space, __u32 gen, __u64 address, __u32 tid, __u64 ip,
		    const struct data_name *name)
{
	struct known_data row = {
		.address = address, .ip = ip, .space = space, .gen = gen, .tid = tid,
		.age = (__u32)known->data.nr,
	};

	if (!has_room(known, &known->data, name->nr_frames))
		return;
	row.name = known_keep_data(known, name);
	known_append(known, &known->data, &row, sizeof(row));
}

void known_add_width(struct known *known, __u32 space, __u32 gen, __u64 ip, __u32 width)
{
	struct known_width row = {
		.ip = ip, .space = space, .gen = gen, .width = width,
		.age = (__u32)known->widths.nr,
	};

	if (width && has_room(known, &known->widths, 0))
		known_append(known, &known->widths, &row, sizeof(row));
}

COMPARE_POINTERS(by_text_place, struct known_text,
	by_text(a->path, b->path) ?: order(a->start, b->start))

void known_add_text(struct known *known, const char *path, __u64 start, const void *bytes,
		    size_t size)
{
	struct known_text row = {
		.path = known_keep(known, path), .start = start, .size = size,
		.age = (__u32)known->text.nr,
	};

	if (!size || !has_room(known, &known->text, 0))
		return;
	row.bytes = memcpy(pool_take(&known->pool, size), bytes, size);
	known_append(known, &known->text, &row, sizeof(row));
}

COMPARE_POINTERS(by_code, struct known_code,
	order(a->space, b->space) ?: order(a->gen, b->gen) ?: order(a->start, b->start))

COMPARE_POINTERS(by_data, struct known_data,
	order(a->space, b->space) ?: order(a->gen, b->gen) ?: order(a->address, b->address) ?:
	order(a->tid, b->tid) ?: order(a->ip, b->ip))

COMPARE_POINTERS(by_width, struct known_width,
	order(a->space, b->space) ?: order(a->gen, b->gen) ?: order(a->ip, b->ip))

COMPARE_POINTERS(by_text_age, struct known_text, by_text_place(pa, pb) ?: order(a->age, b->age))
COMPARE_POINTERS(by_code_age, struct known_code, by_code(pa, pb) ?: order(a->age, b->age))
COMPARE_POINTERS(by_data_age, struct known_data, by_data(pa, pb) ?: order(a->age, b->age))
COMPARE_POINTERS(by_width_age, struct known_width, by_width(pa, pb) ?: order(a->age, b->age))

/* Sort rows, and drop those whose place another one has already, which was added before. */
static void sort_rows(struct known_rows *rows, int (*by_age)(const void *a, const void *b),
		      int (*compare)(const void *a, const void *b))
{
	void **sorted = xmallocarray(rows->nr, sizeof(*sorted));
	size_t i, kept = 0;

	SORT(rows->row, rows->nr, by_age);
	for (i = 0; i < rows->nr; i++)
		if (!kept || compare(&sorted[kept - 1], &rows->row[i]))
			sorted[kept++] = rows->row[i];
	free(rows->row);
	rows->row = sorted;
	rows->room = rows->nr;
	rows->nr = kept;
}

void known_sort(struct known *known)
{
	if (known->sorted)
		return;
	sort_rows(&known->code, by_code_age, by_code);
	sort_rows(&known->data, by_data_age, by_data);
	sort_rows(&known->widths, by_width_age, by_width);
	sort_rows(&known->text, by_text_age, by_text_place);
	known->sorted = true;
}

/* The last row that is not behind the one that is wanted; NULL: none. */
#define LAST_UNTIL(rows, compare, wanted) ({						\
	const size_t after_ = FIRST_WHERE(at_, (rows).nr,				\
					  compare(&(rows).row[at_], &(wanted)) > 0);	\
											\
	after_ ? (rows).row[after_ - 1] : NULL;						\
})

bool known_find_code(struct known *known, __u32 space, __u32 gen, __u64 ip, struct code_name *name)
{
	const struct known_code key = { .space = space, .gen = gen, .start = ip }, *wanted = &key;
	const struct known_code *row;

	if (!known)
		return false;
	known_sort(known);
	row = LAST_UNTIL(known->code, by_code, wanted);
	if (!row || row->space != space || row->gen != gen || ip - row->start >= row->length)
		return false;
	*name = *row->name;
	name->offset = row->offset + (ip - row->start);
	name->module_offset = row->module_offset + (ip - row->start);
	return true;
}

const struct data_name *known_find_data(struct known *known, __u32 space, __u32 gen, __u64 address,
					__u32 tid, __u64 ip)
{
	const struct known_data keys[] = {
		{ .address = address, .ip = ip, .space = space, .gen = gen, .tid = tid },
		{ .address = address, .space = space, .gen = gen, .tid = tid },
		{ .address = address, .space = space, .gen = gen },
	};
	const struct known_data *wanted, *row;
	size_t i;

	if (!known)
		return NULL;
	known_sort(known);
	for (i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
		wanted = &keys[i];
		row = LAST_UNTIL(known->data, by_data, wanted);
		if (row && !by_data(&row, &wanted))
			return row->name;
	}
	return NULL;
}

__u32 known_find_width(struct known *known, __u32 space, __u32 gen, __u64 ip)
{
	const struct known_width key = { .ip = ip, .space = space, .gen = gen }, *wanted = &key;
	const struct known_width *row;

	if (!known)
		return 0;
	known_sort(known);
	row = LAST_UNTIL(known->widths, by_width, wanted);
	return row && !by_width(&row, &wanted) ? row->width : 0;
}

size_t known_find_text(struct known *known, const char *path, __u64 start, void *bytes,
		       size_t size)
{
	const struct known_text key = { .path = path, .start = start }, *wanted = &key, *row;

	if (!known || !path)
		return 0;
	known_sort(known);
	row = LAST_UNTIL(known->text, by_text_place, wanted);
	if (!row || strcmp(row->path, path) || start - row->start >= row->size)
		return 0;
	if (size > row->size - (start - row->start))
		size = row->size - (start - row->start);
	memcpy(bytes, row->bytes + (start - row->start), size);
	return size;
}

void known_merge(struct known **into, const struct known *other)
{
	struct known *known = *into ? *into : known_new();
	size_t i;

	*into = known;
	known->left_out += other->left_out;
	for (i = 0; i < other->code.nr; i++) {
		const struct known_code *row = other->code.row[i];
		struct code_name name = *row->name;

		name.offset = row->offset;
		name.module_offset = row->module_offset;
		known_add_code(known, row->space, row->gen, row->start, row->length, &name);
	}
	for (i = 0; i < other->data.nr; i++) {
		const struct known_data *row = other->data.row[i];

		known_add_data(known, row->space, row->gen, row->address, row->tid, row->ip,
			       row->name);
	}
	for (i = 0; i < other->widths.nr; i++) {
		const struct known_width *row = other->widths.row[i];

		known_add_width(known, row->space, row->gen, row->ip, row->width);
	}
	for (i = 0; i < other->text.nr; i++) {
		const struct known_text *row = other->text.row[i];

		known_add_text(known, row->path, row->start, row->bytes, row->size);
	}
	known_sort(known);
}
