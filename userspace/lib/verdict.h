/* SPDX-License-Identifier: GPL-2.0 */
/* What is going on at a cache line, in a word, and how sure that is. */
#ifndef MEMLAT_VERDICT_H
#define MEMLAT_VERDICT_H

#include <stdbool.h>
#include <stddef.h>

#include "snapshot.h"

enum verdict {
	VERDICT_TOO_FEW,	/* samples, to say anything */
	VERDICT_NONE,		/* several threads, nothing is fought over */
	VERDICT_ONE_THREAD,	/* one thread alone: slow for another reason */
	VERDICT_READ_SHARED,	/* several threads, none of them writes */
	VERDICT_FALSE_SHARING,	/* different bytes, different threads, a writer */
	VERDICT_TRUE_SHARING,	/* the same bytes, different threads, a writer */
	VERDICT_READ_MOSTLY,	/* many readers, one writer, of the same bytes or others */
	VERDICT_ADJACENT,	/* the fight is with the line's 128-byte partner */
	VERDICTS
};

/* One thread's part in it; the bytes it loads and stores (bit n: byte n). */
struct verdict_party {
	__u32 pid, gen, tid;
	__u64 loads, stores, hitm;	/* samples */
	__u64 cost;
	__u64 bytes_loaded, bytes_stored;
	__u64 cpus, nodes;
	__u64 load_ip, store_ip;	/* the most frequent; 0: none */
	__u8 load_byte, store_byte;	/* where most of them begin; of loads, HITM first */
};

struct verdict_line {
	enum verdict verdict;
	unsigned int sure;	/* percent, of the samples' weight that speaks for it */
	bool both;		/* false and true sharing in one line: the verdict is the heavier */
	/* No store was sampled: who loads what others find modified is taken to write. */
	bool guessed_writer;
	bool coarse;		/* most accesses were evicted: by the line's own counts */
	size_t nr_parties;	/* by cost, the most first */
	struct verdict_party *parties;
};

/*
 * Prepared once of a snapshot with lines and accesses, whose rows must stay where
 * they are (sort them before). NULL: no memory.
 */
struct verdicts;
struct lineset;
struct verdicts *verdicts_new(const struct snapshot *snap);
/* The same of lines of 64 bytes that have met already; the set must stay as long. */
struct verdicts *verdicts_of_set(const struct lineset *set);
void verdicts_free(struct verdicts *verdicts);

/* Of one line of that snapshot, or a copy; kept until verdicts_free(). Never NULL. */
const struct verdict_line *verdict_of(struct verdicts *verdicts,
				      const struct memlat_rec_line *line);

/* "false sharing": for people; "false_sharing": for programs */
const char *verdict_text(enum verdict verdict);
const char *verdict_key(enum verdict verdict);

#endif
