/* SPDX-License-Identifier: GPL-2.0 */
/*
 * How many accesses one sample of a row stands for. Loads and stores have periods of their own, and
 * one instruction may do both; the row has their weights in one sum. Stores cost nothing: so the
 * loads' weight is in the cost, and what is left of the sum is the stores'.
 */
#ifndef MEMLAT_ACCESS_WEIGHT_H
#define MEMLAT_ACCESS_WEIGHT_H

#include "../profile/snapshot.h"

/* The row's stores, at most its samples: a damaged row may claim more. */
__u64 access_stores(const struct memlat_rec_access *access);
/* How many accesses one sampled load stands for, and one sampled store; 0: the row has none. */
double access_load_weight(const struct memlat_rec_access *access);
double access_store_weight(const struct memlat_rec_access *access);
/* How many loads one sampled load of a line stands for. */
double line_load_weight(const struct memlat_rec_line *line);

#endif
