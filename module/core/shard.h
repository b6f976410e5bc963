/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A shard: what one CPU counts between two merges. Only that CPU writes it,
 * in NMI or with interrupts off, so nothing here locks or allocates.
 */
#ifndef MEMLAT_CORE_SHARD_H
#define MEMLAT_CORE_SHARD_H

#include <uapi/linux/memlat.h>

#include "sample.h"

#define MEMLAT_SHARD_WAYS	8	/* tags of a set: one cache line */
#define MEMLAT_SHARD_SETS	128
#define MEMLAT_SHARD_LINES	(MEMLAT_SHARD_WAYS * MEMLAT_SHARD_SETS)
#define MEMLAT_SHARD_SPILL	256

/**
 * enum memlat_count - the counters that drains and interrupts keep
 *
 * Names and meaning as in struct memlat_status.
 */
enum memlat_count {
	MEMLAT_COUNT_RECORDS,
	MEMLAT_COUNT_SAMPLES,
	MEMLAT_COUNT_FILTERED,
	MEMLAT_COUNT_MALFORMED,
	MEMLAT_COUNT_COLLISION,
	MEMLAT_COUNT_FULL_PMIS,
	MEMLAT_COUNT_LINES_EVICTED,
	MEMLAT_COUNT_PMIS,
	MEMLAT_COUNT_LATE_PMIS,
	MEMLAT_COUNT_SWITCH_DRAINS,
	MEMLAT_COUNT_LATENCY_SUM,
	MEMLAT_COUNT_NR
};

/**
 * struct memlat_shard_line - a cache line within a shard
 *
 * Three host cache lines: what every sample touches, sources, slots. 32 bits
 * are enough between two merges, which are at most seconds apart.
 */
struct memlat_shard_line {
	u64 addr;
	u64 ip;
	u64 latency_sum;
	u32 space;
	u32 samples;
	u32 latency_max;
	u32 locked;
	u32 stlb_miss;
	u32 reserved;
	char comm[MEMLAT_COMM_BYTES];
	u32 source[MEMLAT_SRC_NR];
	u32 slot[MEMLAT_LINE_SLOTS];
	u32 slot_hitm[MEMLAT_LINE_SLOTS];
};

/**
 * struct memlat_shard - the tables of one CPU
 * @tag: line address | 1 of each way, 0: free; apart from the lines, so that
 *	a look-up touches one cache line
 * @line: the lines, at the place of their tag
 * @spill: lines that had to leave a full set, for the merge to collect
 * @count: by enum memlat_count
 * @latency_max: largest latency
 * @used: lines in the table
 * @spilled: lines in @spill
 * @latency: sum of latencies by source
 * @bucket: samples by latency and source
 * @raw: samples by raw source word
 *
 * Allocated at a page's start, so a set of tags is one cache line and a line is
 * three.
 */
struct memlat_shard {
	u64 tag[MEMLAT_SHARD_LINES];
	struct memlat_shard_line line[MEMLAT_SHARD_LINES];
	struct memlat_shard_line spill[MEMLAT_SHARD_SPILL];
	u64 count[MEMLAT_COUNT_NR];
	u32 latency_max;
	u32 used;
	u32 spilled;
	u64 latency[MEMLAT_SRC_NR];
	u32 bucket[MEMLAT_BUCKETS][MEMLAT_SRC_NR];
	u32 raw[256];
};

void memlat_shard_add(struct memlat_shard *shard, const struct memlat_sample *s);
void memlat_shard_clear(struct memlat_shard *shard);

/**
 * memlat_shard_is_crowded - should the shard be merged soon?
 * @shard: the shard
 *
 * Half full: sets begin to overflow, and there is time until the spill does.
 */
static inline bool memlat_shard_is_crowded(const struct memlat_shard *shard)
{
	return shard->used > MEMLAT_SHARD_LINES / 2 ||
	       shard->spilled > MEMLAT_SHARD_SPILL / 4;
}

/**
 * memlat_line_hash - spread lines over sets
 * @addr: line address
 * @space: address space
 *
 * Fibonacci hashing: neighbouring lines land in different sets, and the high
 * bits, which the callers take, depend on every bit of the input.
 */
static inline u32 memlat_line_hash(u64 addr, u32 space)
{
	u64 h = (addr / MEMLAT_LINE_BYTES) ^ ((u64)space << 42) ^ space;

	return (u32)((h * 0x9e3779b97f4a7c15ULL) >> 32);
}

static inline bool memlat_source_is_hitm(u8 source)
{
	return source == MEMLAT_SRC_L3_HITM || source == MEMLAT_SRC_RHITM;
}

#endif /* MEMLAT_CORE_SHARD_H */
