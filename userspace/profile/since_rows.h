/* SPDX-License-Identifier: GPL-2.0 */
/* Parts of the difference between two snapshots, for since.c and running.c. */
#ifndef MEMLAT_SINCE_ROWS_H
#define MEMLAT_SINCE_ROWS_H

#include <stdbool.h>

#include "since.h"

enum since since_how(const struct snapshot *before, const struct snapshot *now, __u64 elapsed_ns);

/* Is it the earlier row with more samples, and not one that was evicted and came back? */
bool since_goes_on(enum snapshot_table table, const void *row, const void *earlier);
/* Subtract the earlier state from a row that goes on from it. */
void since_row(enum snapshot_table table, void *row, const void *earlier);
/* The difference of all rows of a table that both snapshots hold. */
void since_table(struct snapshot *came, const struct snapshot *before,
		 const struct snapshot *now, enum snapshot_table table);

/* The difference of buckets, status and other totals. came: a copy of the later snapshot. */
void since_totals(struct snapshot *came, const struct snapshot *before);
/* Call it when all rows are in: samples that are in no row count as evicted. */
void since_account(struct snapshot *came);

#endif
