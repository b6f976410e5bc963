/* SPDX-License-Identifier: GPL-2.0 */
/* What the counts of one row of the module's tables say, and the order of rows. */
#ifndef MEMLAT_LINE_H
#define MEMLAT_LINE_H

#include <stdbool.h>
#include <stddef.h>

#include <linux/memlat.h>

#include "../profile/snapshot.h"
#include "../util/order.h"
#include "share.h"

enum line_order {
	LINE_BY_HITM,	/* remote + local HITM, of loads and stores, then cost */
	LINE_BY_COST,	/* cycles that its samples stand for */
	LINE_BY_LOADS,	/* loads sampled, then cost */
	LINE_BY_STORES,	/* stores sampled, then cost */
	LINE_ORDERS
};

/* Fewer HITM loads than this, or than LINE_HITM_PERCENT of all loads, prove nothing. */
#define LINE_HITM_LEAST		10
/* Fewer sampled stores do not show where the line is written. */
#define LINE_STORES_LEAST	10
#define LINE_HITM_PERCENT	10

__u64 line_loads(const struct memlat_rec_line *line);
/* The part of its loads that are locked. A locked store counts, as it loads too. */
double line_locked_part(const struct memlat_rec_line *line);
__u64 line_hitm(const struct memlat_rec_line *line);
/* Loads that found the line in another core: HITM, and lines that others held clean. */
__u64 line_cross_core(const struct memlat_rec_line *line);
/* The latency of these. */
__u64 line_cross_latency(const struct memlat_rec_line *line);

/* Are there enough HITM loads to matter, by number or by latency? */
bool line_hitm_counts(const struct memlat_rec_line *line);
/* Did enough stores find the line modified in another core? */
bool line_stores_fight(const struct memlat_rec_line *line);
/* The same, and if several CPUs store, with stores that another core forwarded the line for. */
bool line_stores_taken(const struct memlat_rec_line *line);
/* Are there enough loads that found the line in another core? */
bool line_crosses_count(const struct memlat_rec_line *line);
/* For a line with several writers: do enough loads wait (in fill buffers too), or stores miss? */
bool line_waits_count(const struct memlat_rec_line *line);

/* The slot with the most samples. */
unsigned int line_hot_slot(const struct memlat_rec_line *line);

const char *line_order_name(enum line_order order);

/*
 * Sort lines so that the first @show (0: all) are in order; the others follow in any order. Equal
 * lines are ordered by space and address, so output is stable.
 */
void line_sort(struct memlat_rec_line *lines, size_t nr, enum line_order order, size_t show);

/* The order of rows that are equal in the figure that they are sorted by. */

struct rank {
	__u64 cost, samples, stores;
	__u32 space, gen;
	__u64 place;
};

/* The rank of a row of memlat's tables. place: the member that has its data or code address. */
#define RANK_OF(row, place) \
	((struct rank){ (row)->cost, (row)->samples, (row)->stores, (row)->space, (row)->gen, \
			(row)->place })

/*
 * Rows that cost more at least come first, then those with more samples. The rest makes the order
 * unique.
 */
static inline int rank_order(struct rank a, struct rank b)
{
	return share_order((double)a.cost, a.samples - a.stores, (double)b.cost,
			   b.samples - b.stores) ?:
	       order(b.samples, a.samples) ?: order(a.space, b.space) ?: order(a.gen, b.gen) ?:
	       order(a.place, b.place);
}

/* What the counts of one instruction say, and the order of instructions. */

enum site_order {
	SITE_BY_COST,	/* cycles that its samples stand for */
	SITE_BY_HITM,	/* remote + local HITM, then cost */
	SITE_BY_SAMPLES,	/* loads and stores sampled, then cost */
	SITE_BY_STORES,	/* stores sampled, then cost */
	SITE_ORDERS
};

__u64 site_loads(const struct memlat_rec_site *site);
__u64 site_hitm(const struct memlat_rec_site *site);
const char *site_order_name(enum site_order order);

/* Equal sites keep one order (space, address), so that output is stable. */
void site_sort(struct memlat_rec_site *sites, size_t nr, enum site_order order);

/*
 * How many accesses one sample of a row stands for. Loads and stores have different periods, and
 * one instruction may do both, but the row has only the sum of their weights. The weight of the
 * loads follows from the cost, to which stores add nothing; the rest of the sum is the stores'.
 */

/* The row's stores. At most its samples, because a damaged row may claim more. */
__u64 access_stores(const struct memlat_rec_access *access);
/* Those of them that missed L1. */
__u64 access_store_misses(const struct memlat_rec_access *access);
/*
 * Loads that fetched the line after a store of another core may have taken it: HITM, and, if the line
 * has stores, loads that another core forwarded, modified or clean.
 */
__u64 access_fetched(const struct memlat_rec_access *access, const struct memlat_rec_line *line);
/* How many accesses one sampled load stands for, and one sampled store; 0: the row has none. */
double access_load_weight(const struct memlat_rec_access *access);
double access_store_weight(const struct memlat_rec_access *access);
/* How many loads one sampled load of a line stands for. */
double line_load_weight(const struct memlat_rec_line *line);
/* How many loads all sampled loads of an instruction stand for. */
double site_loads_weight(const struct memlat_rec_site *site);

#endif
