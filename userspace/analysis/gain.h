/* SPDX-License-Identifier: GPL-2.0 */
/*
 * How much of the time a change to the program would save: an interval.
 *
 * A share of sampled latency is no gain: an out-of-order core hides most of what it waits
 * for. What it does not hide is counted (LOAD_STALLS), but not by object; whose the waiting
 * is, samples tell. Together they bound the gain from both sides:
 *
 * - The critical path is inside one access at most at any moment, so that it gets shorter by
 *   no more than the change makes its accesses shorter, and by no more than the core stands
 *   still today.
 * - Stalls that the other misses cannot explain, even if no two of them overlapped, are due to
 *   the accesses that the change touches, and each shrinks as they do.
 *
 * A locked access waits for all before it, and all after it waits for it: what these take is told
 * by the requests for ownership under way, which are theirs and those of stores. Stores' latencies
 * no sample has: only how many there are.
 *
 * All cycles are counted. Samples tell which part of them: of another run, in which threads may
 * meet less often since each of them is stopped at times, they know no cycles.
 *
 * Where misses do not overlap the two meet; where many do, the truth is that it cannot be told.
 * Not reckoned: misses that get faster because traffic fell, SMT siblings, the clock's frequency.
 */
#ifndef MEMLAT_GAIN_H
#define MEMLAT_GAIN_H

#include <stdbool.h>

#include "../profile/snapshot.h"

#define GAIN_LEAST		20	/* samples of what is to change; fewer tell nothing */
#define GAIN_WORTH		0.01	/* hi below this: not worth it */
#define GAIN_UNTOLD		0.20	/* lo and hi further apart: how much cannot be told */
/*
 * Part of all sampled latency in loads that find their line on its way: above it prefetchers are
 * at work.
 */
#define GAIN_PREFETCHED		0.15
/*
 * While the store buffer is full the core goes on with what it has begun, which it would have to
 * do otherwise too: of these cycles so many are sure to end. Of random loops (test_ctl_gain) it was
 * half of them once in 3,300, and 95 % once.
 */
#define GAIN_STORES_SURE	0.8
/* The request of a store and that of a locked load differ in time by at most this factor. */
#define GAIN_UNLIKE		4

/*
 * Events take turns, and a CPU on which there was next to nothing to count may have none for some. Of
 * more cycles than this part nobody may know anything; in each of the others all that a core can
 * have under way (16 lines and 4 page walks) may have been.
 */
#define GAIN_UNSEEN		0.01
#define GAIN_AT_ONCE		20

/*
 * Counts of all that passes the session's filter. A "sum over cycles" adds up what is under way
 * in each cycle.
 */
struct gain_counts {
	double cycles;
	double load_stalls;
	double store_stalls;
	double l1d_pending;		/* a sum over cycles */
	double demand;			/* beyond the L2: a sum over cycles */
	double demand_cycles;
	double walk_pending;		/* a sum over cycles */
	double rfo;			/* for ownership, beyond the L2: a sum over cycles */
	double unseen;			/* cycles of CPUs on which one of these had no turn */
	bool has_load_stalls;
	bool has_pending;		/* l1d_pending, demand, demand_cycles and walk_pending */
	bool has_rfo;
};

/* Sampled latency, as the cycles that it stands for: weight times latency. */
struct gain_samples {
	double beyond;			/* loads served from beyond the L2, not locked, no LFB */
	double missed;			/* the same of all that missed L1 */
	double lfb;			/* loads that found their line on its way */
	double all;			/* loads of any kind */
	double locked;			/* locked loads served from beyond the L2 */
	double locked_loads;		/* the same by weight alone */
	double store_misses;		/* stores that missed L1, by weight alone */
};

/* The accesses that a change makes faster. gain_join() adds up parts that share no access. */
struct gain_part {
	double waited;			/* cycles of its loads, as gain_samples.beyond has them */
	double saved;			/* of these, what the change takes away */
	double locked_waited, locked_saved;	/* the same of its locked loads */
	double store_misses;		/* its stores that missed L1, by weight */
	double samples;			/* of its loads and stores */
	/* Sums of the squares of each sample's waited, locked_waited and store_misses. */
	double squares, locked_squares, store_squares;
	bool sharing;			/* cores take its lines from each other: no prefetcher does that */
};

enum gain_known {
	GAIN_KNOWN,
	GAIN_TOO_FEW,			/* samples of the part */
	GAIN_NOT_COUNTED		/* no cycles */
};

/* Parts of the cycles, 0 to 1. */
struct gain {
	enum gain_known known;
	double lo, hi;
	bool prefetched;		/* prefetches may come in time then: it may be more than hi */
};

/* Take the counts of a session's snapshot; events that found no counter are missing. */
void gain_counts_take(struct gain_counts *counts, const struct snapshot *snap);
void gain_of(struct gain *gain, const struct gain_counts *counts,
	     const struct gain_samples *samples, const struct gain_part *part);
/* The gain of a change after which L1 holds what it fetches today from L2 or beyond. */
void gain_of_l1(struct gain *gain, const struct gain_counts *counts,
		const struct gain_samples *samples, const struct gain_part *part);
/*
 * The gain of larger pages for memory that has this part of all page walks, as seen in so many
 * samples: at most the time of these walks. Walks overlap each other and other waiting, so there is
 * no lower end.
 */
void gain_of_walks(struct gain *gain, const struct gain_counts *counts, double part, double samples);
/*
 * Add a part to another, for several changes at once: gains do not add up, the accesses touched
 * do.
 */
void gain_join(struct gain_part *part, const struct gain_part *more);

#endif
