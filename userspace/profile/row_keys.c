// SPDX-License-Identifier: GPL-2.0
#include "snapshot_rows.h"

#include <stdlib.h>
#include <string.h>

#include <xxhash.h>

#include "../util/xalloc.h"

static __u64 both(__u32 high, __u32 low)
{
	return (__u64)high << 32 | low;
}

unsigned int row_key(enum snapshot_table table, const void *row, __u64 key[ROW_KEY_MAX])
{
	const struct memlat_rec_line *line = row;
	const struct memlat_rec_site *site = row;
	const struct memlat_rec_access *access = row;
	const struct memlat_rec_thread *thread = row;
	const struct memlat_rec_stack *stack = row;
	const struct memlat_rec_core *core = row;
	const struct memlat_rec_source *source = row;
	const struct memlat_rec_stride *stride = row;
	const struct memlat_rec_count *count = row;

	switch (table) {
	case TABLE_LINES:
		key[0] = line->addr;
		key[1] = both(line->space, line->gen);
		key[2] = line->phys;
		return 3;
	case TABLE_SITES:
		key[0] = site->ip;
		key[1] = both(site->space, site->gen);
		return 2;
	case TABLE_ACCESSES:
		key[0] = access->addr;
		key[1] = access->ip;
		key[2] = both(access->tgid, access->gen);
		key[3] = both(access->tid, access->stack);
		key[4] = access->phys;
		return 5;
	case TABLE_THREADS:
		key[0] = thread->tid;
		key[1] = both(thread->tgid, thread->gen);
		return 2;
	case TABLE_STACKS:
		key[0] = both(stack->tgid, stack->gen);
		key[1] = both(stack->frames, stack->kernel_frames);
		memcpy(key + 2, stack->frame, stack->frames * sizeof(*key));
		return 2 + stack->frames;
	case TABLE_CORES:
		key[0] = core->core;
		return 1;
	case TABLE_SOURCES:
		key[0] = both(source->core, source->word);
		return 1;
	case TABLE_STRIDES:
		key[0] = stride->ip;
		key[1] = (__u64)stride->step;
		key[2] = both(stride->space, stride->gen);
		return 3;
	default:
		key[0] = both(count->cpu, (__u32)count->core << 16 | count->event);
		return 1;
	}
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
