/* SPDX-License-Identifier: GPL-2.0 */
/* The properties of each table's rows, for reading, writing and merging them. */
#ifndef MEMLAT_SNAPSHOT_ROWS_H
#define MEMLAT_SNAPSHOT_ROWS_H

#include <stdint.h>
#include <string.h>

#include "snapshot.h"

/* A run of adjacent __u64 members that are sums: from the first member to the end of the last. */
struct row_range {
	size_t from, to;
};

#define ROW_RANGES	5

/* Members are given by their offsets. 0, the offset of a row's header, means that there is none. */
struct row_kind {
	const char *name;	/* of one row, for messages */
	const char *names;
	enum memlat_rec_type type;
	size_t size;
	/*
	 * The size that the first modules of this ABI version sent. A member that was appended
	 * since counts as zero if it is missing.
	 */
	size_t least;
	bool always;		/* kept whether it was asked for or not */
	/* Offsets of the row's members: the three that table_sum adds up, and the error bound. */
	size_t samples, weight, cost, error;
	struct row_range sums[ROW_RANGES];	/* all members that are sums */
	size_t latency, latency_most;	/* the sum, and the largest one */
	size_t end_rows;	/* in struct memlat_rec_end: the number of rows sent */
	/* in struct memlat_status: rows, samples of evicted ones, and the most that one had */
	size_t status_rows, status_evicted, status_error;
	/* Checks a row's values: 0 or -EBADMSG; NULL: every row is valid. */
	int (*check)(struct snapshot *snap, void *row);
};

extern const struct row_kind row_kinds[TABLE_NR];

/* The member at this offset; 0: there is none. */
static inline __u64 row_figure(const void *record, size_t offset)
{
	__u64 figure;

	if (!offset)
		return 0;
	memcpy(&figure, (const char *)record + offset, sizeof(figure));
	return figure;
}

static inline void row_put_figure(void *record, size_t offset, __u64 figure)
{
	memcpy((char *)record + offset, &figure, sizeof(figure));
}

static inline void *row_at(const struct snapshot *snap, enum snapshot_table table, size_t row)
{
	return (char *)snap->rows[table].row + row * row_kinds[table].size;
}

/* Add a row of a table to sums. */
void row_sum(struct table_sum *sum, enum snapshot_table table, const void *row);
/* The same without counting the row; times -1: take its figures away. */
void row_figures_add(struct table_sum *sum, enum snapshot_table table, const void *row,
		     __u64 times);

/* Add sums to those of another record; times -1: take them away. */
void range_add(void *to, const void *more, struct row_range range, __u64 times);
/* The same for all sums of a row. */
void row_add(enum snapshot_table table, void *to, const void *more, __u64 times);

/* The key of a table's row: what identifies the row. And an index of rows by key. */

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

/* Merge the tables of two snapshots: rows of the same thing are summed. */

/*
 * Add other's rows. later: where a row holds names and addresses of its latest sample, take those
 * of other. A row that one snapshot lacks may have been evicted there, so the row's error bound
 * grows. Both heads are still unmerged.
 */
void merge_rows(struct snapshot *into, const struct snapshot *other, bool later);

/* Also merge the totals and the heads. */
void merge_snapshots(struct snapshot *into, const struct snapshot *other, bool later);

/* Add a row to another one of the same thing, all but its error bound. later: as above. */
void row_join(enum snapshot_table table, void *into, const void *row, bool later);

/* Compute anew what the rows add up to. */
void merge_sums(struct snapshot *snap);

#endif
