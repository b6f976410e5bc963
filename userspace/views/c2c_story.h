/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A line's verdict in words: which thread does what to which data, what to do, and how certain that
 * is.
 */
#ifndef MEMLAT_C2C_STORY_H
#define MEMLAT_C2C_STORY_H

#include <stdbool.h>
#include <stdio.h>

#include "../analysis/lineset.h"
#include "../analysis/verdict.h"
#include "../names/namer.h"
#include "../profile/profile.h"
#include "report.h"

struct story {
	const struct profile *profile;
	struct namer *namer;
	struct verdicts *verdicts;
	const struct memlat_rec_line *line;
	size_t number;		/* the line's number in the table above: "Line 1" */
	__u64 cost;		/* cost of all samples, of which the line's cost is a share */
	bool utf8;		/* JSON: a single line of UTF-8; otherwise for this terminal */
	size_t width;		/* columns to fill; 0: the terminal's width */
};

/* Write the story as one paragraph, and end its last line. */
void story_write(FILE *out, const struct story *story);
/* The same, newly allocated; empty if there is nothing to tell. */
char *story_text(const struct story *story);

/*
 * The data in the line, by the parties that fight over it, or by the costliest access:
 * "counters[0].hits, counters[1].hits", or folded for people: "counters[{0,1}].hits". Newly
 * allocated, not escaped; NULL: not known.
 */
char *story_data(const struct story *story, bool folded);
/* How the data is known, as data_how_name() says; of two names, the less certain one. */
const char *story_how(const struct story *story);

/* What was mapped before where a line or its code is, so that no verdict is sure; NULL: nothing. */
const char *story_before(struct namer *namer, const struct memlat_rec_line *line);
/* "sure" of JSON and CSV: none if there is no verdict, or something was mapped there before. */
struct cell story_sure(struct namer *namer, const struct memlat_rec_line *line,
		       const struct verdict_line *verdict);
/* Are these two objects of one type, in memory that has no variables? */
bool story_two_objects(const struct data_name *a, const struct data_name *b);

/* What a thread uses. */
struct story_use {
	const struct data_name *data;
	__u32 tid;
};

/*
 * "two worker_stats, of threads 184 and 185, 24 bytes apart", newly allocated; NULL: not all that
 * have a name are such objects, or all are the same one. Uses without a name are removed.
 */
char *story_objects(struct story_use *uses, size_t all);

/*
 * The two parties to name for a line with parties: the one that writes most, and the one that
 * suffers most among the others. If the fight is about different bytes, the second is elsewhere in
 * the line. *other NULL: there is only one party.
 */
void story_parties(const struct verdict_line *verdict, const struct verdict_party **writer,
		   const struct verdict_party **other);

/*
 * The offset of a second word in a line with true sharing, which another thread writes, or -1: a queue
 * has its two ends in one line. *data: its name, the namer's; NULL: not known.
 */
int story_other_word(const struct story *story, const char **data);

/*
 * "remote memory": the source whose loads took the most cycles in total; NULL: there are no loads.
 * xsnp_fwd: the loads among them that a sibling core forwarded.
 */
const char *story_source(const __u64 latency[MEMLAT_SRC_NR], const __u64 source[MEMLAT_SRC_NR],
			 __u64 xsnp_fwd, __u64 xsnp_fwd_latency);

/*
 * Which accesses are to a lock? Its word, its owner and its count of waiters are fields of one
 * object, although they look like several variables.
 */

/* A verdict_lock_fn; its context is a struct namer. */
bool locks_is_lock(void *namer, const struct memlat_rec_access *access,
		   struct verdict_lock *lock);

/* A lineset_width_fn; its context is a struct namer. */
unsigned int locks_width(void *namer, const struct memlat_rec_access *access);

/* As locks_is_lock(), by names: of a field and its address, and of a function. Each may be NULL. */
bool locks_by_names(const char *field, const char *function, __u64 addr,
		    struct verdict_lock *lock);

/*
 * The kernel's own work on every machine, whatever runs: it keeps time, counts ticks and manages
 * run queues. Lines of this data are shared, and no program can help it.
 */

/* Is it such a variable, by name, for example "runqueues of CPU 3"? NULL: not known. */
bool housekeeping_name(const char *name);

/* Is it a clock? All of a clock is written at once, so its fields count as one. */
bool housekeeping_clock(const char *name);

/* Is it a line of such data, by the variable that most of its samples access? */
bool housekeeping_line(struct namer *namer, const struct memlat_rec_line *line);

#endif
