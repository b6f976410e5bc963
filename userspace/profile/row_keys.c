// SPDX-License-Identifier: GPL-2.0
#include "row_keys.h"

#include <stdlib.h>
#include <string.h>

#include <xxhash.h>

#include "../util/xalloc.h"
#include "snapshot_rows.h"

static unsigned int line_key(const void *row, __u64 key[ROW_KEY_MAX])
{
	const struct memlat_rec_line *line = row;

	key[0] = line->addr;
	key[1] = (__u64)line->space << 32 | line->gen;
	key[2] = line->phys;
	return 3;
}

static unsigned int site_key(const void *row, __u64 key[ROW_KEY_MAX])
{
	const struct memlat_rec_site *site = row;

	key[0] = site->ip;
	key[1] = (__u64)site->space << 32 | site->gen;
	return 2;
}

static unsigned int access_key(const void *row, __u64 key[ROW_KEY_MAX])
{
	const struct memlat_rec_access *access = row;

	key[0] = access->addr;
	key[1] = access->ip;
	key[2] = (__u64)access->tgid << 32 | access->gen;
	key[3] = (__u64)access->tid << 32 | access->stack;
	key[4] = access->phys;
	return 5;
}

static unsigned int thread_key(const void *row, __u64 key[ROW_KEY_MAX])
{
	const struct memlat_rec_thread *thread = row;

	key[0] = thread->tid;
	key[1] = (__u64)thread->tgid << 32 | thread->gen;
	return 2;
}

static unsigned int stack_key(const void *row, __u64 key[ROW_KEY_MAX])
{
	const struct memlat_rec_stack *stack = row;

	key[0] = (__u64)stack->tgid << 32 | stack->gen;
	key[1] = (__u64)stack->frames << 32 | stack->kernel_frames;
	memcpy(key + 2, stack->frame, stack->frames * sizeof(*key));
	return 2 + stack->frames;
}

static unsigned int core_key(const void *row, __u64 key[ROW_KEY_MAX])
{
	key[0] = ((const struct memlat_rec_core *)row)->core;
	return 1;
}

static unsigned int source_key(const void *row, __u64 key[ROW_KEY_MAX])
{
	const struct memlat_rec_source *source = row;

	key[0] = (__u64)source->core << 32 | source->word;
	return 1;
}

static unsigned int stride_key(const void *row, __u64 key[ROW_KEY_MAX])
{
	const struct memlat_rec_stride *stride = row;

	key[0] = stride->ip;
	key[1] = (__u64)stride->step;
	key[2] = (__u64)stride->space << 32 | stride->gen;
	return 3;
}

static unsigned int count_key(const void *row, __u64 key[ROW_KEY_MAX])
{
	const struct memlat_rec_count *count = row;

	key[0] = (__u64)count->cpu << 32 | (__u32)count->core << 16 | count->event;
	return 1;
}

static unsigned int (*const keys[TABLE_NR])(const void *row, __u64 key[ROW_KEY_MAX]) = {
	[TABLE_LINES]		= line_key,
	[TABLE_SITES]		= site_key,
	[TABLE_ACCESSES]	= access_key,
	[TABLE_THREADS]		= thread_key,
	[TABLE_STACKS]		= stack_key,
	[TABLE_CORES]		= core_key,
	[TABLE_SOURCES]		= source_key,
	[TABLE_STRIDES]		= stride_key,
	[TABLE_COUNTS]		= count_key,
};

unsigned int row_key(enum snapshot_table table, const void *row, __u64 key[ROW_KEY_MAX])
{
	return keys[table](row, key);
}

unsigned int row_key_of_session(enum snapshot_table table, const void *row,
				__u64 key[ROW_KEY_MAX])
{
	const struct memlat_rec_line *line = row;

	/* The address is the one that a process last saw the line at. */
	if (table == TABLE_LINES && line->phys) {
		key[0] = line->phys;
		return 1;
	}
	return row_key(table, row, key);
}

bool row_is_same(enum snapshot_table table, const void *a, const void *b)
{
	__u64 key[ROW_KEY_MAX], other[ROW_KEY_MAX];
	const unsigned int length = row_key_of_session(table, a, key);

	return row_key_of_session(table, b, other) == length &&
	       !memcmp(key, other, length * sizeof(*key));
}

void row_index_init(struct row_index *index, const struct snapshot *snap,
		    enum snapshot_table table, row_key_fn *key, size_t rows)
{
	size_t size = 16;

	while (size < 2 * rows)
		size *= 2;
	index->snap = snap;
	index->table = table;
	index->key = key;
	index->mask = size - 1;
	index->places = xmallocarray(size, sizeof(*index->places));
	memset(index->places, 0xff, size * sizeof(*index->places));
}

void row_index_free(struct row_index *index)
{
	free(index->places);
	index->places = NULL;
}

__u32 *row_index_find(const struct row_index *index, const void *row)
{
	__u64 key[ROW_KEY_MAX], other[ROW_KEY_MAX];
	unsigned int length = index->key(index->table, row, key);
	size_t at = XXH3_64bits(key, length * sizeof(*key)) & index->mask;

	while (index->places[at] != NO_ROW) {
		const void *there = row_at(index->snap, index->table, index->places[at]);

		if (index->key(index->table, there, other) == length &&
		    !memcmp(key, other, length * sizeof(*key)))
			break;
		at = (at + 1) & index->mask;
	}
	return &index->places[at];
}
