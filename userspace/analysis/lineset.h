/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The lines of a snapshot with the accesses to each. A line that several processes see through a
 * shared mapping is one line here, and so is a line with several rows because its page moved in
 * memory.
 */
#ifndef MEMLAT_LINESET_H
#define MEMLAT_LINESET_H

#include <stdbool.h>
#include <stddef.h>

#include "../profile/snapshot.h"

struct history;
struct lineset;

#define LINESET_BYTES_MAX	128	/* two lines, which a prefetcher fetches together */

/* One line. If it has several rows, rec is their sum. */
struct lineset_line {
	const struct memlat_rec_line *rec;
	__u64 start;		/* rec->addr, aligned to lineset_bytes() */
	size_t nr_rows;		/* rows of the snapshot in it */
	bool mapping;		/* rows were joined through a shared mapping */
	size_t first, nr;	/* its accesses, for lineset_access(); by thread */
};

/* How many bytes an access's instruction reads or writes; 0: not known. */
typedef unsigned int (*lineset_width_fn)(void *context, const struct memlat_rec_access *access);

/*
 * @bytes: 64, or 128 for pairs of lines. @history: NULL if mappings are not known. The rows of
 * @snap must not move while the set lives.
 */
struct lineset *lineset_new(const struct snapshot *snap, const struct history *history,
			    unsigned int bytes);
void lineset_free(struct lineset *set);

/*
 * Let the set ask @width. From then on an access that reaches over its line's end, where another
 * thread uses the line behind, is an access to both: to the second one from its first byte on. Rows
 * of lines stay as they were sampled. The set must be of lines, and nothing may know its lines yet.
 */
void lineset_know_widths(struct lineset *set, lineset_width_fn width, void *context);
/* How many bytes of its line an access has; 0: not known. */
unsigned int lineset_width(const struct lineset *set, const struct memlat_rec_access *access);
/* Does an access of the line also use the next line, which another thread uses? */
bool lineset_crosses(const struct lineset *set, const struct lineset_line *line,
		     const struct memlat_rec_access *access);

/*
 * Join the rows of each line in the snapshot. If they were at several places in memory, the
 * physical address and the node become unknown.
 */
void lineset_unite(struct snapshot *snap, const struct history *history);

/*
 * Add @from to @to, a row of the same line. What can't be summed (address, process, latest
 * instruction) stays as it is in @to.
 */
void line_add(struct memlat_rec_line *to, const struct memlat_rec_line *from);

const struct snapshot *lineset_snapshot(const struct lineset *set);
unsigned int lineset_bytes(const struct lineset *set);
size_t lineset_lines(const struct lineset *set);
const struct lineset_line *lineset_line(const struct lineset *set, size_t index);
const struct memlat_rec_access *lineset_access(const struct lineset *set, size_t index);
/* Is it what an access to the line before has in this one? It is no row of the snapshot, which counts it there. */
bool lineset_is_rest(const struct lineset *set, const struct memlat_rec_access *access);
/* Where in the line an access is: bytes from its start. */
unsigned int lineset_offset(const struct lineset *set, const struct memlat_rec_access *access);

/*
 * Are two accesses to the line of the same thread? In the kernel's memory, a thread stays the same
 * when it executes another program, which begins a new generation of its process.
 */
bool lineset_same_thread(const struct lineset_line *line, const struct memlat_rec_access *a,
			 const struct memlat_rec_access *b);

/* The line that a row of the snapshot, or a copy of one, is in. NULL: none. */
const struct lineset_line *lineset_find(const struct lineset *set,
					const struct memlat_rec_line *row);
/* The other line of the pair of 128 bytes; NULL: it was not sampled. */
const struct lineset_line *lineset_partner(const struct lineset *set,
					   const struct lineset_line *line);

/*
 * Accesses by 8-byte slot. Not samples, because each CPU has its own periods, so samples of two
 * CPUs cannot be compared.
 */
struct line_slots {
	__u64 hitm[MEMLAT_LINE_SLOTS];	/* loads that were HITM */
	__u64 store[MEMLAT_LINE_SLOTS];
};

/*
 * Take the slots from the line's accesses in a set of 64-byte lines. If there are none, or too many
 * were evicted, take the line's own samples.
 */
void slots_of_line(const struct lineset *set, const struct memlat_rec_line *line,
		   struct line_slots *slots);

#endif
