/* SPDX-License-Identifier: GPL-2.0 */
#ifndef MEMLAT_CORE_COUNTS_H
#define MEMLAT_CORE_COUNTS_H

#include <uapi/linux/memlat.h>

#include "sample.h"

/*
 * Latency buckets. The upper edges are inclusive, in core cycles. They are half an octave apart up
 * to 1024, where the levels of a server part are close together (L3 about 70, HITM about 110,
 * memory 200 to 600), and an octave apart beyond.
 */

/* The first octave ends at 32 cycles; the last one ends at the largest number of 32 bits. */
#define MEMLAT_OCTAVE_FIRST	5
#define MEMLAT_OCTAVES		(32 - MEMLAT_OCTAVE_FIRST + 1)

/**
 * struct memlat_octave - the one or two rows of an octave
 * @row: the first row
 * @half: upper edge of the first row
 */
struct memlat_octave {
	u32 row;
	u32 half;
};

extern const u32 memlat_bucket_edge[MEMLAT_BUCKETS - 1];
extern const struct memlat_octave memlat_octave[MEMLAT_OCTAVES];

/**
 * memlat_bucket_of - row of a latency
 * @latency: core cycles, at least one
 *
 * Runs in NMI for each sample. So it does not search the edges, and has no branch on the latency,
 * which a branch predictor could not predict.
 *
 * Return: 0 … MEMLAT_BUCKETS - 1.
 */
static inline unsigned int memlat_bucket_of(u32 latency)
{
	/* Edges are inclusive: 64 still belongs to the octave of 33 to 64. */
	const u32 below = (latency - 1) | ((1U << MEMLAT_OCTAVE_FIRST) - 1);
	const struct memlat_octave *octave;

	octave = &memlat_octave[32 - __builtin_clz(below) - MEMLAT_OCTAVE_FIRST];
	return octave->row + (latency > octave->half);
}

/*
 * What a CPU counts exactly, even if its tables evict rows. The counts are small, so a reader gets
 * them at once, without a merge of the tables.
 */

/**
 * enum memlat_count - the counters that drains and interrupts keep
 * @MEMLAT_COUNT_RECORDS: records that hardware wrote and the CPU drained
 * @MEMLAT_COUNT_SAMPLES: records that were aggregated
 * @MEMLAT_COUNT_LOADS: samples that are loads
 * @MEMLAT_COUNT_STORES: samples that are stores
 * @MEMLAT_COUNT_WEIGHT_LOADS: qualifying loads that these samples stand for
 * @MEMLAT_COUNT_WEIGHT_STORES: stores that these samples stand for
 * @MEMLAT_COUNT_FILTERED: records of tasks that the filters exclude
 * @MEMLAT_COUNT_MALFORMED: records that cannot be valid
 * @MEMLAT_COUNT_COLLISION: records that do not belong to exactly one of memlat's counters
 * @MEMLAT_COUNT_FULL_PMIS: drains that found the buffer full to its end
 * @MEMLAT_COUNT_CELLS_LOST: samples whose cell was evicted while the spill was full
 * @MEMLAT_COUNT_STACKS_LOST: samples without a call chain though one was wanted
 * @MEMLAT_COUNT_PMIS: interrupts taken
 * @MEMLAT_COUNT_LATE_PMIS: interrupts that came after disarming
 * @MEMLAT_COUNT_SWITCH_DRAINS: drains at a task switch that found records
 * @MEMLAT_COUNT_LATENCY_SUM: sum of the sampled loads' latencies, core cycles
 * @MEMLAT_COUNT_BLOCKED_DATA: loads that waited for a store's data
 * @MEMLAT_COUNT_BLOCKED_ADDR: loads that waited for a store's address
 * @MEMLAT_COUNT_PAIRS: pairs of successive loads of one instruction in a burst
 * @MEMLAT_COUNT_PAIRS_LOST: pairs for which the CPU's table of steps had no room
 * @MEMLAT_COUNT_NR: number of counters
 *
 * Names and meanings are those of struct memlat_status. PAIRS_LOST are a part of its
 * @strides_evicted.
 */
