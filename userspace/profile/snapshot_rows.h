/* SPDX-License-Identifier: GPL-2.0 */
/* The properties of each table's rows, for reading, writing and merging them. */
#ifndef MEMLAT_SNAPSHOT_ROWS_H
#define MEMLAT_SNAPSHOT_ROWS_H

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

#endif
