/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The rows that a view is asked to show: of a process, thread, cgroup or node, of some code or
 * data. A row has to match everything that is given. This is the only place that decides: rows
 * that do not match leave the profile's tables before a view sees them.
 *
 * Some rows cannot be decided. A row of kernel code does not say for which process it ran, and a
 * row of two nodes does not say how much belongs to each. Such rows are left out too, and counted
 * apart.
 */
#ifndef MEMLAT_SELECTION_H
#define MEMLAT_SELECTION_H

#include <stdbool.h>

#include "../names/namer.h"
#include "../profile/profile.h"

enum selection_key {
	SELECT_COMM,		/* process name; all names are patterns, see util/text.h */
	SELECT_PID,
	SELECT_TID,
	SELECT_CGROUP,		/* and those below it */
	SELECT_FUNCTION,
	SELECT_MODULE,
	SELECT_DATA,
	SELECT_NODE,
	SELECT_PROGRAM,		/* code of programs and their libraries, not the kernel's or ld.so's */
	SELECT_KEYS
};

struct selection {
	const char *text[SELECT_KEYS];	/* as typed, "" without a value; NULL: not given */
	__u32 number[SELECT_KEYS];	/* for pid, tid and node */
};

/* What the rows of a table can be selected by: bits by enum selection_key. */
#define SELECT_OF_ACCESSES	((1U << SELECT_KEYS) - 1)
/* A line passes as a whole if one of its accesses does. */
#define SELECT_OF_LINES		SELECT_OF_ACCESSES
#define SELECT_OF_SITES		(1U << SELECT_COMM | 1U << SELECT_PID | 1U << SELECT_CGROUP | \
				 1U << SELECT_FUNCTION | 1U << SELECT_MODULE | 1U << SELECT_NODE | \
				 1U << SELECT_PROGRAM)
#define SELECT_OF_THREADS	(1U << SELECT_COMM | 1U << SELECT_PID | 1U << SELECT_TID | \
				 1U << SELECT_CGROUP | 1U << SELECT_NODE)
#define SELECT_OF_STRIDES	(1U << SELECT_COMM | 1U << SELECT_FUNCTION | 1U << SELECT_MODULE | \
				 1U << SELECT_PROGRAM)

/*
 * What happened to the rows of a table. The three add up to all its rows. For strides, samples are
 * pairs.
 */
struct selection_left {
	struct table_sum kept;
	struct table_sum left_out;	/* rows that do not match */
	struct table_sum untold;	/* rows that cannot be decided, left out too */
};

/* Is it code of ld.so, by its names on all architectures and in musl? Looks up no name. */
bool selection_is_loader(const struct profile *profile, __u32 space, __u32 gen, __u64 ip);

const char *selection_name(enum selection_key key);	/* "comm" */
bool selection_any(const struct selection *selection);

/*
 * Remove the rows that do not match from a table of lines, sites, accesses, threads or strides. For
 * strides, sites are removed too, which @left does not count.
 */
void selection_apply(const struct selection *selection, struct profile *profile,
		     struct namer *namer, enum snapshot_table table,
		     struct selection_left *left);

#endif
