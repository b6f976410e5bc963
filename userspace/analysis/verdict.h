/* SPDX-License-Identifier: GPL-2.0 */
/* A verdict on what threads do to each other on a cache line, and how certain it is. */
#ifndef MEMLAT_VERDICT_H
#define MEMLAT_VERDICT_H

#include <stdbool.h>
#include <stddef.h>

#include "../profile/snapshot.h"

#define VERDICT_LEAST		20	/* effective samples; with fewer there is no verdict */
#define VERDICT_ALONE_LEAST	30	/* for "one thread", if loads came from other cores */

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
	VERDICT_FEW_ONE_WRITER,	/* only one thread stores, with few signs that others suffer */
	VERDICT_FEW_SIGNS	/* too few signs to say whether there is a fight */
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
	__u64 signs;		/* samples that show a fight, see analysis/signs.h */
	double effective;	/* number of equally heavy samples that would show as much */
	unsigned int sure;	/* certainty, percent: from the samples' weight in favour of it */
	/* Several kinds of fight (lock, same bytes, other bytes); the verdict is the heaviest. */
	bool both;
	/* The three kinds of fight, percent of its weight. */
	unsigned int locked, same, apart;
	bool unseen_writer;	/* somebody writes, but no store of that was sampled */
	bool coarse;		/* from the line's own counts, as most accesses were evicted */
	size_t nr_parties;	/* by cost, the most first */
	struct verdict_party *parties;
};

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
/* Set how many bytes accesses have (see evidence.h), before the first verdict_of(). */
void verdicts_know_widths(struct verdicts *verdicts,
			  unsigned int (*width)(void *context,
						const struct memlat_rec_access *access),
			  void *context);
/* Set the function that finds the locks, before the first verdict_of(). */
void verdicts_know_locks(struct verdicts *verdicts, verdict_lock_fn is_lock, void *context);
void verdicts_free(struct verdicts *verdicts);

/* The verdict on a line of that snapshot, or on a copy; valid until verdicts_free(). Never NULL. */
const struct verdict_line *verdict_of(struct verdicts *verdicts,
				      const struct memlat_rec_line *line);

/*
 * Could the verdict say that threads slow each other down? If not, this is known without asking for
 * locks and widths, which takes long.
 */
bool verdict_may_be_fight(const struct verdicts *verdicts, const struct memlat_rec_line *line);

/* "false sharing": for people; "false_sharing": for programs */
const char *verdict_text(enum verdict verdict);
const char *verdict_key(enum verdict verdict);

#endif
