/* SPDX-License-Identifier: GPL-2.0 */
/*
 * How many accesses one sample of a row stands for. Loads and stores have different periods, and
 * one instruction may do both, but the row has only the sum of their weights. The weight of the
 * loads follows from the cost, to which stores add nothing; the rest of the sum is the stores'.
 */
#ifndef MEMLAT_ACCESS_WEIGHT_H
#define MEMLAT_ACCESS_WEIGHT_H

#include "../profile/snapshot.h"

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
