/* SPDX-License-Identifier: GPL-2.0 */
/* What to change, and what that would save: the most certain gain first. */
#ifndef MEMLAT_ADVISE_H
#define MEMLAT_ADVISE_H

#include "../analysis/conflict.h"
#include "../analysis/gain.h"
#include "../analysis/layout.h"
#include "../analysis/placement.h"
#include "c2c.h"

/* advise_word.c: what a word that several threads store to is used for, by the instructions. */
enum advise_word {
	ADVISE_WORD_UNKNOWN,	/* no statement */
	ADVISE_WORD_COUNTER,	/* threads add to it and do not use its value */
	ADVISE_WORD_TICKET,	/* threads add to it and use the former value */
	ADVISE_WORD_REFERENCES,	/* taken in one function, dropped in another with a test */
	ADVISE_WORD_LOCK,	/* by the name of the variable or the code */
	ADVISE_WORD_SWAPPED,	/* changed by compare-and-swap or exchange */
	ADVISE_WORD_FLAG,	/* plain stores by one thread or more, plain loads by others */
	ADVISE_WORDS
};

struct advise_word_use {
	enum advise_word kind;
	unsigned int byte;	/* offset in the line at which the word begins */
	__u32 tid;		/* tid of a thread that accesses it */
	__u64 ip;		/* of the instruction that stores most often; */
	__u32 space, gen;	/* of a process of that thread */
};

/* Examine a line whose threads fight over the same bytes. */
void advise_word_find(struct advise_word_use *use, const struct c2c *c2c,
		      const struct lineset_line *line, const struct verdict_line *verdict);

/* "counter": for JSON */
const char *advise_word_key(enum advise_word kind);
/* What the word is, and what to do. kernel: it is in the kernel. */
const char *advise_word_text(enum advise_word kind, bool kernel);

/* advise_layout.c: the structure whose members threads fight over, and how to part them. */

/* A member and its place; if variables share a line, one of the variables. */
struct advise_member {
	const char *name;		/* NULL: it has no name */
	__u64 size;
	__u64 before, after;		/* offsets in bytes; of a variable, within its line */
	double loads, stores;		/* weighted samples */
	unsigned int threads;		/* that use it */
};

/* All text belongs to the namer. */
struct advise_layout {
	const char *why;		/* why there is no layout; NULL: there is one */
	const char *type;		/* "struct session"; NULL: variables */
	const char *file;		/* where it is declared */
	unsigned int line;
	const char *declaration;	/* the whole declaration in C or C++ */
	const char *excerpt;		/* without the members that were not seen in use */
	struct advise_member *members;	/* in the order of the declaration */
	size_t nr_members;
	__u64 bytes_before, bytes_after;	/* of one object, or of all variables */
	bool elements;			/* each object, unchanged, gets lines of its own */
	bool allocated;			/* not a variable: its allocation has to be aligned */
};

/*
 * Find a layout for a set of lines: of 64 bytes, or of 128 if pairs are to be separated, as
 * alignment says.
 */
void advise_layout_find(struct advise_layout *layout, struct namer *namer,
			const struct lineset *set, const struct lineset_line *const *lines,
			size_t nr, unsigned int alignment);

/* Memory that is on another node than the CPUs that load it, by object. */

struct advise_object {
	char *name;		/* "table", "heap, grid.c:52 init()", "[anon]" */
	char *where;		/* its declaration or allocation; NULL: not known */
	__u64 start;
	__u32 space;
};

struct advise_places {
	struct placements placements;
	struct advise_object *objects;	/* indexed by the number in a placement */
	size_t nr, room;
};

enum advise_move {
	ADVISE_MOVE_NONE,	/* no advice */
	/* one node uses it: run the threads there, or put the memory here */
	ADVISE_MOVE_THERE,
	/* each node uses a part: let each thread write its part first */
	ADVISE_MOVE_FIRST_TOUCH,
	ADVISE_MOVE_COPY,	/* several nodes read the same memory: one copy for each */
	/* several nodes use and change the same memory: no placement helps */
	ADVISE_MOVE_NOTHING
};

#define ADVISE_PLACES	4	/* most places that one piece of advice names */

