/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Consecutive snapshots of a running session. One pass over the stream yields both the whole
 * session and what it sampled since the last snapshot. Large tables are kept between passes, and a
 * row that is unchanged is only compared. Most rows are.
 */
#ifndef MEMLAT_SERIES_H
#define MEMLAT_SERIES_H

#include "self.h"
#include "delta.h"

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
