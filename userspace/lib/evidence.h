/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the accesses to a line tell of a fight over it: its parties, and how much of
 * the fighting is over the same bytes and how much over different ones.
 *
 * Weights, not samples, are compared: CPUs sample by periods of their own. Only where
 * an access begins is known, not how far it reaches. Two that begin at one byte
 * overlap, two that begin in different aligned 8 bytes do not (wider or unaligned
 * operands are rare); two that begin at different bytes of the same 8 may or may not:
 * undecided.
 */
#ifndef MEMLAT_EVIDENCE_H
#define MEMLAT_EVIDENCE_H

#include "lineset.h"
#include "verdict.h"

/* A thread with this share of a line's weight, or stores, takes part. */
#define EVIDENCE_PART_PERCENT	5
#define EVIDENCE_WRITER_PERCENT	10
/* Certainty that is left where who writes is concluded, not seen. */
#define EVIDENCE_GUESS		0.75

struct evidence {
	struct verdict_party *parties;	/* by cost, the most first; free() */
	size_t nr_parties;
	__u64 samples;			/* of the accesses */
	__u64 fought;			/* of these, loads that fetched and stores that missed L1 */
	double weight;			/* of the accesses */
	double loads, stores;		/* of these */
	double forwarded;		/* of the loads: by a sibling core, modified or clean */
	double heaviest;		/* of the party with most */
	double first_writer;		/* stores of the party with most of them */
	size_t writers;			/* parties with their share of the stores */
	size_t readers;			/* parties that load and do not write */
	double reader_loads;		/* theirs */
	/* Weight of what speaks for a fight, by the bytes it is over. */
	double same, apart, undecided;
	double unexplained;		/* a fight with somebody who is not in the samples */
};

/*
 * guess: nobody's stores were sampled, so that every load of a party counts as its
 * store. all: every access counts as a part of the fight, not those alone that show
 * it. False: no memory.
 */
bool evidence_take(struct evidence *evidence, const struct lineset *set,
		   const struct lineset_line *line, bool guess, bool all);

#endif
