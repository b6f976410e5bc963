/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Which instructions walk memory in large strides: what the steps between neighbouring
 * loads of one instruction come to (Intel's optimization manual: "Large Stride
 * Inefficiency").
 */
#ifndef MEMLAT_STRIDE_H
#define MEMLAT_STRIDE_H

#include "snapshot.h"

#define STRIDE_PAIRS_LEAST	20	/* pairs with a step, below which nothing is said */
#define STRIDE_FREQUENT		5	/* % of these that a step has to have to be a candidate */
#define STRIDE_FITTING		80	/* % that have to be multiples of it */
#define STRIDE_LARGE_BYTES	1024	/* a quarter page: 4 loads, then the next translation */
#define STRIDE_MISSES		10	/* % of its loads that miss the STLB, to be named */

/* What the steps come to. */
enum stride_reading {
	STRIDE_FEW,		/* too few pairs to say */
	STRIDE_IRREGULAR,	/* no step that most are multiples of */
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
	/* Of the pairs: the same address, less than a line, a page, and all others. */
	__u64 same, within_line, within_page, beyond_page;
	__s64 often;		/* the step that most pairs have */
	__u64 often_pairs;
	__u64 stride;		/* bytes; 0: none */
	__u64 fitting;		/* pairs whose step is a multiple of it, and not 0 */
	__u64 forward;		/* of these, upwards */
	enum stride_reading reading;
	const struct memlat_rec_site *site;	/* all its samples; NULL: not in the table */
};

struct strides {
	struct stride_site *sites;	/* the most costly first */
	size_t nr;
};

/*
 * Add up the rows of a snapshot that has strides and sites. The stride is the largest
 * of the frequent steps that most pairs are multiples of, whatever their sign: where a
 * CPU tags only some of the loads, what is between two of them is 1, 2, 3, ... times the
 * true step. 0 or -ENOMEM.
 */
int strides_find(struct strides *strides, const struct snapshot *snap);
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
