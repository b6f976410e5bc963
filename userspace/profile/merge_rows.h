/* SPDX-License-Identifier: GPL-2.0 */
/* Merge the tables of two snapshots: rows of the same thing are summed. */
#ifndef MEMLAT_MERGE_ROWS_H
#define MEMLAT_MERGE_ROWS_H

#include "snapshot.h"

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
