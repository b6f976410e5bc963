/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Which members of a structure to move to cache lines of their own, so that threads do not
 * fight over a line for different bytes of it: the fewest moves that end the fight, and of
 * these the fewest bytes.
 */
#ifndef MEMLAT_LAYOUT_H
#define MEMLAT_LAYOUT_H

#include "../names/record_place.h"
#include "lineset.h"

#define LAYOUT_THREADS	64	/* those beyond count as one */
#define LAYOUT_LEFT	0.05	/* of the fight may be left */
#define LAYOUT_MOVES	3	/* at most */

/* Who uses a member; the weights are of its samples. */
struct layout_use {
	__u64 storing, loading;		/* threads, by the number that they were given */
	double stores, loads;
	double by_thread[LAYOUT_THREADS];
};

/* What is known of a fight over the members of objects of one structure. */
struct layout_fight {
	size_t nr;			/* members */
	struct layout_use *use;
	/* Weight of the fight over different bytes of two members [a * nr + b], or of one. */
	double *between;
	double same;			/* over the same bytes: no layout ends it */
	double elsewhere;		/* with bytes that are no member's, or another object's */
	__u64 thread[LAYOUT_THREADS];	/* pid << 32 | tid */
	size_t threads;
};

void layout_fight_init(struct layout_fight *fight, size_t nr);
void layout_fight_free(struct layout_fight *fight);
/*
 * Add a line with an object in it. member: for each byte of the line its member, -1: it is in
 * none.
 */
void layout_fight_add(struct layout_fight *fight, const struct lineset *set,
		      const struct lineset_line *line, const int member[LINESET_BYTES_MAX]);
/* Weight of the fight over different bytes. */
double layout_fight_apart(const struct layout_fight *fight);
/* The member with most of that weight within itself, and its part of all of it. */
size_t layout_fight_within(const struct layout_fight *fight, double *part);

/* A member, and whether it may be moved apart from the one before (bits of one word may not). */
struct layout_member {
	struct record_part part;
	bool follows;		/* it stays with the one before */
	bool last;		/* of no size: it has to stay the last one */
};

enum layout_why {
	LAYOUT_GOOD,
	LAYOUT_NO_FIGHT,	/* between members */
	LAYOUT_TANGLED		/* no three moves end it */
};

struct layout {
	enum layout_why why;
	size_t *order;			/* members, by their new places */
	__u32 *aligned;			/* by new place: what to ask for; 0: nothing */
	struct record_part *after;	/* by member */
	struct record_whole whole;	/* afterwards */
	double left;			/* of the fight, a part */
	size_t moves;
};

/* alignment: what members are moved apart by, in bytes: a line, or a pair of lines. */
void layout_search(struct layout *layout, const struct layout_member *members,
		   const struct layout_fight *fight, __u32 said, __u32 alignment);
void layout_free(struct layout *layout);

#endif
