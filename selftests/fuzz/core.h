/* SPDX-License-Identifier: GPL-2.0 */
/* The targets of module/core. */
#ifndef FUZZ_CORE_H
#define FUZZ_CORE_H

#include "fuzz.h"

#include "../unit/core_test.h"

fuzz_run core_record, core_source, core_shard, core_table, core_tables;

/* Compare with one edge after the other, not with the shard's table of octaves. */
static inline unsigned int edges_bucket(u64 latency)
{
	unsigned int row = 0;

	while (row < MEMLAT_BUCKETS - 1 && latency > memlat_bucket_edge[row])
		row++;
	return row;
}

/* Every source table, and the meaning of its words' bits, which is not taken from the table. */
struct source_known {
	const struct memlat_source_table *table;
	u16 stlb_miss;
	u16 locked;
	u16 blocked_data;
	u16 blocked_addr;
	u16 store_stlb_miss;
	u16 store_locked;
	bool wide;		/* codes of 8 bits, not 4 */
	bool five;		/* or of 5 */
	bool nine;		/* or of 9 */
	bool two_l1;		/* codes 1 and 2 are both L1 */
	bool two_latencies;
	bool forwards;		/* 7: forwarded by a sibling core, modified or clean */
};

#define SOURCES_KNOWN	15

extern const struct source_known source_known[SOURCES_KNOWN];

/* Return the flags that a word should have, as MEMLAT_CELL_*. */
u8 source_flags(const struct source_known *known, u64 word, bool store);
/* Return a word's code. All reserved codes have the same one. */
unsigned int source_code(const struct source_known *known, u64 word);

#endif
