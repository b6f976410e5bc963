/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Which instructions walk memory in large strides: what the steps between neighbouring
 * loads of one instruction come to (Intel's optimization manual: "Large Stride
 * Inefficiency").
 */
#ifndef MEMLAT_STRIDE_H
#define MEMLAT_STRIDE_H

#include "../profile/snapshot.h"

#define STRIDE_PAIRS_LEAST	20	/* pairs with a step, below which nothing is said */
#define STRIDE_FITTING		80	/* % of these that have to be multiples of it, more or less */
#define STRIDE_EXACT		33	/* % that have to be multiples to the byte */
#define STRIDE_BOUND		64	/* more or less: a 64th of it */
#define STRIDE_TIMES_MOST	1024	/* of it, that are likely between two loads of a walk */
#define STRIDE_ONWARD		50	/* % of steps that go on as the one before went */
#define STRIDE_ONE_WAY		80	/* % that go up, or down: so does no list */
#define STRIDE_FREQUENT		5	/* % that one step has, where nobody tells who goes on */
#define STRIDE_LARGE_BYTES	1024	/* a quarter page: 4 loads, then the next translation */
#define STRIDE_MISSES		10	/* % of its loads that miss the STLB, to be named */

/* What the steps come to. */
enum stride_reading {
	STRIDE_FEW,		/* too few pairs to say */
	STRIDE_IRREGULAR,	/* no step that most are multiples of, or nobody walks */
	STRIDE_SAME,		/* mostly one address again and again */
	STRIDE_SMALL,
	STRIDE_LARGE,		/* large, but the TLB holds it, or does not tell */
	STRIDE_INEFFICIENT,	/* large, and the TLB misses: this one is named */
	STRIDE_READINGS
};

/* One instruction in one process: the sum of its rows. */
struct stride_site {
	__u64 ip;
	__u32 space, gen;
	__u64 pairs, stlb_miss, new_page, latency_sum;
	__u64 onward, turned;	/* of the pairs: the way the step before went, or the other */
	/* Of the pairs: the same address, less than a line, a page, and all others. */
	__u64 same, within_line, within_page, beyond_page;
	__s64 often;		/* the step that most pairs have */
	__u64 often_pairs;
	__u64 stride;		/* bytes; 0: none */
	__u64 fitting;		/* pairs whose step is a multiple of it, or nearly, and not 0 */
	__u64 forward;		/* of these, upwards */
	enum stride_reading reading;
	const struct memlat_rec_site *site;	/* all its samples; NULL: not in the table */
};

struct strides {
	struct stride_site *sites;	/* the most costly first */
	size_t nr;
};

/*
 * Add up the rows of a snapshot that has strides and sites. A CPU tags one load of some
 * 14 to 100 at random, so what is between two of them is 1, 2, 3, ... times the true
 * step, and no step is frequent. The stride is what explains them: the largest divisor
 * that most have in common, give or take a STRIDE_BOUND'th, for where a column ends the
 * next one begins a few bytes on. Nodes of a list have one too, their distance in memory;
 * so there has to be a walk: steps that go on the way they went.
 */
void strides_find(struct strides *strides, const struct snapshot *snap);
void strides_free(struct strides *strides);

/* "inefficient" and so on, for JSON and CSV */
const char *stride_reading_name(enum stride_reading reading);

/* Cycles that all of its loads stand for; 0: not in the table of sites. */
__u64 stride_cost(const struct stride_site *site);

/*
 * Loads that missed the STLB, and of how many: of all its samples where the table of
 * sites has them, else of the pairs' second loads.
 */
void stride_missed(const struct stride_site *site, __u64 *missed, __u64 *loads);

/*
 * Bytes of an element of an array from its type as the source spells it ("double[8][8]")
 * and its size; 0: it is no array, or not known.
 */
__u64 stride_element(const char *type, __u64 size);

#endif
