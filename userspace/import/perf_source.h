/* SPDX-License-Identifier: GPL-2.0 */
/* Convert perf's data source of a load or store to memlat's words. */
#ifndef MEMLAT_PERF_SOURCE_H
#define MEMLAT_PERF_SOURCE_H

#include <stdbool.h>

#include <linux/memlat.h>

/* Properties of the CPU that took the samples. */
struct perf_source_ways {
	bool forwards;	/* "modified in another core" may mean clean: MEMLAT_TRAIT_XSNP_FWD */
	bool stores;	/* stores have a source and a latency: MEMLAT_TRAIT_STORE_SOURCE */
};

struct perf_source {
	bool load, store;	/* neither: the sample is no memory access */
	__u8 source;		/* enum memlat_source */
	__u8 snoop;		/* enum memlat_snoop */
	__u16 flags;		/* MEMLAT_WORD_* */
	/* bits 46:19 of perf's word, that is, without its old level and operation */
	__u32 word;
	/* the word tells of the TLB and locks; of the reason why loads were blocked */
	bool tlb, blocked;
};

/* data_src: perf's word, a union perf_mem_data_src. */
struct perf_source perf_source_of(__u64 data_src, const struct perf_source_ways *ways);

#endif
