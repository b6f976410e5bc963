/* SPDX-License-Identifier: GPL-2.0 */
/* What there is to know of each table's rows: to read, write and merge them. */
#ifndef MEMLAT_SNAPSHOT_ROWS_H
#define MEMLAT_SNAPSHOT_ROWS_H

#include <string.h>

#include "snapshot.h"

/* Members are given by their offsets; 0, where a row has its header, stands for none. */
struct row_kind {
	const char *name;	/* of one row, for messages */
	const char *names;
	enum memlat_rec_type type;
	size_t size;
	/*
	 * The size that the first modules of this ABI version sent. What was appended since
	 * counts as zero when it does not come.
	 */
	size_t least;
	bool always;		/* held whether it was asked for or not */
	/* Members of the row: what table_sum adds up, and what may be missing from it. */
	size_t samples, weight, cost, error;
	size_t end_rows;	/* of struct memlat_rec_end: how many rows came */
	size_t status_error;	/* of struct memlat_status: most that a missing row may have had */
	/* Is it a row that can be? 0 or -EBADMSG; NULL: any is. */
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

/* Add a row to what its table adds up to. */
void row_sum(struct snapshot *snap, enum snapshot_table table, const void *row);

#endif
