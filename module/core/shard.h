/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What a CPU collects between two merges, and how a drain adds to it: steps, cells, the shard with
 * all of them, and the walk over records.
 */
#ifndef MEMLAT_CORE_SHARD_H
#define MEMLAT_CORE_SHARD_H

#include <uapi/linux/memlat.h>

#include "counts.h"
#include "record.h"

struct memlat_key;

/**
 * memlat_hash - add a word to a hash
 * @hash: hash of the words before
 * @word: the word
 *
 * Multiplying by the golden ratio carries every bit upwards, and the fold brings the bits down
 * again. That takes a few cycles per word, and both halves of the result are well mixed, so one can
 * be a place and the other a tag.
 */
static inline u64 memlat_hash(u64 hash, u64 word)
{
	hash = (hash ^ word) * 0x9e3779b97f4a7c15ULL;
	return hash ^ hash >> 32;
}

/*
 * Steps: the distance between the operands of two successive loads of one instruction in one
 * thread. Only a burst samples successive loads, and cells do not keep their order, so steps are
 * recorded here.
 */

#define MEMLAT_STEPS		2048
#define MEMLAT_STEP_PAIRS	(~0U)	/* most pairs of a step between two merges; more are lost */
#define MEMLAT_STEP_IPS		64	/* more than a loop has instructions that load */

/**
 * struct memlat_step - pairs of loads that are alike
 * @ip: the instruction
 * @step: bytes from the first one's operand to the second's, modulo 2^64
 * @tgid: process
 * @gen: generation of the process
 * @latency_sum: sum of the second loads' latencies
 * @pairs: number of pairs, at most MEMLAT_STEP_PAIRS, so no count below overflows
 * @stlb_miss: second loads that missed the second-level TLB
 * @new_page: second loads in another page than the first
 * @onward: pairs whose step had the same direction as this instruction's previous step in the burst
 * @turned: pairs whose step had the other direction
 * @round: the table's @emptied plus 1 when it was filled in; any other value: it is free
 * @pad: not used
 *
 * One cache line; the first 24 bytes are the key.
 */
struct memlat_step {
	u64 ip;
	u64 step;
	u32 tgid;
	u32 gen;
	u64 latency_sum;
	u32 pairs;
	u32 stlb_miss;
	u32 new_page;
	u32 onward;
	u32 turned;
	u32 round;
	u64 pad;
};

/**
 * struct memlat_step_ip - the last load of an instruction
 * @ip: the instruction
 * @addr: its operand
 * @burst: number of its burst; a load of an earlier burst makes no pair
 * @step: its last step in that burst that was not 0; 0: none yet
 */
struct memlat_step_ip {
	u64 ip;
	u64 addr;
	u64 burst;
	u64 step;
};

/**
 * struct memlat_steps - the steps of one CPU between two merges
 * @step: the table
 * @ip: by a hash of the instruction; a later instruction overwrites an earlier one
 * @place: indices of @step that are taken
 * @used: number of these
 * @emptied: how often the table was emptied, so that @step need not be cleared
 * @burst: number of the burst that is being read
 *
 * Only that CPU writes it, in NMI or with interrupts off.
 */
struct memlat_steps {
	struct memlat_step step[MEMLAT_STEPS];
	struct memlat_step_ip ip[MEMLAT_STEP_IPS];
	u16 place[MEMLAT_STEPS];
	u32 used;
	u32 emptied;
	u64 burst;
};

/* Runs in NMI: its time is bounded, and it neither allocates nor locks. */
void memlat_steps_load(struct memlat_steps *steps, struct memlat_counts *counts,
		       const struct memlat_sample *s);

/**
 * memlat_steps_begin - a new burst begins
 * @steps: of this CPU
 */
static inline void memlat_steps_begin(struct memlat_steps *steps)
{
	steps->burst++;
}

/**
 * memlat_steps_is_crowded - check whether steps have to be merged soon
 * @steps: the steps; NULL: steps are not wanted
 *
 * A look-up tries only a few places, so that is so when an eighth is used.
 */
static inline bool memlat_steps_is_crowded(const struct memlat_steps *steps)
{
	return steps && steps->used > MEMLAT_STEPS / 8;
}

/* Called by the merge, while no CPU writes the steps. */
void memlat_steps_clear(struct memlat_steps *steps);

/*
 * A shard: what one CPU collects between two merges. Only that CPU writes it, in NMI or with
 * interrupts off, so nothing here locks or allocates.
 *
 * Its main table is one of cells. Samples that differ in nothing but their exact latency share a
 * cell, which is one cache line. So the NMI touches one cache line per sample, however many tables
 * the store has: the merge makes lines, sites, accesses and threads from cells later.
 */

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
 * STACKS_LOST. For samples see memlat_shard_add().
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
	return (1U << MEMLAT_SRC_L3_HITM | 1U << MEMLAT_SRC_RHITM) >> source & 1;
}

/*
 * Add a sample to its cell. This is in a header because it is the inner part of the loop over
 * records; the rare cases are in shard.c.
 */

#define MEMLAT_KEY_WORDS	(MEMLAT_CELL_KEY / 8)

/**
 * struct memlat_key - the key of a cell, as words with the layout that it has in memory
 * @word: the first MEMLAT_CELL_KEY bytes of struct memlat_cell, 8 in each word
 *
 * It is composed in registers, because storing small parts and then loading whole words would
 * stall the CPU (no store forwarding).
 */
struct memlat_key {
	u64 word[MEMLAT_KEY_WORDS];
};

static __always_inline struct memlat_key memlat_key_of(const struct memlat_sample *s,
						       unsigned int row)
{
	const u64 what = row | s->source << 4 | s->flags << 8;

	return (struct memlat_key) { {
		s->addr,
		s->ip,
		s->phys,
		s->tgid | (u64)s->tid << 32,
		s->gen | (u64)s->stack << 32 | what << 48,
	} };
}

