/* SPDX-License-Identifier: GPL-2.0 */
/* Where perf says that a load or store found its line, in memlat's words. */
#ifndef MEMLAT_PERF_SOURCE_H
#define MEMLAT_PERF_SOURCE_H

#include <stdbool.h>

#include <linux/memlat.h>

/* What the file's CPU does its own way. */
struct perf_source_ways {
	bool forwards;	/* "modified in another core" may be clean: MEMLAT_TRAIT_XSNP_FWD */
	bool stores;	/* stores tell source and latency: MEMLAT_TRAIT_STORE_SOURCE */
};

struct perf_source {
	bool load, store;	/* neither: it is no access to memory */
	__u8 source;		/* enum memlat_source */
	__u8 snoop;		/* enum memlat_snoop */
	__u16 flags;		/* MEMLAT_WORD_* */
	__u32 word;		/* bits 46:19 of perf's word: all but its old level and operation */
	bool tlb, blocked;	/* it tells of the TLB and locks; of what loads waited for */
};

/* perf's word: union perf_mem_data_src. */
struct perf_source perf_source_of(__u64 data_src, const struct perf_source_ways *ways);

#endif
