/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Which members of a structure to move to cache lines of their own, so that threads do not
 * fight over a line for different bytes of it: the fewest moves that end the fight, and of
 * these the fewest bytes.
 */
#ifndef MEMLAT_LAYOUT_H
#define MEMLAT_LAYOUT_H

#include "../names/members.h"
#include "lineset.h"

#define LAYOUT_THREADS	64	/* those beyond count as one */
#define LAYOUT_LEFT	0.05	/* of the fight may be left */
#define LAYOUT_MOVES	3	/* at most */

/* The use of a member, by the weights of its samples. */
struct layout_use {
	__u64 storing, loading;		/* threads as bits, numbered as in layout_fight.thread */
	double stores, loads;
	double by_thread[LAYOUT_THREADS];
};

/* The fight over the members of all objects of one structure. */
struct layout_fight {
	size_t nr;			/* members */
	struct layout_use *use;
	/* Weight of the fight over different bytes of members a and b (or of one): [a * nr + b]. */
	double *between;
	double same;			/* weight over the same bytes, which no layout ends */
	double elsewhere;		/* weight with bytes of no member, or of another object */
	__u64 thread[LAYOUT_THREADS];	/* pid << 32 | tid */
	size_t threads;
};

void layout_fight_init(struct layout_fight *fight, size_t nr);
void layout_fight_free(struct layout_fight *fight);
/*
 * Add a line that contains an object. @member: the member of each byte of the line; -1: none.
 */
void layout_fight_add(struct layout_fight *fight, const struct lineset *set,
		      const struct lineset_line *line, const int member[LINESET_BYTES_MAX]);
/* Weight of the fight over different bytes. */
double layout_fight_apart(const struct layout_fight *fight);
/* The member with most of that weight within itself, and its part of that weight. */
size_t layout_fight_within(const struct layout_fight *fight, double *part);

/* A member that a layout may move. */
struct layout_member {
	struct record_part part;
	bool follows;		/* it has to stay behind the one before (bits of one word) */
	bool last;		/* it has no size (flexible array), and has to stay the last one */
};

enum layout_why {
	LAYOUT_GOOD,
	LAYOUT_NO_FIGHT,	/* there is no fight between members */
	LAYOUT_TANGLED		/* no three moves end the fight */
};

struct layout {
	enum layout_why why;
	size_t *order;			/* members, by their new places */
	__u32 *aligned;			/* by new place: the alignment to ask for; 0: none */
	struct record_part *after;	/* the new places, by member */
	__u64 size;		/* of the new structure */
	double left;			/* part of the fight that is left */
	size_t moves;
};

/* @alignment: bytes by which members are separated: a line, or a pair of lines. */
void layout_search(struct layout *layout, const struct layout_member *members,
		   const struct layout_fight *fight, __u32 said, __u32 alignment);
void layout_free(struct layout *layout);

/*
 * False sharing that another address of the object would bring: two threads store to bytes of one
 * object that are less than a line apart, and are on two lines only because of where the object
 * begins.
 */

#define LATENT_STEP	16	/* bytes: what malloc() aligns to */
/* Each of the two uses needs this many sampled stores, and this part of the object's stores. */
#define LATENT_LEAST	20
#define LATENT_PART	5	/* percent; with less, sharing would cost nothing either */

/* What one thread stores to in an object. */
struct latent_use {
	__u64 offset;
	__u64 stores;		/* sampled */
	__u32 tid;
};

struct latent_pair {
	size_t first, second;	/* uses */
	unsigned int shares, of;	/* places that put both on one line, of all */
};

/*
 * Count the places where an object may begin, and those of them that put two bytes of it on one
 * line.
 */
void latent_chances(__u64 a, __u64 b, struct latent_pair *pair);
/*
 * Find the two uses, of different threads, that are on two lines where the object begins today
 * and are most likely to be on one line elsewhere. uses: by offset, one for each thread at an
 * offset. false: there are no such two.
 */
bool latent_find(struct latent_pair *pair, __u64 start, const struct latent_use *uses, size_t nr);

#endif
