/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What came between two snapshots of one session. Rows are cumulative, so that it is a
 * difference; one that was evicted in between and came back began anew, and its error,
 * which only rises then, tells so.
 */
#ifndef MEMLAT_SINCE_H
#define MEMLAT_SINCE_H

#include "snapshot.h"

enum since {
	SINCE_BEFORE,	/* a difference to the earlier one */
	SINCE_RESET,	/* the tables were emptied meanwhile: all that came after that */
	SINCE_START,	/* another session began meanwhile: all of that */
	SINCE_WIDER	/* a table was not asked for before (running.h): all since the session began */
};

/*
 * elapsed_ns: how long the earlier one had been taken, at least, when this one was begun:
 * a session that has sampled for less than it should have was emptied.
 *
 * *came is a snapshot of its own with the tables that both hold. Its account holds as that
 * of a session does: what has no row came to rows that have left, and counts as evicted.
 *
 * Exact are all counts and sums, and all that the status says of them. Not known of the time
 * in between alone is what only ever grows in a row that was there before: sets of CPUs,
 * nodes and bytes and the range of addresses are those since the session began, and a
 * largest latency which did not rise is at most what stands there.
 */
enum since snapshot_since(struct snapshot *came, const struct snapshot *before,
			  const struct snapshot *now, __u64 elapsed_ns);

#endif
