/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Rows that a view is asked to show: of a process, a thread, a cgroup, a node, of some code
 * or data. All that is given must hold. The one place that decides: rows that do not pass
 * leave the profile's tables before a view sees them.
 *
 * Rows of code or of nodes do not tell everything: of an instruction of the kernel not whose
 * it was, of a row that two nodes have a part in not how much each has. Such rows are left
 * out, too, and counted by themselves.
 */
#ifndef MEMLAT_SELECTION_H
#define MEMLAT_SELECTION_H

#include <stdbool.h>

#include "../names/namer.h"
#include "../profile/profile.h"

enum selection_key {
	SELECT_COMM,		/* name of the process; this and the others: as for fnmatch(3) */
	SELECT_PID,
	SELECT_TID,
	SELECT_CGROUP,		/* and those below it */
	SELECT_FUNCTION,
	SELECT_MODULE,
	SELECT_DATA,
	SELECT_NODE,
	SELECT_KEYS
};

struct selection {
	const char *text[SELECT_KEYS];	/* as typed; NULL: not asked for */
	__u32 number[SELECT_KEYS];	/* of pid, tid and node */
};

/* What the rows of a table can be selected by: bits by enum selection_key. */
#define SELECT_OF_ACCESSES	((1U << SELECT_KEYS) - 1)
/* A line passes whole where one of its accesses does. */
#define SELECT_OF_LINES		SELECT_OF_ACCESSES
#define SELECT_OF_SITES		(1U << SELECT_COMM | 1U << SELECT_PID | 1U << SELECT_CGROUP | \
				 1U << SELECT_FUNCTION | 1U << SELECT_MODULE | 1U << SELECT_NODE)
#define SELECT_OF_THREADS	(1U << SELECT_COMM | 1U << SELECT_PID | 1U << SELECT_TID | \
				 1U << SELECT_CGROUP | 1U << SELECT_NODE)
#define SELECT_OF_STRIDES	(1U << SELECT_COMM | 1U << SELECT_FUNCTION | 1U << SELECT_MODULE)

struct selection_sum {
	__u64 rows, samples, weight, cost;	/* of strides samples are pairs */
};

/* What became of the rows of a table. The three counts add up to all its rows. */
struct selection_left {
	struct selection_sum kept;
	struct selection_sum left_out;	/* they are of others */
	struct selection_sum untold;	/* nobody knows */
};

const char *selection_name(enum selection_key key);	/* "comm" */
bool selection_any(const struct selection *selection);

/*
 * Take rows out of a table: of lines, sites, accesses, threads or strides; with strides the
 * sites as well, which left does not count.
 */
void selection_apply(const struct selection *selection, struct profile *profile,
		     struct namer *namer, enum snapshot_table table,
		     struct selection_left *left);

#endif
