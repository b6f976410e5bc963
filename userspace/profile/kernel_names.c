// SPDX-License-Identifier: GPL-2.0
/* Names of kernel addresses in memory and in a file. */
#include "kernel_names.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../util/bytes.h"
#include "../util/order.h"
#include "../util/text.h"
#include "../util/xalloc.h"
#include "file_format.h"

/* In the file: how many rows, where the code begins, the build id and its size; the rows; then their text, each with its zero byte. */
#define HEAD_BYTES	(8 + 8 + 1 + HISTORY_BUILD_ID_MAX)
#define ROW_BYTES	24

#define NOTE_BUILD_ID	3

void kernel_row_add(struct kernel_names *names, const struct kernel_row *row)
{
	ARRAY_GROW(names->rows, names->nr + 1, names->room);
	names->rows[names->nr++] = *row;
}

ORDER_BY_2(by_place, struct kernel_row, kind, start)

void kernel_rows_sort(struct kernel_names *names)
{
	SORT(names->rows, names->nr, by_place);
}

const struct kernel_row *kernel_row_at(const struct kernel_names *names, enum kernel_kind kind,
				       __u64 address)
{
	const struct kernel_row wanted = { .kind = kind, .start = address };
	size_t after = FIRST_WHERE(i, names->nr, by_place(&names->rows[i], &wanted) > 0);

	if (!after || names->rows[after - 1].kind != kind || address >= names->rows[after - 1].end)
		return NULL;
	return &names->rows[after - 1];
}

/* Elf64_Nhdr: the sizes of name and contents, and the type. Both parts are padded to 4 bytes. */
void kernel_note_build_id(struct kernel_names *names, const unsigned char *notes, size_t size)
{
	struct bytes_reader reader = { .at = notes, .left = size };

	while (bytes_left(&reader)) {
		size_t name = bytes_get(&reader, 4), contents = bytes_get(&reader, 4);
		__u64 type = bytes_get(&reader, 4);
		const void *owner = bytes_get_raw(&reader, (name + 3) & ~(size_t)3);
		const void *id = bytes_get_raw(&reader, (contents + 3) & ~(size_t)3);

		if (!owner || !id || type != NOTE_BUILD_ID || name != 4 ||
		    memcmp(owner, "GNU", 4) || !contents || contents > sizeof(names->build_id))
			continue;
		memcpy(names->build_id, id, contents);
		names->build_id_size = (__u8)contents;
		return;
	}
}

size_t kernel_module_id(const struct kernel_names *names, const char *module,
			__u8 id[HISTORY_BUILD_ID_MAX])
{
	size_t i, nr;

	for (i = 0; i < names->nr; i++) {
		const struct kernel_row *row = &names->rows[i];

		if (row->kind != KERNEL_BUILD || strcmp(row->module, module) ||
		    strlen(row->name) > 2 * HISTORY_BUILD_ID_MAX)
			continue;
		for (nr = 0; text_digit(row->name[2 * nr]) >= 0 &&
			     text_digit(row->name[2 * nr + 1]) >= 0; nr++)
			id[nr] = (__u8)(text_digit(row->name[2 * nr]) << 4 |
					text_digit(row->name[2 * nr + 1]));
		return row->name[2 * nr] ? 0 : nr;
	}
	return 0;
}

const char *kernel_elements_text(struct pool *pool, const char *part, __u64 first, __u64 bytes)
{
	return pool_format(pool, "%s/%llu/%llu", part, first, bytes);
}

const char *kernel_element(struct pool *pool, const char *elements, __u64 offset)
{
	const size_t part = strcspn(elements, "/");
	unsigned long long first, bytes;

	if (sscanf(elements + part, "/%llu/%llu", &first, &bytes) != 2 || !bytes)
		return NULL;
	first += offset / bytes;
	offset %= bytes;
	if (!offset)
		return pool_format(pool, "%.*s[%llu]", (int)part, elements, first);
	return pool_format(pool, "%.*s[%llu]+0x%02llx", (int)part, elements, first, offset);
}

void kernel_names_free(struct kernel_names *names)
{
	if (!names)
		return;
	free(names->rows);
	pool_free(&names->pool);
	free(names);
}

/* Add the rows of from one by one. A row that is there already has the same name. */
static void add_missing(struct kernel_names *to, const struct kernel_names *from,
			const struct kernel_names *there)
{
	size_t i;

	for (i = 0; i < from->nr; i++) {
		struct kernel_row row = from->rows[i];
		__u8 id[HISTORY_BUILD_ID_MAX];

		if (there && row.kind == KERNEL_BUILD && kernel_module_id(there, row.module, id))
			continue;
		if (there && (kernel_row_at(there, row.kind, row.start) ||
			      (row.end > row.start &&
			       kernel_row_at(there, row.kind, row.end - 1))))
			continue;
		row.name = pool_text(&to->pool, row.name);
		row.module = *row.module ? pool_text(&to->pool, row.module) : "";
		kernel_row_add(to, &row);
	}
}

