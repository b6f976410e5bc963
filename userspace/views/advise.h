/* SPDX-License-Identifier: GPL-2.0 */
/* What to change, and what that would save: the most certain gain first. */
#ifndef MEMLAT_ADVISE_H
#define MEMLAT_ADVISE_H

#include "../analysis/conflict.h"
#include "../analysis/gain.h"
#include "../analysis/latent.h"
#include "advise_layout.h"
#include "advise_place.h"
#include "advise_word.h"
#include "c2c.h"

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

void advise_take(struct advise *advise, const struct profile *profile, struct namer *namer);
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
/* "add_one() at true_sharing.c:31"; to be freed. NULL: the code is not known. */
char *advise_code(const struct advise *advise, __u32 space, __u32 gen, __u64 ip);
/* advise_conflict.c: walks that conflict with themselves in L1. */
void advise_conflicts_take(struct advise *advise);
void advise_conflict_print(FILE *out, const struct advise_item *item);
void advise_conflict_evidence(FILE *out, const struct advise_item *item);
struct json_object *advise_conflict_json(const struct advise_item *item);

/* advise_latent.c: false sharing that would occur if objects lay elsewhere. */
void advise_latent_take(struct advise *advise);
void advise_latent_print(FILE *out, const struct advise_item *item);
struct json_object *advise_latent_json(const struct advise_item *item);

/* advise_pages.c: memory that is larger than what the STLB covers. */
void advise_pages_take(struct advise *advise);
void advise_pages_print(FILE *out, const struct advise_item *item);
void advise_pages_evidence(FILE *out, const struct advise_item *item);
struct json_object *advise_pages_json(const struct advise_item *item);

/* Is it known how much waiting the remedy ends? For a lock it is not known. */
bool advise_has_gain(const struct advise_item *item);
/* Is the item shown without --all? */
bool advise_is_worth(const struct advise_item *item);

#endif
