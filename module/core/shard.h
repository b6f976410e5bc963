/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A shard: what one CPU collects between two merges. Only that CPU writes it,
 * in NMI or with interrupts off, so nothing here locks or allocates.
 *
 * It holds one table, of cells: samples that are alike in everything but their
 * exact latency are one cell, one host cache line. So a sample touches one
 * line in the NMI however many tables the store keeps: lines, sites, accesses
 * and threads are all made from cells, at leisure, by the merge.
 */
#ifndef MEMLAT_CORE_SHARD_H
#define MEMLAT_CORE_SHARD_H

#include <uapi/linux/memlat.h>

#include "counts.h"
#include "sample.h"
#include "steps.h"

struct memlat_key;

#define MEMLAT_SHARD_WAYS	8	/* tags of a set: one word */
#define MEMLAT_SHARD_SET_BITS	8
#define MEMLAT_SHARD_SETS	256
#define MEMLAT_SHARD_CELLS	(MEMLAT_SHARD_WAYS * MEMLAT_SHARD_SETS)
#define MEMLAT_SHARD_TAKEN	0x80
#define MEMLAT_SHARD_EVEN	64	/* cells of a merge that is to be a small one */
#define MEMLAT_SHARD_SPILL	512
#define MEMLAT_SHARD_THREADS	512
#define MEMLAT_SHARD_STACKS	512

/* Flags that few samples have. */
#define MEMLAT_CELL_SELDOM	\
	(MEMLAT_CELL_LOCKED | MEMLAT_CELL_BLOCKED_DATA | MEMLAT_CELL_BLOCKED_ADDR)

/**
 * struct memlat_cell - samples that are alike
 * @addr: linear address, to the byte
 * @ip: instruction
 * @phys: physical line, 0: not known
 * @tgid: process
 * @tid: thread
 * @gen: generation of the process
 * @stack: call chain within this shard + 1, 0: none
 * @kind: row of the latency in bits 3:0, source in bits 7:4
 * @flags: MEMLAT_CELL_*
 * @samples: how many
 * @latency_max: largest latency
 * @latency_sum: sum of latencies
 * @weight: sum of weights
 *
 * The first 40 bytes are the key.
 */
struct memlat_cell {
	u64 addr;
	u64 ip;
	u64 phys;
	u32 tgid;
	u32 tid;
	u32 gen;
	u16 stack;
	u8 kind;
	u8 flags;
	u32 samples;
	u32 latency_max;
	u64 latency_sum;
	u64 weight;
};

#define MEMLAT_CELL_KEY		40

/**
 * struct memlat_shard_thread - the name of a thread that was sampled
 * @round: one more than the shard's @emptied when it was noted; else it is free
 * @first_ns: CLOCK_MONOTONIC when it was noted first, 0: not known
 * @named_ns: when it was noted first by the name it has, 0: not known
 * @tls_base: its thread pointer, 0: not known
 */
struct memlat_shard_thread {
	u32 tid;
	u32 tgid;
	u32 gen;
	u32 round;
	u64 first_ns;
	u64 named_ns;
	u64 tls_base;
	char comm[MEMLAT_COMM_BYTES];		/* of the thread */
	char process[MEMLAT_COMM_BYTES];	/* of its process's first thread */
};

/**
 * struct memlat_shard_stack - one call chain
 */
struct memlat_shard_stack {
	u32 hash;	/* 0: free */
	u32 tgid;
	u32 gen;
	u16 frames;
	u16 kernel_frames;
	u64 frame[MEMLAT_STACK_FRAMES];
};

/**
 * struct memlat_shard - the tables of one CPU
 * @tag: seven bits of the key's hash for each way, and MEMLAT_SHARD_TAKEN; 0: free.
 *	Apart from the cells, and so small that they stay in the L1 cache; a set is
 *	looked at as one word. Ways are taken in order, and none becomes free alone.
 * @cell: the cells, at the place of their tag
 * @place: places that are taken, so that whoever empties a shard with a few
 *	cells does not look at all of it
 * @spill: cells that had to leave a full set, for the merge to collect
 * @thread: names
 * @stack: MEMLAT_SHARD_STACKS call chains, NULL when none are asked for
 * @steps: pairs of loads, NULL when none are asked for
 * @used: cells in the table, and places in @place
 * @spilled: cells in @spill
 * @threads: names in @thread
 * @emptied: how often the shard was, so that names need no clearing
 * @stacks: chains in @stack
 *
 * Allocated at a page's start, so a cell is one cache line.
 */
struct memlat_shard {
	u8 tag[MEMLAT_SHARD_CELLS];
	struct memlat_cell cell[MEMLAT_SHARD_CELLS];
	u16 place[MEMLAT_SHARD_CELLS];
	struct memlat_cell spill[MEMLAT_SHARD_SPILL];
	struct memlat_shard_thread thread[MEMLAT_SHARD_THREADS];
	struct memlat_shard_stack *stack;
	struct memlat_steps *steps;
	u32 used;
	u32 spilled;
	u32 threads;
	u32 emptied;
	u32 stacks;
};

/*
 * In NMI: bounded, no allocation, no lock. A call chain that finds no place gives
 * 0, and the caller counts its sample in STACKS_LOST. Samples: cell.h.
 */
struct memlat_shard_thread *
memlat_shard_note_thread(struct memlat_shard *shard, u32 tgid, u32 gen, u32 tid,
			 const char *comm, const char *process);
u16 memlat_shard_stack(struct memlat_shard *shard, u32 tgid, u32 gen, const u64 *frame,
		       unsigned int frames, unsigned int kernel_frames);

/* A cell for a key that has none, or whose cell, @full, can count no further. */
struct memlat_cell *
memlat_shard_start_cell(struct memlat_shard *shard, struct memlat_counts *counts,
			const struct memlat_key *key, u64 hash, struct memlat_cell *full);

/* By the merge, on a shard that no CPU writes. */
const struct memlat_shard_thread *
memlat_shard_find_thread(const struct memlat_shard *shard, u32 tgid, u32 gen, u32 tid);
void memlat_shard_clear(struct memlat_shard *shard);

/**
 * memlat_shard_is_crowded - must the shard be merged soon?
 * @shard: the shard
 *
 * A quarter full: sets do not overflow yet, and there is time until the spill does.
 * The later, the more samples have come together in cells: they are merged as one.
 * Names and call chains look no further than some places: of names a quarter, and of chains,
 * which have fewer places, an eighth.
 */
static inline bool memlat_shard_is_crowded(const struct memlat_shard *shard)
{
	return shard->used > MEMLAT_SHARD_CELLS / 4 ||
	       shard->spilled > MEMLAT_SHARD_SPILL / 4 ||
	       shard->threads > MEMLAT_SHARD_THREADS / 4 ||
	       shard->stacks > MEMLAT_SHARD_STACKS / 8 ||
	       memlat_steps_is_crowded(shard->steps);
}

/**
 * memlat_shard_is_due - is the shard to be merged soon?
 * @shard: the shard
 * @even: spread the cost of merges: due with MEMLAT_SHARD_EVEN cells
 */
static inline bool memlat_shard_is_due(const struct memlat_shard *shard, bool even)
{
	return (even && shard->used > MEMLAT_SHARD_EVEN) || memlat_shard_is_crowded(shard);
}

static inline bool memlat_source_is_hitm(u8 source)
{
	return source == MEMLAT_SRC_L3_HITM || source == MEMLAT_SRC_RHITM;
}

#endif /* MEMLAT_CORE_SHARD_H */
