/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the accesses to a line show of a fight over it: its parties, and the figures that the model
 * takes (analysis/model.h).
 *
 * Cycles and weights are compared, not samples, because each CPU has its own periods. A record says
 * where an access begins, but not how far it reaches. Two accesses that begin at the same byte
 * overlap. Two that begin in different aligned 8 bytes do not (wider or unaligned operands are
 * rare). For two that begin at different bytes of the same 8, the width of the lower one's
 * instruction decides.
 */
#ifndef MEMLAT_EVIDENCE_H
#define MEMLAT_EVIDENCE_H

#include "lineset.h"
#include "model.h"
#include "verdict.h"

/* A thread with this share of a line's weight, or stores, takes part. */
#define EVIDENCE_PART_PERCENT	5
#define EVIDENCE_WRITER_PERCENT	10

/*
 * Which bytes of a line belong to one lock object (a mutex's word, owner and count), or to fields
 * that change together. A fight over any of them is a fight over all of them.
 */
struct evidence_locks {
	__u8 object[MEMLAT_LINE_BYTES];		/* first byte of its object, or itself */
	__u64 bytes;				/* bit n: byte n is part of a lock */
};

struct evidence {
	struct verdict_party *parties;	/* by cost, the most first; free() */
	size_t nr_parties;
	__u64 samples;			/* of the accesses */
	double effective;		/* see evidence_effective() */
	double features[MODEL_FEATURES];
	double wide[MODEL_FEATURES];	/* the same if what has an unknown width is wide */
	/* Weights: */
	double loads, stores;
	double missed;			/* of the stores: those that missed L1 */
	double alone;			/* share that one party has of the loads and of the stores */
	double first_writer;		/* the stores of the party with most of them */
	size_t writers;			/* parties with EVIDENCE_WRITER_PERCENT of the stores */
	size_t readers;			/* parties that load and do not write */
	double reader_loads;		/* the loads of readers */
	double locked;			/* share of locks in what meets the others' stores */
};

/*
 * Collect the evidence of a line. @locks: NULL if none are known. @widths: whether they matter now.
 * @wide: accesses of unknown width have as many bytes as they may, and else as few.
 */
void evidence_take(struct evidence *evidence, const struct lineset *set,
		   const struct lineset_line *line, const struct evidence_locks *locks,
		   bool widths, bool wide);

/*
 * The effective number of samples. After a long period one sample may weigh more than all others
 * together, and then they show no more than one. Loads and stores are computed apart, because they
 * have different periods.
 */
double evidence_effective(const struct lineset *set, const struct lineset_line *line);

/*
 * Let the byte and the instruction that stand for each party show the fight: if it is over the same
 * bytes, one that somebody stores to and another thread uses too, and otherwise none of these. The
 * bytes that a party uses most may be its own.
 */
void evidence_point(struct verdict_party *parties, size_t nr, const struct lineset *set,
		    const struct lineset_line *line, bool same);

#endif
