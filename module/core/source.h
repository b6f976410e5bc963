/* SPDX-License-Identifier: GPL-2.0 */
#ifndef MEMLAT_CORE_SOURCE_H
#define MEMLAT_CORE_SOURCE_H

#include "sample.h"

/**
 * struct memlat_source_table - how one CPU model writes the source of a load
 * @level: enum memlat_source for each code in bits 3:0
 * @stlb_miss: bit of the word that says "missed the STLB"
 * @locked: bit of the word that says "locked access"
 */
struct memlat_source_table {
	u8 level[16];
	u64 stlb_miss;
	u64 locked;
};

extern const struct memlat_source_table memlat_source_skx;

void memlat_source_decode(const struct memlat_source_table *table, u64 word,
			  struct memlat_sample *s);

#endif /* MEMLAT_CORE_SOURCE_H */
