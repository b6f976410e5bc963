/* SPDX-License-Identifier: GPL-2.0 */
/* What the counts of one instruction say, and the order of instructions. */
#ifndef MEMLAT_SITE_H
#define MEMLAT_SITE_H

#include <stddef.h>

#include <linux/memlat.h>

enum site_order {
	SITE_BY_COST,	/* cycles that its samples stand for */
	SITE_BY_HITM,	/* remote + local HITM, then cost */
	SITE_BY_SAMPLES,	/* loads and stores sampled, then cost */
	SITE_BY_STORES,	/* stores sampled, then cost */
	SITE_ORDERS
};

__u64 site_loads(const struct memlat_rec_site *site);
__u64 site_hitm(const struct memlat_rec_site *site);
/* Its loads that are told apart within their source. */
void site_parts(const struct memlat_rec_site *site, __u64 part[MEMLAT_PART_NR]);
const char *site_order_name(enum site_order order);

/* Equal sites keep one order (space, address), so that output is stable. */
void site_sort(struct memlat_rec_site *sites, size_t nr, enum site_order order);

#endif
