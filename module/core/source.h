/* SPDX-License-Identifier: GPL-2.0 */
#ifndef MEMLAT_CORE_SOURCE_H
#define MEMLAT_CORE_SOURCE_H

#include "sample.h"

/**
 * struct memlat_source_table - how one CPU model writes the source word
 * @level: enum memlat_source of a load, for each code in bits 3:0
 * @stlb_miss: bit of a load's word that says "missed the STLB"
 * @locked: bit of a load's word that says "locked access"
 * @store_l1_hit: bit of a store's word that says "found its line in L1"; no
 *	other of its bits means anything
 */
struct memlat_source_table {
	u8 level[16];
	u64 stlb_miss;
	u64 locked;
	u64 store_l1_hit;
};

extern const struct memlat_source_table memlat_source_skx;

void memlat_source_decode(const struct memlat_source_table *table, u64 word,
			  struct memlat_sample *s);

#endif /* MEMLAT_CORE_SOURCE_H */
