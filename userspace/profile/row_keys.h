/* SPDX-License-Identifier: GPL-2.0 */
/* What makes a row of a table the one that it is, and rows found by it. */
#ifndef MEMLAT_ROW_KEYS_H
#define MEMLAT_ROW_KEYS_H

#include <stdint.h>

#include "snapshot.h"

#define ROW_KEY_MAX	(4 + MEMLAT_STACK_FRAMES)

/* Numbers that say which row it is, also in another session; how many. */
unsigned int row_key(enum snapshot_table table, const void *row, __u64 key[ROW_KEY_MAX]);
/* The same within one session, as the module tells its rows apart. */
unsigned int row_key_of_session(enum snapshot_table table, const void *row,
				__u64 key[ROW_KEY_MAX]);
/* Are two rows of one session the same one? */
bool row_is_same(enum snapshot_table table, const void *a, const void *b);
typedef unsigned int row_key_fn(enum snapshot_table table, const void *row,
				__u64 key[ROW_KEY_MAX]);

#define NO_ROW	UINT32_MAX

/* Places of rows by the hash of their key, the next free one where that is taken. */
struct row_index {
	const struct snapshot *snap;
	enum snapshot_table table;
	row_key_fn *key;
	__u32 *places;
	size_t mask;
};

/* Empty, with room for so many rows of that table. The snapshot's rows may move. */
void row_index_init(struct row_index *index, const struct snapshot *snap,
		    enum snapshot_table table, row_key_fn *key, size_t rows);
void row_index_free(struct row_index *index);

/* Where the number of the row with this one's key is, or belongs: NO_ROW there. */
__u32 *row_index_find(const struct row_index *index, const void *row);

#endif