enum advise_kind {
	ADVISE_FALSE_SHARING,
	ADVISE_TRUE_SHARING,	/* of a word; its gain is an upper bound, or unknown */
	ADVISE_PLACEMENT,	/* memory on another node than the CPUs that load it */
	ADVISE_CONFLICT,	/* lines of a walk that evict each other from L1 */
	/* false sharing that appears if the object begins at another address */
	ADVISE_LATENT,
	ADVISE_PAGES,		/* memory whose loads often miss the STLB */
	ADVISE_KINDS
};

enum advise_remedy {
	ADVISE_ELEMENTS,	/* put each element of an array on a line of its own */
	ADVISE_MEMBERS,		/* separate members of one object */
	ADVISE_VARIABLES,	/* separate variables */
	ADVISE_UNNAMED,		/* separate whatever is at these addresses */
	ADVISE_WORD,		/* depends on the use of the word */
	ADVISE_PLACE,		/* depends on the nodes that use the memory */
	ADVISE_PAD,		/* lengthen each of the pieces that a walk steps over by a line */
	ADVISE_HUGE_PAGES
};

/* One object, or several that share a line. */
struct advise_item {
	enum advise_kind kind;
	enum advise_remedy remedy;
	struct gain_part part;
	struct gain gain;
	size_t lines;
	__u64 line;			/* address of the first line */
	unsigned int alignment;		/* 64, or 128 if pairs of lines are fought over */
	unsigned int sure;		/* percent, of the least certain line */
	const char *objects;		/* several objects of this type, a namer's text; NULL: no */
	size_t threads;			/* most threads that use one line */
	__u64 cost;			/* cycles that its samples stand for */
	/* the object: "stats.per_cpu", "struct session" of a site */
	char *object;
	char *place[ADVISE_PLACES];	/* what is used there: ".sent", "first" */
	size_t places;
	char *where;			/* its declaration or allocation; NULL: not known */
	const struct memlat_rec_line **halves;	/* its lines */
	struct advise_layout layout;		/* for false sharing */
	struct advise_word_use word;		/* for true sharing */
	const struct placement *placement;	/* NULL: not about placement */
	enum advise_move move;
	struct conflict conflict;	/* for a conflict */
	struct latent_pair latent;
	double walks;			/* its share of all page walks */
	double missed;			/* the share of its loads that miss the STLB */
	__u64 bytes;			/* of the pages */
	/* the code with most of the stores; NULL: not known */
	char *code;
	bool kernel;				/* its memory is the kernel's */
};

enum advise_why {
	ADVISE_GOOD,
	ADVISE_NOT_COUNTED,		/* no counts in the profile */
	ADVISE_RUNS_DIFFER		/* counting and sampling did not see the same work */
};

struct advise {
	const struct profile *profile;
	struct c2c c2c;
	struct advise_places places;
	struct strides strides;
	struct lineset *pairs;		/* pairs of lines; NULL: not needed */
	struct gain_counts counts;
	struct gain_samples samples;
	enum advise_why why;
	double differ;			/* relative difference of the runs' instructions */
	struct advise_item *items;	/* best first */
	size_t nr_items;
	size_t nr_of[ADVISE_KINDS];
	struct gain together;		/* gain of mending all false sharing */
};

/* program: without lines of the kernel's own memory. Shares and gains stay those of the whole. */
void advise_take(struct advise *advise, const struct profile *profile, struct namer *namer,
		 bool program);
void advise_free(struct advise *advise);

struct advise_shown {
	bool all;		/* show what is not worth it, and all members of long structures */
	size_t width;		/* columns */
};

void advise_print(FILE *out, const struct advise *advise, const struct advise_shown *shown);
/* advise_rows.c: all advice, including what is not worth it. */
struct json_object *advise_json(const struct advise *advise);
void advise_csv(FILE *out, const struct advise *advise);

/* Add an item. Whatever it points to now belongs to the advice. */
void advise_add(struct advise *advise, const struct advise_item *item);

/* advise_latent.c: false sharing that would occur if objects lay elsewhere. */
void advise_latent_take(struct advise *advise);
/* advise_pages.c: memory that is larger than what the STLB covers. */
void advise_pages_take(struct advise *advise);

/* Is it known how much waiting the remedy ends? For a lock it is not known. */
bool advise_has_gain(const struct advise_item *item);
/* Is the item shown without -n 0? */
bool advise_is_worth(const struct advise_item *item);

#endif
