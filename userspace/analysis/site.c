// SPDX-License-Identifier: GPL-2.0
#include "line.h"

#include <stdlib.h>

#include "../util/order.h"

__u64 site_loads(const struct memlat_rec_site *site)
{
	return site->samples - site->stores;
}

__u64 site_hitm(const struct memlat_rec_site *site)
{
	return site->source[MEMLAT_SRC_RHITM] + site->source[MEMLAT_SRC_L3_HITM];
}

void site_parts(const struct memlat_rec_site *site, __u64 part[MEMLAT_PART_NR])
{
	part[MEMLAT_PART_XSNP_FWD] = site->xsnp_fwd;
	part[MEMLAT_PART_NOT_MEMORY] = site->not_memory;
}

COMPARE(compare_cost, struct memlat_rec_site,
	rank_order(RANK_OF(a, ip), RANK_OF(b, ip)))

COMPARE(compare_hitm, struct memlat_rec_site,
	order(site_hitm(b), site_hitm(a)) ?:
	rank_order(RANK_OF(a, ip), RANK_OF(b, ip)))

COMPARE(compare_samples, struct memlat_rec_site,
	order(b->samples, a->samples) ?: rank_order(RANK_OF(a, ip), RANK_OF(b, ip)))

COMPARE(compare_stores, struct memlat_rec_site,
	order(b->stores, a->stores) ?: rank_order(RANK_OF(a, ip), RANK_OF(b, ip)))

static const struct {
	const char *name;
	int (*compare)(const void *a, const void *b);
} orders[] = {
	[SITE_BY_COST]		= { "cost", compare_cost },
	[SITE_BY_HITM]		= { "hitm", compare_hitm },
	[SITE_BY_SAMPLES]	= { "samples", compare_samples },
	[SITE_BY_STORES]	= { "stores", compare_stores },
};

const char *site_order_name(enum site_order order)
{
	return orders[order].name;
}

void site_sort(struct memlat_rec_site *sites, size_t nr, enum site_order order)
{
	if (nr)
		qsort(sites, nr, sizeof(*sites), orders[order].compare);
}