enum memlat_count {
	MEMLAT_COUNT_RECORDS,
	MEMLAT_COUNT_SAMPLES,
	MEMLAT_COUNT_LOADS,
	MEMLAT_COUNT_STORES,
	MEMLAT_COUNT_WEIGHT_LOADS,
	MEMLAT_COUNT_WEIGHT_STORES,
	MEMLAT_COUNT_FILTERED,
	MEMLAT_COUNT_MALFORMED,
	MEMLAT_COUNT_COLLISION,
	MEMLAT_COUNT_FULL_PMIS,
	MEMLAT_COUNT_CELLS_LOST,
	MEMLAT_COUNT_STACKS_LOST,
	MEMLAT_COUNT_PMIS,
	MEMLAT_COUNT_LATE_PMIS,
	MEMLAT_COUNT_SWITCH_DRAINS,
	MEMLAT_COUNT_LATENCY_SUM,
	MEMLAT_COUNT_BLOCKED_DATA,
	MEMLAT_COUNT_BLOCKED_ADDR,
	MEMLAT_COUNT_PAIRS,
	MEMLAT_COUNT_PAIRS_LOST,
	MEMLAT_COUNT_NR
};

/**
 * struct memlat_tally - a number of samples, and of the events that they stand for
 * @samples: samples
 * @weight: the loads or stores that they stand for
 */
struct memlat_tally {
	u64 samples;
	u64 weight;
};

/**
 * struct memlat_counts - the exact counts of one CPU
 * @latency_max: largest latency; memlat_counts_merge() adds up all members after it
 * @count: by enum memlat_count
 * @latency: sum of latencies by source
 * @cache_latency: the part of @latency that is cache latencies
 * @use_latency: the use latencies of the same loads
 * @bucket: loads by latency and source
 * @part: loads by enum memlat_part and latency
 * @part_latency: sum of their latencies
 * @store: stores by source
 * @store_latency: sum of their latencies by source
 * @store_xsnp_fwd: stores whose line a sibling core forwarded, modified or clean
 * @raw: loads by memlat_source_raw(). Each kind of core packs its words its own way, so only
 *	counts of one kind can be added up: see struct memlat_core_counts.
 */
struct memlat_counts {
	u64 latency_max;
	u64 count[MEMLAT_COUNT_NR];
	u64 latency[MEMLAT_SRC_NR];
	u64 cache_latency[MEMLAT_SRC_NR];
	u64 use_latency[MEMLAT_SRC_NR];
	struct memlat_tally bucket[MEMLAT_BUCKETS][MEMLAT_SRC_NR];
	struct memlat_tally part[MEMLAT_PART_NR][MEMLAT_BUCKETS];
	u64 part_latency[MEMLAT_PART_NR];
	struct memlat_tally store[MEMLAT_SRC_NR];
	u64 store_latency[MEMLAT_SRC_NR];
	u64 store_xsnp_fwd;
	u64 raw[MEMLAT_RAWS];
};

/* Bytes of struct memlat_counts without the raw words, which sums of several CPUs do not have. */
#define MEMLAT_COUNTS_BYTES	offsetof(struct memlat_counts, raw)

/**
 * struct memlat_core_counts - what the CPUs of one kind of core counted together
 * @loads: as in struct memlat_rec_core
 * @stores: as in struct memlat_rec_core
 * @raw: loads by memlat_source_raw(). Elements from memlat_source_raws() on are always 0 and not
 *	accessed, see memlat_core_counts_bytes().
 */
struct memlat_core_counts {
	u64 loads;
	u64 stores;
	u64 raw[MEMLAT_RAWS];
};

