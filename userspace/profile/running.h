/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A running session, snapshot after snapshot: what came between two of them, and all that it
 * has, in one pass over the stream. The large tables are kept from one to the next, and a
 * row that did nothing meanwhile is only compared: that is most of what there is to read.
 */
#ifndef MEMLAT_RUNNING_H
#define MEMLAT_RUNNING_H

#include "own.h"
#include "since.h"

/* What becomes of a table's rows in one pass. */
struct running_table {
	bool followed;			/* it is asked for, and has many rows */
	size_t had, at;			/* rows kept, and the place of the next one that comes */
	struct snapshot_rows left;	/* kept rows whose place another one has now */
	__u32 *fresh;			/* places of rows that were elsewhere, or nowhere */
	size_t nr_fresh, room_fresh;
};

struct running {
	__u32 tables, interval_ms;	/* as in struct snapshot, of the next pass */
	/*
	 * Rows that own_leave_out() would take out need not come. Their samples are in the sums, and
	 * so are those of the table of threads, all of whose rows come.
	 */
	bool hide_own;
	struct snapshot now;		/* the session as it was last seen */
	bool begun;			/* there is one */
	size_t usual[TABLE_NR];		/* rows that came last time */
	/* Of each row what an idle one is known by: side by side, as the rows are far apart. */
	struct snapshot_rows heads[TABLE_NR];
	/* Of a pass: */
	struct own_known hidden;
	struct snapshot before;		/* what is not followed row by row, as it was */
	struct snapshot came;
	struct running_table table[TABLE_NR];
	__u64 elapsed_ns;
	bool wider, decided;
	enum since since;
};

/* All zero is a session that was not seen yet. */
void running_free(struct running *running);

/*
 * One more snapshot; elapsed_ns as for snapshot_since(). *came is the caller's to free. 0 or
 * -errno: then running->now.error may say more, and the next one begins anew. Where a table is
 * asked for that the one before did not have, all that the session has came.
 */
int running_read(struct running *running, int fd, __u64 elapsed_ns, struct snapshot *came,
		enum since *since);

/* Its three parts, for who has the bytes: snapshot_feed(&running->now) is between them. */
void running_begin(struct running *running, __u64 elapsed_ns);
void running_end(struct running *running, struct snapshot *came, enum since *since);

#endif
