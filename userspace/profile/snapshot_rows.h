/* SPDX-License-Identifier: GPL-2.0 */
/* The properties of each table's rows, for reading, writing and merging them. */
#ifndef MEMLAT_SNAPSHOT_ROWS_H
#define MEMLAT_SNAPSHOT_ROWS_H

#include <string.h>

#include "snapshot.h"

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

static inline void *row_at(const struct snapshot *snap, enum snapshot_table table, size_t row)
{
	return (char *)snap->rows[table].row + row * row_kinds[table].size;
}

/* Add a row of a table to sums. */
void row_sum(struct table_sum *sum, enum snapshot_table table, const void *row);

#endif