/*
 * Hash a key without its physical line, because keys with different physical lines nearly always
 * have different addresses too. The hash is a sum of products, which do not depend on each other.
 * Its upper bits are the well-mixed ones.
 */
static __always_inline u64 memlat_key_hash(const struct memlat_key *key)
{
	return key->word[0] * 0x9e3779b97f4a7c15ULL + key->word[1] * 0xc2b2ae3d27d4eb4fULL +
	       key->word[3] * 0xd6e8feb86659fd93ULL + key->word[4] * 0xa0761d6478bd642fULL;
}

/* Read adjacent fields of a cell as the word that they are in a key. */
static __always_inline u64 memlat_cell_word(const struct memlat_cell *cell, size_t offset)
{
	u64 word;

	memcpy(&word, (const u8 *)cell + offset, sizeof(word));
	return word;
}

static __always_inline bool memlat_key_is(const struct memlat_key *key,
					  const struct memlat_cell *cell)
{
	return key->word[0] == cell->addr && key->word[1] == cell->ip &&
	       key->word[4] == memlat_cell_word(cell, offsetof(struct memlat_cell, gen)) &&
	       key->word[3] == memlat_cell_word(cell, offsetof(struct memlat_cell, tgid)) &&
	       key->word[2] == cell->phys;
}

static __always_inline void memlat_cell_add(struct memlat_cell *cell,
					    const struct memlat_sample *s)
{
	cell->samples++;
	cell->weight += s->weight;
	cell->latency_sum += s->latency;
	/* Always store: a branch on which latency is larger would be mispredicted. */
	cell->latency_max = s->latency > cell->latency_max ? s->latency : cell->latency_max;
}

/* Take the key by value: taking its address in the caller would force it into memory each time. */
static __always_inline struct memlat_cell *
memlat_cell_first(struct memlat_shard *shard, struct memlat_counts *counts,
		  const struct memlat_key key, u64 hash, struct memlat_cell *full)
{
	return memlat_shard_start_cell(shard, counts, &key, hash, full);
}

/* The first way of a hash's set, and the tag of a hash. */
static __always_inline unsigned int memlat_hash_set(u64 hash)
{
	return (hash >> (64 - MEMLAT_SHARD_SET_BITS)) * MEMLAT_SHARD_WAYS;
}

static __always_inline u8 memlat_hash_tag(u64 hash)
{
	return hash >> (56 - MEMLAT_SHARD_SET_BITS) | MEMLAT_SHARD_TAKEN;
}

/**
 * memlat_shard_add - add a sample to its cell
 * @shard: this CPU's active shard
 * @counts: this CPU's active counts, for CELLS_LOST
 * @s: the sample, completely filled in
 * @row: its bucket; 0 for a store
 *
 * Runs in NMI: no allocation, no lock, at most MEMLAT_SHARD_WAYS steps.
 */
static __always_inline void memlat_shard_add(struct memlat_shard *shard,
					     struct memlat_counts *counts,
					     const struct memlat_sample *s, unsigned int row)
{
	const struct memlat_key key = memlat_key_of(s, row);
	const u64 hash = memlat_key_hash(&key);
	const unsigned int set = memlat_hash_set(hash);
	struct memlat_cell *cell, *full = NULL;
	u64 tags, match;

	memcpy(&tags, &shard->tag[set], sizeof(tags));
	match = memlat_bytes_zero(tags ^ memlat_hash_tag(hash) * MEMLAT_BYTES_ONE);
	for (; match; match &= match - 1) {
		cell = &shard->cell[set + (unsigned int)__builtin_ctzll(match) / 8];
		if (unlikely(!memlat_key_is(&key, cell)))
			continue;
		if (likely(cell->samples != ~0U)) {
			memlat_cell_add(cell, s);
			return;
		}
		full = cell;
		break;
	}
	memlat_cell_add(memlat_cell_first(shard, counts, key, hash, full), s);
}

/*
 * A drain: turn the records of a buffer into counts and cells.
 */

/**
 * struct memlat_flow - one kind of event, loads or stores
 * @period: events that a record stands for
 * @carry: events that the next record stands for in addition; then cleared
 * @samples: incremented by the number of samples
 */
struct memlat_flow {
	u64 period;
	u64 carry;
	u64 samples;
};

/**
 * struct memlat_walk - a drain
 * @layout: layout of the records
 * @sources: how this kind of core writes the source
 * @counters: the counters that make the records
 * @counts: this CPU's counts; all but the number of records is added to them
 * @shard: this CPU's shard
 * @loads: flow of loads
 * @stores: flow of stores
 * @tgid: process that the records belong to
 * @tid: thread that the records belong to
 * @gen: generation of the process
 * @phys: returns the physical line of an address; NULL: not wanted
 * @steps: this CPU's steps, if the records are a burst of loads; else NULL
 * @stack: returns the call chain of a sample, 0: none; NULL: not wanted
 * @context: argument of @stack
 */
struct memlat_walk {
	const struct memlat_record_layout *layout;
	const struct memlat_source_table *sources;
	const struct memlat_record_counters *counters;
	struct memlat_counts *counts;
	struct memlat_shard *shard;
	struct memlat_flow loads;
	struct memlat_flow stores;
	u32 tgid;
	u32 tid;
	u32 gen;
	u64 (*phys)(u64 addr);
	struct memlat_steps *steps;
	u16 (*stack)(void *context, const struct memlat_walk *walk, u64 ip);
	void *context;
};

#endif /* MEMLAT_CORE_SHARD_H */
