/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A shard: what one CPU collects between two merges. Only that CPU writes it, in NMI or with
 * interrupts off, so nothing here locks or allocates.
 *
 * Its main table is one of cells. Samples that differ in nothing but their exact latency share a
 * cell, which is one cache line. So the NMI touches one cache line per sample, however many tables
 * the store has: the merge makes lines, sites, accesses and threads from cells later.
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
#define MEMLAT_SHARD_EVEN	64	/* cells of a small merge, see memlat_shard_is_due() */
#define MEMLAT_SHARD_SPILL	512
#define MEMLAT_SHARD_THREADS	512
#define MEMLAT_SHARD_STACKS	512

/* Flags that few samples have, so the merge checks for all of them at once. */
#define MEMLAT_CELL_SELDOM	\
	(MEMLAT_CELL_LOCKED | MEMLAT_CELL_BLOCKED_DATA | MEMLAT_CELL_BLOCKED_ADDR)

/**
 * struct memlat_cell - samples that are alike
 * @addr: linear address, to the byte
 * @ip: instruction
 * @phys: physical line; 0: not known
 * @tgid: process
 * @tid: thread
 * @gen: generation of the process
 * @stack: index of the call chain in this shard, plus 1; 0: none
 * @kind: row of the latency in bits 3:0, source in bits 7:4
 * @flags: MEMLAT_CELL_*
 * @samples: number of samples
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
 * struct memlat_shard_thread - names of a sampled thread
 * @tid: the thread's id in the initial PID namespace
 * @tgid: its process's id there
 * @gen: generation of the process
 * @round: the shard's @emptied plus 1 when it was noted; any other value: the entry is free
 * @first_ns: CLOCK_MONOTONIC when it was first noted; 0: not known
 * @named_ns: when it was first noted under its present name; 0: not known
 * @tls_base: its thread pointer; 0: not known
 * @comm: the thread's name
 * @process: the name of its process's first thread
 */
struct memlat_shard_thread {
	u32 tid;
	u32 tgid;
	u32 gen;
	u32 round;
	u64 first_ns;
	u64 named_ns;
	u64 tls_base;
	char comm[MEMLAT_COMM_BYTES];
	char process[MEMLAT_COMM_BYTES];
};

/**
 * struct memlat_shard_stack - one call chain
 * @hash: of the chain and its process, never 0; 0: the entry is free
 * @tgid: the process
 * @gen: generation of the process
 * @frames: number of elements of @frame, 1 to MEMLAT_STACK_FRAMES
 * @kernel_frames: how many of these, from the first one on, are the kernel's
 * @frame: addresses of code, from the sample's own outwards
 */
struct memlat_shard_stack {
	u32 hash;
	u32 tgid;
	u32 gen;
	u16 frames;
	u16 kernel_frames;
	u64 frame[MEMLAT_STACK_FRAMES];
};

/**
 * struct memlat_shard - the tables of one CPU
 * @tag: for each way, seven bits of the key's hash, and MEMLAT_SHARD_TAKEN; 0: free. Tags are
 *	apart from the cells, and small enough to stay in the L1 cache. A set's tags are compared
 *	as one word. Ways are taken in order, and no single way becomes free.
 * @cell: the cells, each at the index of its tag
 * @place: the indices that are taken, so that a merge of few cells need not search all of @cell
 * @spill: cells that were evicted from a full set; the merge collects them
 * @thread: names of threads
 * @stack: MEMLAT_SHARD_STACKS call chains; NULL: call chains are not wanted
 * @steps: pairs of loads; NULL: steps are not wanted
 * @used: number of cells in the table, and of indices in @place
 * @spilled: number of cells in @spill
 * @threads: number of entries in @thread
 * @emptied: how often the shard was emptied, so that names need not be cleared
 * @stacks: number of chains in @stack
 *
 * Allocated page-aligned, so each cell is one cache line.
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
 * These run in NMI: their time is bounded, and they neither allocate nor lock. If there is no room
 * for a call chain, memlat_shard_stack() returns 0, and the caller counts the sample in
 * STACKS_LOST. For samples see cell.h.
 */
struct memlat_shard_thread *
memlat_shard_note_thread(struct memlat_shard *shard, u32 tgid, u32 gen, u32 tid,
			 const char *comm, const char *process);
u16 memlat_shard_stack(struct memlat_shard *shard, u32 tgid, u32 gen, const u64 *frame,
		       unsigned int frames, unsigned int kernel_frames);

/* Start a cell for a key that has none, or whose cell, @full, cannot count any further. */
struct memlat_cell *
memlat_shard_start_cell(struct memlat_shard *shard, struct memlat_counts *counts,
			const struct memlat_key *key, u64 hash, struct memlat_cell *full);

/* Called by the merge, on a shard that no CPU writes. */
const struct memlat_shard_thread *
memlat_shard_find_thread(const struct memlat_shard *shard, u32 tgid, u32 gen, u32 tid);
void memlat_shard_clear(struct memlat_shard *shard);

/**
 * memlat_shard_is_crowded - check whether the shard has to be merged soon
 * @shard: the shard
 *
 * It has to be when a quarter of its cells is used. Then sets do not overflow yet, and there is
 * time until the spill does; a later merge is cheaper, because more samples share a cell. Look-ups
 * of names and call chains try only a few places, so the limit is a quarter for names and an eighth
 * for chains, which have fewer places to try.
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
 * memlat_shard_is_due - check whether the shard is to be merged now
 * @shard: the shard
 * @even: spread the cost of merges evenly: merge as soon as there are MEMLAT_SHARD_EVEN cells
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
