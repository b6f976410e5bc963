/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Consecutive snapshots of a running session. One pass over the stream yields both the whole
 * session and what it sampled since the last snapshot. Large tables are kept between passes, and a
 * row that is unchanged is only compared. Most rows are.
 */
#ifndef MEMLAT_SERIES_H
#define MEMLAT_SERIES_H

#include <stdbool.h>

#include "self.h"
#include "snapshot.h"

/*
 * What a session sampled between two snapshots. Rows are cumulative, so this is a difference. A row
 * that was evicted and came back in between began anew. Its error bound tells so, because it rises
 * only then.
 */

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

/* The state of one table in a pass. */
struct series_table {
	bool followed;			/* it is asked for and may have many rows */
	/* number of kept rows, and index of the next row in the stream */
	size_t had, at;
	struct snapshot_rows left;	/* kept rows whose place another row has now */
	__u32 *fresh;			/* indices of rows that were in another place, or are new */
	size_t nr_fresh, room_fresh;
};

struct series {
	__u32 tables, interval_ms;	/* as in struct snapshot, for the next pass */
	/*
	 * Leave out the rows that own_leave_out() would remove. Their samples stay in the sums,
	 * including those of the table of threads, all of whose rows are kept.
	 */
	bool hide_own;
	struct snapshot now;		/* the session as it was last seen */
	bool begun;			/* now holds a snapshot */
	size_t usual[TABLE_NR];		/* number of rows of the last pass */
	/*
	 * The head of each row, by which an idle row is recognized. They are adjacent, because the
	 * rows themselves are far apart in memory.
	 */
	struct snapshot_rows heads[TABLE_NR];
	/* Of the pass that is under way: */
	struct self_known hidden;
	/* the last state of tables that are not followed row by row */
	struct snapshot before;
	struct snapshot came;
	struct series_table table[TABLE_NR];
	__u64 elapsed_ns;
	bool wider, decided;
	enum delta_kind since;
};

/* All zero: no snapshot was taken yet. */
void series_free(struct series *running);

/*
 * Take one more snapshot; elapsed_ns as for snapshot_since(). The caller frees *came. Returns 0 or
 * -errno; then running->now.error may say more, and the next pass starts anew. If a table is asked
 * for that the last pass did not have, *came is the whole session.
 */
int series_read(struct series *running, int fd, __u64 elapsed_ns, struct snapshot *came,
		enum delta_kind *since);

/*
 * The three steps of series_read() for a caller that has the bytes. snapshot_feed(&series->now)
 * goes between them.
 */
void series_begin(struct series *running, __u64 elapsed_ns);
void series_end(struct series *running, struct snapshot *came, enum delta_kind *since);

#endif
