/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the accesses to a line tell of a fight over it: its parties, and how much of
 * the fighting is over the same bytes and how much over different ones.
 *
 * Weights, not samples, are compared: CPUs sample by periods of their own. A record has
 * where an access begins, not how far it reaches. Two that begin at one byte
 * overlap, two that begin in different aligned 8 bytes do not (wider or unaligned
 * operands are rare); of two that begin at different bytes of the same 8 the lower one's
 * instruction decides, where it is known: else they may or may not: undecided.
 */
#ifndef MEMLAT_EVIDENCE_H
#define MEMLAT_EVIDENCE_H

#include "lineset.h"
#include "verdict.h"

/* A thread with this share of a line's weight, or stores, takes part. */
#define EVIDENCE_PART_PERCENT	5
#define EVIDENCE_WRITER_PERCENT	10

/*
 * Which bytes of a line belong to one lock object (a mutex's word, owner and count), or
 * to fields that change together: a fight over any of them is one over all of them.
 * Without: each byte is itself.
 */
struct evidence_locks {
	__u8 object[MEMLAT_LINE_BYTES];		/* the first such byte of its object */
	__u64 bytes;				/* bit n: byte n is part of a lock */
};

/* How many bytes an access's instruction reads or writes; 0: not known. */
typedef unsigned int (*evidence_width_fn)(void *context,
					  const struct memlat_rec_access *access);

struct evidence_widths {
	evidence_width_fn width;
	void *context;
};

struct evidence {
	struct verdict_party *parties;	/* by cost, the most first; free() */
	size_t nr_parties;
	__u64 samples;			/* of the accesses */
	double effective;		/* equally heavy samples that would tell as much */
	__u64 fought;			/* of these, loads that fetched and stores that missed L1 */
	double weight;			/* of the accesses */
	double loads, stores;		/* of these */
	double missed;			/* of the stores: the line was not the core's to write */
	double forwarded;		/* of the loads: by a sibling core, modified or clean */
	double heaviest;		/* of the party with most */
	double first_writer;		/* stores of the party with most of them */
	size_t writers;			/* parties with their share of the stores */
	size_t readers;			/* parties that load and do not write */
	double reader_loads;		/* theirs */
	size_t storing;			/* parties that any store was sampled of */
	__u64 taken;			/* fetched loads of the others, stores that found it elsewhere */
	/* Weight of what speaks for a fight, by the bytes it is over. */
	double same, apart, undecided, locked;
	double unexplained;		/* a fight with somebody who is not in the samples */
};

/*
 * locks, widths: NULL: none are known. all: every access counts as a part of the fight, not
 * those alone that show it.
 */
void evidence_take(struct evidence *evidence, const struct lineset *set,
		   const struct lineset_line *line, const struct evidence_locks *locks,
		   const struct evidence_widths *widths, bool all);

#endif
