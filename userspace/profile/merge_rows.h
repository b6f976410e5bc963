/* SPDX-License-Identifier: GPL-2.0 */
/* The tables of two snapshots as one: rows of the same thing are summed. */
#ifndef MEMLAT_MERGE_ROWS_H
#define MEMLAT_MERGE_ROWS_H

#include "snapshot.h"

/*
 * Add other's rows. later: the names and addresses that a row has of its latest sample
 * come from other. What one of the two does not have may have been evicted there, and
 * its error bound says so. Both heads are still as they were.
 */
void merge_rows(struct snapshot *into, const struct snapshot *other, bool later);

/* The same with all that is of the whole session, and the heads. */
void merge_snapshots(struct snapshot *into, const struct snapshot *other, bool later);

/* What the rows add up to, anew. */
void merge_sums(struct snapshot *snap);

#endif
