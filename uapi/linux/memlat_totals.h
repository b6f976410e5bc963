/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note */
/*
 * The records of memlat's snapshot stream that sum up all samples: by latency, by source, and by
 * kind of core. memlat_records.h, which includes this file, has the records of tables.
 */
#ifndef _UAPI_LINUX_MEMLAT_TOTALS_H
#define _UAPI_LINUX_MEMLAT_TOTALS_H

#ifndef _UAPI_LINUX_MEMLAT_RECORDS_H
#error "include memlat.h"
#endif

#include <linux/types.h>

#define MEMLAT_BUCKETS		14	/* rows; the last is open-ended */

/**
 * struct memlat_rec_buckets - loads by latency and source
 * @hdr: type MEMLAT_REC_BUCKETS
 * @rows: MEMLAT_BUCKETS
 * @sources: MEMLAT_SRC_NR
 * @edge: upper edge of each row, inclusive, cycles; 0 for the last row
 * @count: samples, by row and enum memlat_source
 * @latency: sum of latencies by source, cycles
 * @weight: loads that the samples of @count stand for
 * @cache_latency: the part of @latency of loads on kinds of cores that report the cache
 *	latency (MEMLAT_TRAIT_CACHE_LATENCY)
 */
struct memlat_rec_buckets {
	struct memlat_rec_header hdr;
	__u32 rows;
	__u32 sources;
	__u64 edge[MEMLAT_BUCKETS];
	__u64 count[MEMLAT_BUCKETS][MEMLAT_SRC_NR];
	__u64 latency[MEMLAT_SRC_NR];
	__u64 weight[MEMLAT_BUCKETS][MEMLAT_SRC_NR];
	__u64 cache_latency[MEMLAT_SRC_NR];
};

/* Parts of a source's loads that are counted separately. */
enum memlat_part {
	/*
	 * Of MEMLAT_SRC_L3_SNOOP: a sibling core forwarded the line, modified or clean. The
	 * CPU does not say which (MEMLAT_TRAIT_XSNP_FWD); it has no local HITM then.
	 */
	MEMLAT_PART_XSNP_FWD	= 0,
	/*
	 * Of MEMLAT_SRC_L1: the load waited longer for something other than memory: operands, a
	 * lock, an earlier store (MEMLAT_TRAIT_CACHE_LATENCY).
	 */
	MEMLAT_PART_NOT_MEMORY	= 1,
	MEMLAT_PART_NR		= 2
};

/**
 * struct memlat_part_figures - one part
 * @count: samples by row of struct memlat_rec_buckets, which includes them in their source
 * @weight: loads that they stand for
 * @latency: sum of their latencies, cycles
 */
struct memlat_part_figures {
	__u64 count[MEMLAT_BUCKETS];
	__u64 weight[MEMLAT_BUCKETS];
	__u64 latency;
};

/**
 * struct memlat_rec_parts - parts of the loads in struct memlat_rec_buckets
 * @hdr: type MEMLAT_REC_PARTS
 * @rows: MEMLAT_BUCKETS
 * @parts: MEMLAT_PART_NR
 * @use_latency: sum of use latencies by source, of the loads of
 *	memlat_rec_buckets.cache_latency, cycles
 * @part: by enum memlat_part
 */
struct memlat_rec_parts {
	struct memlat_rec_header hdr;
	__u32 rows;
	__u32 parts;
	__u64 use_latency[MEMLAT_SRC_NR];
	struct memlat_part_figures part[MEMLAT_PART_NR];
};

/**
 * struct memlat_rec_stores - stores by where their line was
 * @hdr: type MEMLAT_REC_STORES
 * @sources: MEMLAT_SRC_NR
 * @reserved: 0
 * @count: samples by enum memlat_source, the place of the line when the store needed it;
 *	without MEMLAT_TRAIT_STORE_SOURCE only MEMLAT_SRC_L1 and _UNKNOWN
 * @weight: stores that they stand for
 * @latency: sum of latencies by source, cycles: from the attempt to write to L1 until it
 *	was done. No load waits for that, so it is in no cost and in no other latency.
 * @xsnp_fwd: of @count[MEMLAT_SRC_L3_SNOOP], as MEMLAT_PART_XSNP_FWD of loads
 */