void kernel_names_merge(struct kernel_names **into, const struct kernel_names *other)
{
	struct kernel_names *names = xcalloc(1, sizeof(*names));

	if (*into)
		add_missing(names, *into, NULL);
	add_missing(names, other, *into);
	names->text = *into ? (*into)->text : other->text;
	names->build_id_size = *into ? (*into)->build_id_size : other->build_id_size;
	memcpy(names->build_id, *into ? (*into)->build_id : other->build_id,
	       sizeof(names->build_id));
	kernel_rows_sort(names);
	kernel_names_free(*into);
	*into = names;
}

void kernel_names_encode(const struct kernel_names *names, void **data, size_t *size)
{
	struct bytes bytes = { 0 };
	size_t i;

	bytes_put(&bytes, names->nr, 8);
	bytes_put(&bytes, names->text, 8);
	bytes_put(&bytes, names->build_id_size, 1);
	bytes_put_raw(&bytes, names->build_id, sizeof(names->build_id));
	for (i = 0; i < names->nr; i++) {
		const struct kernel_row *row = &names->rows[i];

		bytes_put(&bytes, row->start, 8);
		bytes_put(&bytes, row->end, 8);
		bytes_put(&bytes, row->kind, 4);
		bytes_put(&bytes, row->cpu, 4);
	}
	for (i = 0; i < names->nr; i++) {
		const struct kernel_row *row = &names->rows[i];

		bytes_put_raw(&bytes, row->name, strlen(row->name) + 1);
		bytes_put_raw(&bytes, row->module, strlen(row->module) + 1);
	}
	bytes_take(&bytes, data, size);
}

/* Take two texts, each terminated by a zero byte; 0: they are not there. */
static size_t take_text(struct kernel_names *names, const char *texts, size_t size,
			struct kernel_row *row)
{
	size_t name, module;

	if (!size)
		return 0;
	name = strlen(texts) + 1;
	if (name >= size)
		return 0;
	module = strlen(texts + name) + 1;
	if (name > KERNEL_NAME_MAX || module > KERNEL_NAME_MAX)
		return 0;
	row->name = pool_text(&names->pool, texts);
	row->module = module > 1 ? pool_text(&names->pool, texts + name) : "";
	return name + module;
}

static int decode(struct kernel_names *names, const void *data, size_t size, const char **why)
{
	struct bytes_reader reader = { .at = data, .left = size };
	const char *texts;
	const void *id;
	size_t i, nr, left, used = 0, length;

	nr = bytes_get(&reader, 8);
	names->text = bytes_get(&reader, 8);
	names->build_id_size = (__u8)bytes_get(&reader, 1);
	id = bytes_get_raw(&reader, sizeof(names->build_id));
	if (reader.failed || names->build_id_size > sizeof(names->build_id) || nr > (size - HEAD_BYTES) / ROW_BYTES)
		return section_refuse(why, "the kernel's names are cut off");
	memcpy(names->build_id, id, sizeof(names->build_id));
	left = size - HEAD_BYTES - nr * ROW_BYTES;
	texts = (const char *)data + HEAD_BYTES + nr * ROW_BYTES;
	if (left && texts[left - 1])
		return section_refuse(why, "the last of the kernel's names has no end");
	for (i = 0; i < nr; i++) {
		struct kernel_row row = { 0 };
		const struct kernel_row *last = names->nr ? &names->rows[names->nr - 1] : NULL;

		row.start = bytes_get(&reader, 8);
		row.end = bytes_get(&reader, 8);
		row.kind = (enum kernel_kind)bytes_get(&reader, 4);
		row.cpu = (__u32)bytes_get(&reader, 4);
		if (row.kind >= KERNEL_KINDS || row.end < row.start ||
		    (last && by_place(last, &row) > 0))
			return section_refuse(why, "the kernel's names are in disorder");
		length = take_text(names, texts + used, left - used, &row);
		if (!length)
			return section_refuse(why, "one of the kernel's names is missing or too long");
		used += length;
		kernel_row_add(names, &row);
	}
	if (used != left)
		return section_refuse(why, "the kernel's names go on after the last one");
	return 0;
}

int kernel_names_decode(struct kernel_names **result, const void *data, size_t size,
			const char **why)
{
	struct kernel_names *names = xcalloc(1, sizeof(*names));
	int ret = decode(names, data, size, why);

	if (ret) {
		kernel_names_free(names);
		return ret;
	}
	*result = names;
	return 0;
}
