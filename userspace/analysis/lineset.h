/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The lines of a snapshot with the accesses to each. Lines that several processes
 * see through one shared mapping are one here, and so are the rows of a line whose page
 * moved in memory.
 */
#ifndef MEMLAT_LINESET_H
#define MEMLAT_LINESET_H

#include <stdbool.h>
#include <stddef.h>

#include "../profile/snapshot.h"

struct history;
struct lineset;

#define LINESET_BYTES_MAX	128	/* two lines, which a prefetcher fetches together */

/* One line; of several rows that are one, what they add up to. */
struct lineset_line {
	const struct memlat_rec_line *rec;
	__u64 start;		/* rec->addr, aligned to lineset_bytes() */
	size_t nr_rows;		/* rows of the snapshot in it */
	bool mapping;		/* met through a shared mapping */
	size_t first, nr;	/* its accesses, for lineset_access(); by thread */
};

/*
 * bytes: 64, or 128 for pairs of lines. history: NULL: mappings are not known. The
 * rows of snap must stay where they are while it lives.
 */
struct lineset *lineset_new(const struct snapshot *snap, const struct history *history,
			    unsigned int bytes);
void lineset_free(struct lineset *set);

/*
 * Make one row of the snapshot of each line. Where it was, and its node, are not known of one
 * that was met at several places in memory.
 */
void lineset_unite(struct snapshot *snap, const struct history *history);

const struct snapshot *lineset_snapshot(const struct lineset *set);
unsigned int lineset_bytes(const struct lineset *set);
size_t lineset_lines(const struct lineset *set);
const struct lineset_line *lineset_line(const struct lineset *set, size_t index);
const struct memlat_rec_access *lineset_access(const struct lineset *set, size_t index);
/* Where in the line an access is: bytes from its start. */
unsigned int lineset_offset(const struct lineset *set, const struct memlat_rec_access *access);

/*
 * Are two accesses to the line of one thread? In the kernel's memory it goes on when it
 * executes another program, which is a new generation of its process.
 */
bool lineset_same_thread(const struct lineset_line *line, const struct memlat_rec_access *a,
			 const struct memlat_rec_access *b);

/* The line that a row of the snapshot, or a copy of one, is in. NULL: none. */
const struct lineset_line *lineset_find(const struct lineset *set,
					const struct memlat_rec_line *row);
/* The other half of its 128 bytes, where that was sampled. NULL: it was not. */
const struct lineset_line *lineset_partner(const struct lineset *set,
					   const struct lineset_line *line);

#endif