struct memlat_rec_stores {
	struct memlat_rec_header hdr;
	__u32 sources;
	__u32 reserved;
	__u64 count[MEMLAT_SRC_NR];
	__u64 weight[MEMLAT_SRC_NR];
	__u64 latency[MEMLAT_SRC_NR];
	__u64 xsnp_fwd;
};

/**
 * struct memlat_rec_raw - samples by the source word as hardware wrote it
 * @hdr: type MEMLAT_REC_RAW
 * @count: samples by bits 7:0 of the word, of all kinds of cores (skx: 3:0
 *	source, 4 STLB miss, 5 locked); see struct memlat_rec_source
 */
struct memlat_rec_raw {
	struct memlat_rec_header hdr;
	__u64 count[256];
};

/**
 * struct memlat_rec_core - one kind of core of this machine
 * @hdr: type MEMLAT_REC_CORE
 * @core: its number, from 0
 * @traits: MEMLAT_TRAIT_*
 * @pebs_format: as in struct memlat_query
 * @record_size: as in struct memlat_query
 * @model_name: as in struct memlat_query
 * @model_title: as in struct memlat_query
 * @loads: loads sampled on these cores
 * @stores: stores sampled on these cores
 * @cpus: their CPUs: bit (n mod 64) of word n / 64
 */
struct memlat_rec_core {
	struct memlat_rec_header hdr;
	__u32 core;
	__u32 traits;
	__u32 pebs_format;
	__u32 record_size;
	char model_name[16];
	char model_title[48];
	__u64 loads;
	__u64 stores;
	__u64 cpus[MEMLAT_CPU_WORDS];
};

/* What snooping found (memlat_rec_source.snoop). */
enum memlat_snoop {
	MEMLAT_SNOOP_NA		= 0,	/* the CPU did not say */
	MEMLAT_SNOOP_NONE	= 1,	/* nobody was asked */
	MEMLAT_SNOOP_MISS	= 2,
	MEMLAT_SNOOP_HIT	= 3,	/* clean */
	MEMLAT_SNOOP_HITM	= 4,	/* modified */
	MEMLAT_SNOOP_FWD	= 5,	/* clean, and forwarded by a core */
	MEMLAT_SNOOP_XSNP_FWD	= 6	/* forwarded by a core of this socket, modified or clean */
};

/* memlat_rec_source.flags */
#define MEMLAT_WORD_STLB_MISS	(1U << 0)
#define MEMLAT_WORD_LOCKED	(1U << 1)
#define MEMLAT_WORD_BLOCKED_DATA (1U << 2)
#define MEMLAT_WORD_BLOCKED_ADDR (1U << 3)

/**
 * struct memlat_rec_source - loads with one data source word on one kind of core
 * @hdr: type MEMLAT_REC_SOURCE
 * @core: as in struct memlat_rec_core
 * @word: the defined bits of the word as hardware wrote it, so that a wrong
 *	decoding can be corrected later. If codes have 8 bits, reserved codes
 *	above 0x1e are counted as 0x1f.
 * @samples: loads with this word
 * @source: enum memlat_source to which memlat decodes it
 * @snoop: enum memlat_snoop
 * @flags: MEMLAT_WORD_*
 * @reserved: 0
 */
struct memlat_rec_source {
	struct memlat_rec_header hdr;
	__u32 core;
	__u32 word;
	__u64 samples;
	__u8 source;
	__u8 snoop;
	__u16 flags;
	__u32 reserved;
};

#endif /* _UAPI_LINUX_MEMLAT_TOTALS_H */
