/* SPDX-License-Identifier: GPL-2.0 */
/* A verdict on what threads do to each other on a cache line, and how certain it is. */
#ifndef MEMLAT_VERDICT_H
#define MEMLAT_VERDICT_H

#include <stdbool.h>
#include <stddef.h>

#include "../profile/snapshot.h"
#include "model.h"

#define VERDICT_LEAST		20	/* effective samples; with fewer there is no verdict */

enum verdict {
	VERDICT_TOO_FEW,	/* too few samples for any other verdict */
	VERDICT_NONE,		/* several threads, and no fight */
	VERDICT_ONE_THREAD,	/* one thread alone: slow for another reason */
	VERDICT_READ_SHARED,	/* several threads, none of them writes */
	VERDICT_FALSE_SHARING,	/* different bytes, different threads, a writer */
	VERDICT_TRUE_SHARING,	/* the same bytes, different threads, a writer */
	VERDICT_READ_MOSTLY,	/* many readers, one writer, of the same bytes or others */
	VERDICT_ADJACENT,	/* the fight is with the line's 128-byte partner */
	VERDICT_LOCK,		/* several threads use one lock, whichever of its fields */
	VERDICT_UNSEEN,		/* found modified, but no store to it was sampled */
	VERDICTS
};

/* Why the verdict is VERDICT_TOO_FEW. */
enum verdict_few {
	VERDICT_FEW_NOT,	/* it is not */
	VERDICT_FEW_SAMPLES,	/* too few samples */
	VERDICT_FEW_UNDECIDED,	/* no answer is probable enough */
	VERDICT_FEW_LOADS,	/* too few loads to say that there is no fight */
	VERDICT_FEW_ONE_SIDE,	/* handed over, but no store of another thread was sampled */
	VERDICT_FEW_EVICTED	/* most of its accesses were evicted from the table */
};

/* One thread's part in the use of a line; the bytes it loads and stores (bit n: byte n). */
struct verdict_party {
	__u32 pid, gen, tid;
	__u64 loads, stores, hitm;	/* samples */
	__u64 cost;
	__u64 bytes_loaded, bytes_stored;
	__u64 cpus, nodes;
	__u64 load_ip, store_ip;	/* the most frequent; 0: none */
	__u8 load_byte, store_byte;	/* where most of them begin; of loads, HITM first */
};

/* Where most of its stores begin, or of its loads if it does not store. */
static inline unsigned int verdict_byte(const struct verdict_party *party)
{
	return party->stores ? party->store_byte : party->load_byte;
}

struct verdict_line {
	enum verdict verdict;
	enum verdict_few few;	/* with VERDICT_TOO_FEW */
	enum verdict likely;	/* with VERDICT_FEW_UNDECIDED: what is likeliest; sure: how likely */
	double effective;	/* number of equally heavy samples that would show as much */
	unsigned int sure;	/* percent of such verdicts that are right */
	/* Several kinds of fight (lock, same bytes, other bytes); the verdict is the heaviest. */
	bool both;
	/* The three kinds of fight, percent of it. */
	unsigned int locked, same, apart;
	/*
	 * Percent of the waiting for the line that padding ends at least, in nine of ten lines with
	 * this verdict and certainty.
	 */
	unsigned int least;
	bool unseen_writer;	/* somebody writes, but no store of that was sampled */
	bool widths_matter;	/* the answer depends on widths that are not known */
	bool crosses;		/* what one thread waits for is behind the line's end */
	bool coarse;		/* most of its accesses were evicted, so it has no verdict */
	size_t nr_parties;	/* by cost, the most first */
	struct verdict_party *parties;
};

/*
 * Does a party matter for the fight? The code that initialized the object, and what malloc() did to
 * the memory before, do not.
 */
bool verdict_takes_part(const struct verdict_line *verdict, const struct verdict_party *party);

/*
 * Verdicts on a set of 64-byte lines, which must live as long. The rows of its snapshot must not
 * move, so sort them before.
 */
struct verdicts;
struct lineset;
struct verdicts *verdicts_of_set(const struct lineset *set);

/*
 * A lock that an access is to, and the memory of that lock. The view finds it, as it has names.
 * If the code shows that it is a lock but not where it begins, start is the address of the access,
 * and bytes the size of the largest such lock.
 */
struct verdict_lock {
	__u64 start, bytes;
	bool data;	/* no lock, but fields that are used together, such as a clock's */
};

typedef bool (*verdict_lock_fn)(void *context, const struct memlat_rec_access *access,
				struct verdict_lock *lock);
/* Set the function that finds the locks, before the first verdict_of(). */
void verdicts_know_locks(struct verdicts *verdicts, verdict_lock_fn is_lock, void *context);
void verdicts_free(struct verdicts *verdicts);

/* The verdict on a line of that snapshot, or on a copy; valid until verdicts_free(). Never NULL. */
const struct verdict_line *verdict_of(struct verdicts *verdicts,
				      const struct memlat_rec_line *line);

/* What the model is asked of a line; all 0 if there is no such line. */
void verdict_features(const struct verdicts *verdicts, const struct memlat_rec_line *line,
		      double features[MODEL_FEATURES]);

/*
 * Where accesses to another word begin, which threads that store at this byte load and only others
 * store to; negative: none is known. The writers of two such words each lose the line to the
 * other's stores, too.
 */
int verdict_other_word(const struct verdicts *verdicts, const struct memlat_rec_line *line,
		       unsigned int byte);

/*
 * Could the verdict say that threads slow each other down? If not, this is known without asking for
 * locks and widths, which takes long.
 */
bool verdict_may_be_fight(const struct verdicts *verdicts, const struct memlat_rec_line *line);

/* "false sharing": for people; "false_sharing": for programs */
const char *verdict_text(enum verdict verdict);
/* The same, and "not decided yet" if that is why it is VERDICT_TOO_FEW. */
const char *verdict_words(const struct verdict_line *line);
const char *verdict_key(enum verdict verdict);

#endif
