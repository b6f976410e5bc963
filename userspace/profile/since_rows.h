/* SPDX-License-Identifier: GPL-2.0 */
/* What came between two snapshots, piece by piece: for since.c and running.c. */
#ifndef MEMLAT_SINCE_ROWS_H
#define MEMLAT_SINCE_ROWS_H

#include <stdbool.h>

#include "since.h"

enum since since_how(const struct snapshot *before, const struct snapshot *now, __u64 elapsed_ns);

/* Is it the row that it was, and not one that left and came back? */
bool since_goes_on(enum snapshot_table table, const void *row, const void *earlier);
/* What of a row came after the earlier one, which it goes on. */
void since_row(enum snapshot_table table, void *row, const void *earlier);
/* All rows of a table that both snapshots hold. */
void since_table(struct snapshot *came, const struct snapshot *before,
		 const struct snapshot *now, enum snapshot_table table);

/* came: a copy of the later one; its buckets, its status and the like. */
void since_totals(struct snapshot *came, const struct snapshot *before);
/* When all rows are in: what is in none counts as evicted. */
void since_account(struct snapshot *came);

#endif
