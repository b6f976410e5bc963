/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What a session sampled between two snapshots. Rows are cumulative, so this is a difference. A row
 * that was evicted and came back in between began anew. Its error bound tells so, because it rises
 * only then.
 */
#ifndef MEMLAT_DELTA_H
#define MEMLAT_DELTA_H

#include <stdbool.h>

#include "snapshot.h"

enum delta_kind {
	SINCE_BEFORE,	/* the difference to the earlier snapshot */
	SINCE_RESET,	/* the tables were emptied in between: everything since then */
	SINCE_START,	/* another session began in between: everything since its start */
	/* a table was not asked for before (running.h): everything since the session began */
	SINCE_WIDER
};

/*
 * elapsed_ns: the least time between the end of the earlier snapshot and the begin of this one. A
 * session that sampled for less than that was emptied in between.
 *
 * *came is a snapshot of its own, with the tables that both hold. Its account holds as a session's
 * does: samples that are in no row belong to evicted rows, and count as evicted.
 *
 * All counts and sums, and the status, are exact. What only grows within a row is not known for the
 * interval alone: sets of CPUs, nodes and bytes and the range of addresses are those since the
 * session began. A largest latency that did not rise is an upper bound.
 */
enum delta_kind snapshot_delta(struct snapshot *came, const struct snapshot *before,
			  const struct snapshot *now, __u64 elapsed_ns);

/* Parts of it, for a difference that is made row by row (running.c). */
enum delta_kind delta_how(const struct snapshot *before, const struct snapshot *now, __u64 elapsed_ns);

/* Is it the earlier row with more samples, and not one that was evicted and came back? */
bool delta_goes_on(enum snapshot_table table, const void *row, const void *earlier);
/* Subtract the earlier state from a row that goes on from it. */
void delta_row(enum snapshot_table table, void *row, const void *earlier);
/* The difference of all rows of a table that both snapshots hold. */
void delta_table(struct snapshot *came, const struct snapshot *before,
		 const struct snapshot *now, enum snapshot_table table);

/* The difference of buckets, status and other totals. came: a copy of the later snapshot. */
void delta_totals(struct snapshot *came, const struct snapshot *before);
/* Call it when all rows are in: samples that are in no row count as evicted. */
void delta_account(struct snapshot *came);

#endif
