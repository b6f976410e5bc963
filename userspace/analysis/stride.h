/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Which instructions walk memory in large strides, by the steps between neighbouring loads of one
 * instruction (Intel's optimization manual: "Large Stride Inefficiency").
 */
#ifndef MEMLAT_STRIDE_H
#define MEMLAT_STRIDE_H

#include "../profile/snapshot.h"

#define STRIDE_PAIRS_LEAST	20	/* pairs with a step; with fewer there is no reading */
#define STRIDE_FITTING		80	/* % of these that must be about a multiple of the stride */
#define STRIDE_EXACT		33	/* % that must be an exact multiple */
#define STRIDE_BOUND		64	/* "about": a 64th of the stride off at most */
#define STRIDE_TIMES_MOST	1024	/* strides that are likely between two loads of a walk */
#define STRIDE_ONWARD		50	/* % of steps in the direction of the step before */
#define STRIDE_ONE_WAY		80	/* % in one direction, up or down, which no list reaches */
#define STRIDE_FREQUENT		5	/* % with the stride itself, if onward is not recorded */
#define STRIDE_LARGE_BYTES	1024	/* a quarter page: 4 loads, then the next translation */
#define STRIDE_MISSES		10	/* % of loads that miss the STLB, for STRIDE_INEFFICIENT */

/* What the steps of an instruction show. */
enum stride_reading {
	STRIDE_FEW,		/* too few pairs */
	STRIDE_IRREGULAR,	/* no common divisor, or no walk */
	STRIDE_SAME,		/* mostly the same address */
	STRIDE_SMALL,
	STRIDE_LARGE,		/* large, but the TLB holds it, or the CPU does not report misses */
	STRIDE_INEFFICIENT,	/* large, and the TLB misses: a sentence names it */
	STRIDE_READINGS
};

/* One instruction in one process: the sum of its rows. */
struct stride_site {
	__u64 ip;
	__u32 space, gen;
	__u64 pairs, stlb_miss, new_page, latency_sum;
	__u64 onward, turned;	/* pairs in the direction of the step before, and against it */
	/* Pairs by the size of the step: none, less than a line, less than a page, more. */
	__u64 same, within_line, within_page, beyond_page;
	__s64 often;		/* the step that most pairs have */
	__u64 often_pairs;
	__u64 stride;		/* bytes; 0: none */
	__u64 fitting;		/* pairs whose step is about a multiple of it, and not 0 */
	__u64 forward;		/* those of fitting that go upwards */
	enum stride_reading reading;
	const struct memlat_rec_site *site;	/* its row of all samples; NULL: evicted */
};

struct strides {
	struct stride_site *sites;	/* the most costly first */
	size_t nr;
};

/*
 * Add up the rows of a snapshot that has strides and sites. A CPU tags one load of some 14 to 100
 * at random, so the distance of two tagged loads is 1, 2, 3, ... times the true step, and no step
 * is frequent. The stride is the largest divisor that most steps have in common, give or take a
 * STRIDE_BOUND'th, because where a column ends the next one begins a few bytes on. The nodes of a
 * list have a common divisor too, their distance in memory. So there must also be a walk: steps
 * that continue in the direction of the step before.
 */
void strides_find(struct strides *strides, const struct snapshot *snap);
void strides_free(struct strides *strides);

/* "inefficient" and so on, for JSON and CSV */
const char *stride_reading_name(enum stride_reading reading);

/* Cycles that all loads of the instruction stand for; 0: not in the table of sites. */
__u64 stride_cost(const struct stride_site *site);

/*
 * Set *missed to the loads that missed the STLB, and *loads to all loads: from the table of sites,
 * or, if the instruction is not there, from the pairs' second loads.
 */
void stride_missed(const struct stride_site *site, __u64 *missed, __u64 *loads);

/*
 * Bytes of an element of an array, from its type as the source spells it ("double[8][8]") and its
 * size; 0: not an array, or not known.
 */
__u64 stride_element(const char *type, __u64 size);

#endif
