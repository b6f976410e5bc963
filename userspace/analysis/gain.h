/* SPDX-License-Identifier: GPL-2.0 */
/*
 * How much of the time a change to the program would save, as an interval.
 *
 * A share of sampled latency is not a gain, because an out-of-order core hides most of its waiting.
 * What it does not hide is counted (LOAD_STALLS), but not by object. The samples say which object
 * the waiting belongs to. Together they bound the gain from both sides:
 *
 * - At any moment the critical path contains at most one access. So it gets shorter by no more than
 *   the change shortens its accesses, and by no more than the core is stalled today.
 * - Stalls that the other misses cannot explain, even if no two of them overlapped, are due to the
 *   accesses that the change touches, and shrink as these do.
 *
 * A locked access waits for all accesses before it, and all after it wait for it. The time of
 * locked accesses follows from the outstanding requests for ownership, which locked accesses and
 * stores make. Samples have no latency of stores, only their number.
 *
 * All cycles come from counts. The samples only say which part of them: they are of another run, in
 * which threads may meet less often because sampling interrupts them.
 *
 * If misses do not overlap, the two bounds meet; if many overlap, the gain cannot be known. Not
 * included: misses that get faster because traffic fell, SMT siblings, the clock's frequency.
 */
#ifndef MEMLAT_GAIN_H
#define MEMLAT_GAIN_H

#include <stdbool.h>

#include "lineset.h"

#define GAIN_L1_CYCLES		5	/* latency of a load whose line is not taken away */
#define GAIN_LEAST		20	/* samples of what is to change; fewer give no gain */
#define GAIN_WORTH		0.01	/* hi below this: not worth it */
#define GAIN_UNTOLD		0.20	/* lo and hi further apart: the gain cannot be known */
/*
 * Share of all sampled latency in loads that find their line on its way; above it, prefetchers are
 * active.
 */
#define GAIN_PREFETCHED		0.15
/*
 * Part of the cycles with a full store buffer that surely ends. During the rest the core continues
 * work that it has begun, which it has to do anyway. Of random loops (test_ctl_gain), half of these
 * cycles were such work once in 3,300, and 95 % once.
 */
#define GAIN_STORES_SURE	0.8
/* The requests of a store and of a locked load differ in duration by at most this factor. */
#define GAIN_UNLIKE		4

/*
 * Events take turns, so a CPU that ran for a short time may lack counts of some events. At most
 * this part of the cycles may lack them. In each of these cycles a core may have had outstanding
 * all that it can: GAIN_AT_ONCE (16 lines and 4 page walks).
 */
#define GAIN_UNSEEN		0.01
#define GAIN_AT_ONCE		20

/*
 * Counts of everything that passes the session's filter. A "sum over cycles" adds up what is
 * outstanding in each cycle.
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
	double unseen;			/* cycles of CPUs on which one of the events had no turn */
	bool has_load_stalls;
	bool has_pending;		/* l1d_pending, demand, demand_cycles and walk_pending */
	bool has_rfo;
	bool still;			/* what waits was counted, and none came although loads missed */
};

/* Sampled latency as the cycles that it stands for: weight times latency. */
struct gain_samples {
	double beyond;			/* loads served from beyond the L2, not locked, no LFB */
	double missed;			/* the same for loads that missed L1 */
	double lfb;			/* loads that found their line on its way */
	double all;			/* loads of any kind */
	double locked;			/* locked loads served from beyond the L2 */
	double locked_loads;		/* these by weight alone */
	double store_misses;		/* stores that missed L1, by weight alone */
};

/* The accesses that a change makes faster. gain_join() adds up parts that share no access. */
struct gain_part {
	double waited;			/* cycles of its loads, as in gain_samples.beyond */
	double saved;			/* the part of these that the change removes */
	double doubtful;		/* the part of saved that may remain */
	/* The same for its locked loads. */
	double locked_waited, locked_saved, locked_doubtful;
	double store_misses;		/* its stores that missed L1, by weight */
	double samples;			/* of its loads and stores */
	/* Sums of the squares of each sample's waited, locked_waited and store_misses. */
	double squares, locked_squares, store_squares;
	bool sharing;			/* cores take its lines from each other: not prefetchable */
};

enum gain_known {
	GAIN_KNOWN,
	GAIN_TOO_FEW,			/* too few samples of the part */
	GAIN_NOT_COUNTED		/* no cycles were counted */
};

/* Parts of the cycles, 0 to 1. */
struct gain {
	enum gain_known known;
	double lo, hi;
	bool prefetched;		/* prefetches may then come in time, so it may exceed hi */
};

/* Take the counts of a session's snapshot; events that found no counter are missing. */
void gain_counts_take(struct gain_counts *counts, const struct snapshot *snap);
void gain_of(struct gain *gain, const struct gain_counts *counts,
	     const struct gain_samples *samples, const struct gain_part *part);
/* The gain of a change after which L1 holds what it fetches today from L2 or beyond. */
void gain_of_l1(struct gain *gain, const struct gain_counts *counts,
		const struct gain_samples *samples, const struct gain_part *part);
/*
 * The gain of larger pages for memory that has @part of all page walks, seen in @samples. It is at
 * most the time of these walks. They overlap each other and other waiting, so there is no lower
 * bound.
 */
void gain_of_walks(struct gain *gain, const struct gain_counts *counts, double part, double samples);
/*
 * Add a part to another, for several changes at once. Gains do not add up, but the accesses touched
 * do.
 */
void gain_join(struct gain_part *part, const struct gain_part *more);

/* Take all waiting that was sampled, from the tables of lines and of accesses. */
void gain_samples_take(struct gain_samples *samples, const struct snapshot *snap);
/*
 * Take the line's loads and stores that become fast if each thread's bytes get their own line.
 * @apart: the part of the fight (0 to 1) that may end by that. @least: the part of that which ends
 * surely. What remains may be any of the accesses, so the stalls shrink by this part.
 */
void gain_line(struct gain_part *part, const struct lineset *set, const struct lineset_line *line,
	       double apart, double least);

#endif
