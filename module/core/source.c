// SPDX-License-Identifier: GPL-2.0
/*
 * The data source: from the word that PEBS wrote to a level.
 *
 * SDM vol. 3B, "Data Source Encoding for Load Latency Record", and Linux'
 * pebs_data_source[] with intel_pmu_pebs_data_source_skl(pmem = true), which
 * it follows where the two disagree (code 6), so that memlat and perf can be
 * compared. The raw word of a load is kept beside the result.
 */
#include <uapi/linux/memlat.h>

#include "source.h"

const struct memlat_source_table memlat_source_skx = {
	.level = {
		[0x0] = MEMLAT_SRC_UNKNOWN,	/* L3 miss, the CPU says no more */
		[0x1] = MEMLAT_SRC_L1,
		[0x2] = MEMLAT_SRC_LFB,
		[0x3] = MEMLAT_SRC_L2,
		[0x4] = MEMLAT_SRC_L3,
		[0x5] = MEMLAT_SRC_L3_SNOOP,	/* snooped, missed */
		[0x6] = MEMLAT_SRC_L3_SNOOP,	/* snooped, hit clean */
		[0x7] = MEMLAT_SRC_L3_HITM,
		[0x8] = MEMLAT_SRC_PMEM,	/* Skylake servers have no L4 */
		[0x9] = MEMLAT_SRC_RPMEM,
		[0xa] = MEMLAT_SRC_DRAM,
		[0xb] = MEMLAT_SRC_RDRAM,
		[0xc] = MEMLAT_SRC_RCACHE,
		[0xd] = MEMLAT_SRC_RHITM,
		[0xe] = MEMLAT_SRC_IO,
		[0xf] = MEMLAT_SRC_UNC,
	},
	.stlb_miss = 1 << 4,
	.locked = 1 << 5,
	.store_l1_hit = 1 << 0,
};

/**
 * memlat_source_decode - fill in what the source word says
 * @table: of this CPU's model
 * @word: data source as hardware wrote it
 * @s: sample; its store says how to read @word. source, raw, stlb_miss, locked
 *	and l1_hit are set
 */
void memlat_source_decode(const struct memlat_source_table *table, u64 word,
			  struct memlat_sample *s)
{
	if (s->store) {
		s->l1_hit = word & table->store_l1_hit;
		s->source = s->l1_hit ? MEMLAT_SRC_L1 : MEMLAT_SRC_UNKNOWN;
		s->raw = 0;
		s->stlb_miss = false;
		s->locked = false;
		return;
	}
	s->l1_hit = false;
	s->source = table->level[word & 0xf];
	s->raw = (u8)word;
	s->stlb_miss = word & table->stlb_miss;
	s->locked = word & table->locked;
}
