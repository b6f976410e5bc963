/* SPDX-License-Identifier: GPL-2.0 */
/* The key of a table's row: what identifies the row. And an index of rows by key. */
#ifndef MEMLAT_ROW_KEYS_H
#define MEMLAT_ROW_KEYS_H

#include <stdint.h>

#include "snapshot.h"

#define ROW_KEY_MAX	(4 + MEMLAT_STACK_FRAMES)

/* The numbers that identify a row, in another session too. Returns how many there are. */
unsigned int row_key(enum snapshot_table table, const void *row, __u64 key[ROW_KEY_MAX]);
/* The numbers that identify a row within one session, as in the module. */
unsigned int row_key_of_session(enum snapshot_table table, const void *row,
				__u64 key[ROW_KEY_MAX]);
/* Are two rows of one session the same one? */
bool row_is_same(enum snapshot_table table, const void *a, const void *b);
typedef unsigned int row_key_fn(enum snapshot_table table, const void *row,
				__u64 key[ROW_KEY_MAX]);

#define NO_ROW	UINT32_MAX

/* A hash table of row numbers. A collision uses the next free place. */
struct row_index {
	const struct snapshot *snap;
	enum snapshot_table table;
	row_key_fn *key;
	__u32 *places;
	size_t mask;
};

/* Make an empty index with room for so many rows of the table. The snapshot's rows may move. */
void row_index_init(struct row_index *index, const struct snapshot *snap,
		    enum snapshot_table table, row_key_fn *key, size_t rows);
void row_index_free(struct row_index *index);

/*
 * The place of the number of the row with the same key. If there is no such row, the place holds
 * NO_ROW.
 */
__u32 *row_index_find(const struct row_index *index, const void *row);

#endif