/**
 * memlat_core_counts_bytes - bytes of struct memlat_core_counts that can differ from 0
 * @raws: memlat_source_raws() of the kind of core
 */
static inline size_t memlat_core_counts_bytes(unsigned int raws)
{
	return offsetof(struct memlat_core_counts, raw) + raws * sizeof(u64);
}

/**
 * struct memlat_sums - sums that a drain adds to the counts at its end
 * @latency: sum of the loads' latencies, core cycles
 * @latency_max: largest of them
 *
 * They are few enough to stay in registers.
 */
struct memlat_sums {
	u64 latency;
	u64 latency_max;
};

static __always_inline void memlat_counts_part(struct memlat_counts *counts,
					       const struct memlat_sample *s, unsigned int row,
					       enum memlat_part part)
{
	counts->part[part][row].samples++;
	counts->part[part][row].weight += s->weight;
	counts->part_latency[part] += s->latency;
}

/**
 * memlat_counts_load - count one load
 * @counts: of this CPU
 * @sums: of this drain; memlat_counts_sums() adds them to @counts later
 * @s: the load
 * @row: its bucket
 *
 * Runs in NMI.
 */
static __always_inline void memlat_counts_load(struct memlat_counts *counts,
					       struct memlat_sums *sums,
					       const struct memlat_sample *s, unsigned int row)
{
	struct memlat_tally *tally = &counts->bucket[row][s->source];

	tally->samples++;
	tally->weight += s->weight;
	counts->raw[s->raw]++;
	counts->latency[s->source] += s->latency;
	if (s->use_latency) {
		counts->cache_latency[s->source] += s->latency;
		counts->use_latency[s->source] += s->use_latency;
	}
	if (unlikely(s->flags & (MEMLAT_CELL_BLOCKED_DATA | MEMLAT_CELL_BLOCKED_ADDR |
				 MEMLAT_CELL_XSNP_FWD | MEMLAT_CELL_NOT_MEMORY))) {
		counts->count[MEMLAT_COUNT_BLOCKED_DATA] += s->blocked_data;
		counts->count[MEMLAT_COUNT_BLOCKED_ADDR] += s->blocked_addr;
		if (s->flags & MEMLAT_CELL_XSNP_FWD)
			memlat_counts_part(counts, s, row, MEMLAT_PART_XSNP_FWD);
		if (s->flags & MEMLAT_CELL_NOT_MEMORY)
			memlat_counts_part(counts, s, row, MEMLAT_PART_NOT_MEMORY);
	}
	sums->latency += s->latency;
	if (s->latency > sums->latency_max)
		sums->latency_max = s->latency;
}

/**
 * memlat_counts_store - count one store, except what memlat_counts_sums() counts
 * @counts: of this CPU
 * @s: the store
 *
 * Runs in NMI.
 */
static __always_inline void memlat_counts_store(struct memlat_counts *counts,
						const struct memlat_sample *s)
{
	counts->store[s->source].samples++;
	counts->store[s->source].weight += s->weight;
	counts->store_latency[s->source] += s->latency;
	counts->store_xsnp_fwd += s->xsnp_fwd;
}

void memlat_counts_sums(struct memlat_counts *counts, const struct memlat_sums *sums,
			const struct memlat_tally *loads, const struct memlat_tally *stores);

void memlat_counts_merge(struct memlat_counts *to, const struct memlat_counts *from);
void memlat_counts_raws_merge(u64 *to, const u64 *from, unsigned int raws);
void memlat_core_counts_add(struct memlat_core_counts *to, const struct memlat_counts *from,
			    unsigned int raws);
void memlat_core_counts_merge(struct memlat_core_counts *to,
			      const struct memlat_core_counts *from, unsigned int raws);
u64 memlat_counts_cache_latency(const struct memlat_counts *counts);
u64 memlat_counts_use_latency(const struct memlat_counts *counts);

#endif /* MEMLAT_CORE_COUNTS_H */
