/* SPDX-License-Identifier: GPL-2.0 */
/* What is going on at a cache line, in a word, and how sure that is. */
#ifndef MEMLAT_VERDICT_H
#define MEMLAT_VERDICT_H

#include <stdbool.h>
#include <stddef.h>

#include "../profile/snapshot.h"

#define VERDICT_LEAST		20	/* effective samples; fewer say nothing */
#define VERDICT_ALONE_LEAST	30	/* to say "one thread" of what came from other cores */

enum verdict {
	VERDICT_TOO_FEW,	/* samples, to say anything */
	VERDICT_NONE,		/* several threads, nothing is fought over */
	VERDICT_ONE_THREAD,	/* one thread alone: slow for another reason */
	VERDICT_READ_SHARED,	/* several threads, none of them writes */
	VERDICT_FALSE_SHARING,	/* different bytes, different threads, a writer */
	VERDICT_TRUE_SHARING,	/* the same bytes, different threads, a writer */
	VERDICT_READ_MOSTLY,	/* many readers, one writer, of the same bytes or others */
	VERDICT_ADJACENT,	/* the fight is with the line's 128-byte partner */
	VERDICT_LOCK,		/* several threads want one lock, whatever fields it has */
	VERDICT_UNSEEN,		/* found modified, and no store to it was sampled */
	VERDICTS
};

/* Why nothing is said of a line. */
enum verdict_few {
	VERDICT_FEW_NOT,	/* something is */
	VERDICT_FEW_SAMPLES,	/* they are too few */
	VERDICT_FEW_ONE_WRITER,	/* stores of one thread alone, and few signs that others suffer */
	VERDICT_FEW_SIGNS	/* of a fight: too few to say that there is one, or none */
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
	enum verdict_few few;	/* with VERDICT_TOO_FEW */
	__u64 signs;		/* samples that show a fight, see analysis/signs.h */
	double effective;	/* equally heavy samples that would tell as much as its own */
	unsigned int sure;	/* percent, of the samples' weight that speaks for it */
	/* Two of a lock, the same bytes, and others in one line: the verdict is the heaviest. */
	bool both;
	/* Of the fight, percent of its weight: over a lock, the same bytes, and other bytes. */
	unsigned int locked, same, apart;
	bool unseen_writer;	/* somebody writes, and no store of it was sampled */
	bool coarse;		/* most accesses were evicted: by the line's own counts */
	size_t nr_parties;	/* by cost, the most first */
	struct verdict_party *parties;
};

/*
 * Prepared once of a snapshot with lines and accesses, whose rows must stay where
 * they are (sort them before).
 */
struct verdicts;
struct lineset;
struct verdicts *verdicts_new(const struct snapshot *snap);
/* The same of lines of 64 bytes that have met already; the set must stay as long. */
struct verdicts *verdicts_of_set(const struct lineset *set);

/*
 * Is this an access to a lock, and which bytes of memory has that? A view knows, which
 * has names. Where code tells, but not where the lock begins: start is the access's own
 * address, and bytes those of the largest such lock.
 */
struct verdict_lock {
	__u64 start, bytes;
	bool data;	/* no lock: fields that are written and read together, as a clock's */
};

typedef bool (*verdict_lock_fn)(void *context, const struct memlat_rec_access *access,
				struct verdict_lock *lock);
/* Before the first verdict_of(): how many bytes accesses have, as evidence.h needs it. */
void verdicts_know_widths(struct verdicts *verdicts,
			  unsigned int (*width)(void *context,
						const struct memlat_rec_access *access),
			  void *context);
/* Before the first verdict_of(). */
void verdicts_know_locks(struct verdicts *verdicts, verdict_lock_fn is_lock, void *context);
void verdicts_free(struct verdicts *verdicts);

/* Of one line of that snapshot, or a copy; kept until verdicts_free(). Never NULL. */
const struct verdict_line *verdict_of(struct verdicts *verdicts,
				      const struct memlat_rec_line *line);

/* "false sharing": for people; "false_sharing": for programs */
const char *verdict_text(enum verdict verdict);
const char *verdict_key(enum verdict verdict);

#endif
