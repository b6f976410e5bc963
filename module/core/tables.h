/* SPDX-License-Identifier: GPL-2.0 */
/* The tables of the store: their kinds, and what a cell adds to each. */
#ifndef MEMLAT_CORE_TABLES_H
#define MEMLAT_CORE_TABLES_H

#include <uapi/linux/memlat.h>

#include "shard.h"
#include "table.h"

#define MEMLAT_TABLES_BATCH	16	/* about as many cells as have records that fit into L1 */

/**
 * struct memlat_batch - cells of one CPU, and what the tables need about them besides
 * @cells: number of cells, 1 … MEMLAT_TABLES_BATCH
 * @cpu: bit of the CPU that sampled them
 * @node: bit of that CPU's node
 * @cell: the cells
 * @who: names of each one's thread; NULL: not noted
 * @cost: cycles that each one's samples stand for
 * @stack: id of each one's call chain in the store; 0: none
 * @line_hash: hash of each one's line
 * @line: where that may be
 * @access_hash: hash of each one's access
 * @access: where that may be
 */
struct memlat_batch {
	unsigned int cells;
	u64 cpu;
	u64 node;
	const struct memlat_cell *cell[MEMLAT_TABLES_BATCH];
	const struct memlat_shard_thread *who[MEMLAT_TABLES_BATCH];
	u64 cost[MEMLAT_TABLES_BATCH];
	u32 stack[MEMLAT_TABLES_BATCH];
	u64 line_hash[MEMLAT_TABLES_BATCH];
	struct memlat_table_place line[MEMLAT_TABLES_BATCH];
	u64 access_hash[MEMLAT_TABLES_BATCH];
	struct memlat_table_place access[MEMLAT_TABLES_BATCH];
};

static inline bool memlat_cell_is_store(const struct memlat_cell *cell)
{
	return cell->flags & MEMLAT_CELL_STORE;
}

static inline unsigned int memlat_cell_source(const struct memlat_cell *cell)
{
	return cell->kind >> 4;
}

static inline unsigned int memlat_cell_bucket(const struct memlat_cell *cell)
{
	return cell->kind & 15;
}

/*
 * The latency of the cell's loads; 0 if it has stores. A store completes after its instruction, so
 * its latency is no cost of the instruction and is recorded separately.
 */
static inline u64 memlat_cell_latency(const struct memlat_cell *cell)
{
	return memlat_cell_is_store(cell) ? 0 : cell->latency_sum;
}

/* The number of the cell's samples with this flag, all or none, without an unpredictable branch. */
static inline u64 memlat_cell_with(const struct memlat_cell *cell, u8 flag)
{
	return cell->samples & -(u32)!!(cell->flags & flag);
}

/* These too have no branch: @hitm is 0 or 1, and MEMLAT_CELL_STORE is 1. */
static_assert(MEMLAT_CELL_STORE == 1);

static inline u64 memlat_cell_hitm(const struct memlat_cell *cell)
{
	const u32 hitm = memlat_source_is_hitm(memlat_cell_source(cell));

	return cell->samples & -(hitm & ~(u32)cell->flags);
}

static inline u64 memlat_cell_store_hitm(const struct memlat_cell *cell)
{
	const u32 hitm = memlat_source_is_hitm(memlat_cell_source(cell));

	return cell->samples & -(hitm & cell->flags);
}

/*
 * The address space of an address that a process uses: the process and, in the low half, its
 * generation. Kernel addresses belong to one address space, 0, whichever process uses them.
 */
static inline u64 memlat_space(u64 addr, u32 tgid, u32 gen)
{
	return ((u64)tgid << 32 | gen) & ((addr >> 63) - 1);
}

/* The address space of the cell's operand. */
static inline u64 memlat_cell_space(const struct memlat_cell *cell)
{
	return memlat_space(cell->addr, cell->tgid, cell->gen);
}

static inline void memlat_raise(u64 *to, u64 value)
{
	if (value > *to)
		*to = value;
}

/* lines.c */

#define MEMLAT_LINE_HOME_UNKNOWN	0xffff

/**
 * struct memlat_line - a cache line: what every load of it changes
 * @addr: as in struct memlat_rec_line, as all members without a comment
 * @phys:
 * @space: memlat_space()
 * @samples:
 * @error:
 * @cost:
 * @hitm: loads that were local or remote HITM
 * @latency_max:
 * @rest: for memlat_table_rest(): struct memlat_line_rest
 * @home: MEMLAT_LINE_HOME_UNKNOWN: not known
 * @weight:
 * @cpus:
 * @nodes:
 * @ip:
 * @bytes_loaded:
 * @comm:
 * @shared:
 * @pad: not used
 * @stlb_miss: the low bits of this count and of those below; the others are in the rest, so that
 *	one cache line has them all
 * @slot:
 * @latency:
 * @source:
 *
 * Three cache lines, where readers' struct has thirteen, of which a load changes eight.
 */
struct memlat_line {
	u64 addr;
	u64 phys;
	u64 space;
	u64 samples;
	u64 error;
	u64 cost;
	u64 hitm;
	u32 latency_max;
	u16 rest;
	u16 home;

	u64 weight;
	u64 cpus;
	u64 nodes;
	u64 ip;
	u64 bytes_loaded;
	char comm[MEMLAT_COMM_BYTES];
	u8 shared;
	u8 pad[5];
	u16 stlb_miss;

	u16 slot[MEMLAT_LINE_SLOTS];
	u16 latency[MEMLAT_SRC_NR];
	u8 source[MEMLAT_SRC_NR];
};

extern const struct memlat_table_kind memlat_lines_kind;

/* An address's cache line. */
static __always_inline u64 memlat_line_of(u64 addr)
{
	return addr & ~(u64)(MEMLAT_LINE_BYTES - 1);
}

static __always_inline u64 memlat_line_hash(const struct memlat_cell *cell)
{
	const u64 phys = memlat_line_of(cell->phys);

	if (unlikely(phys))
		return memlat_hash(1, phys);
	return memlat_hash(memlat_hash(0, memlat_line_of(cell->addr)), memlat_cell_space(cell));
}

void memlat_lines_prefetch(const struct memlat_batch *batch);

struct memlat_top;
void memlat_lines_add(struct memlat_table *lines, struct memlat_top *top,
		      struct memlat_batch *batch, struct memlat_line *line[]);

/* accesses.c */
extern const struct memlat_table_kind memlat_accesses_kind;

#define MEMLAT_ACCESS_BYTES	128	/* of a record's first part */

static __always_inline u64 memlat_access_hash(const struct memlat_cell *cell, u32 stack)
{
	u64 hash = memlat_hash(memlat_hash(0, cell->addr), cell->ip);

	hash = memlat_hash(hash, (u64)cell->tid << 32 | cell->gen);
	return memlat_hash(hash, (u64)cell->tgid << 32 | stack);
}

void memlat_accesses_add(struct memlat_table *accesses, struct memlat_batch *batch);

/* kinds.c */
extern const struct memlat_table_kind memlat_sites_kind;

void memlat_sites_add(struct memlat_table *sites, const struct memlat_batch *batch);

extern const struct memlat_table_kind memlat_threads_kind;

unsigned int memlat_threads_add(struct memlat_table *threads, struct memlat_batch *batch,
				unsigned int first, const struct memlat_shard_thread *who);

extern const struct memlat_table_kind memlat_stacks_kind;

u32 memlat_stacks_add(struct memlat_table *stacks, const struct memlat_shard_stack *chain,
		      const struct memlat_cell *cell);

extern const struct memlat_table_kind memlat_strides_kind;

void memlat_strides_add(struct memlat_table *strides, const struct memlat_step *step);

/* top.c */

#define MEMLAT_TOP	64

/**
 * struct memlat_top - the hottest lines
 * @line: the lines, hottest first
 * @tag: a byte of a hash of each line's address, so that a search compares few lines
 * @lines: number of lines
 *
 * The list has more lines than are shown, so that the first ones stay right when lines are evicted.
 */
struct memlat_top {
	const struct memlat_line *line[MEMLAT_TOP];
	u8 tag[MEMLAT_TOP];
	unsigned int lines;
};

void memlat_top_drop(struct memlat_top *top, const struct memlat_line *line);
void memlat_top_move(struct memlat_top *top, const struct memlat_line *line);

static inline bool memlat_line_is_hotter(const struct memlat_line *a, const struct memlat_line *b)
{
	/* Without a branch on which line has more HITM, which could not be predicted. */
	return (a->hitm > b->hitm) | ((a->hitm == b->hitm) & (a->cost > b->cost));
}

/**
 * memlat_top_update - add or move a line that has grown
 * @top: the list
 * @line: the line, which does not move in memory until it is dropped
 */
static inline void memlat_top_update(struct memlat_top *top, const struct memlat_line *line)
{
	const struct memlat_line *last = top->line[MEMLAT_TOP - 1];

	if (top->lines < MEMLAT_TOP || line == last || memlat_line_is_hotter(line, last))
		memlat_top_move(top, line);
}

/*
 * All tables of the store, and the function that adds cells to them.
 */

/**
 * enum memlat_tables_nr - the tables, in the order of the snapshot
 * @MEMLAT_LINES: cache lines
 * @MEMLAT_SITES: instructions
 * @MEMLAT_ACCESSES: instructions by the line that they accessed
 * @MEMLAT_THREADS: threads
 * @MEMLAT_STACKS: call chains
 * @MEMLAT_STRIDES: steps of instructions
 * @MEMLAT_TABLES: number of tables
 */
enum memlat_tables_nr {
	MEMLAT_LINES,
	MEMLAT_SITES,
	MEMLAT_ACCESSES,
	MEMLAT_THREADS,
	MEMLAT_STACKS,
	MEMLAT_STRIDES,
	MEMLAT_TABLES
};

/**
 * struct memlat_tables - the tables of one session
 * @table: by enum memlat_tables_nr
 * @top: the hottest lines
 */
struct memlat_tables {
	struct memlat_table table[MEMLAT_TABLES];
	struct memlat_top top;
};

void memlat_tables_plan(struct memlat_tables *tables, u64 bytes, bool stacks, bool strides,
			u32 page);

void memlat_batch_prefetch(const struct memlat_tables *tables, struct memlat_batch *batch);
void memlat_batch_add(struct memlat_tables *tables, struct memlat_batch *batch,
		      struct memlat_line *line[]);
void memlat_tables_add(struct memlat_tables *tables, const struct memlat_shard *shard,
		       const struct memlat_cell *const cell[], unsigned int cells,
		       unsigned int cpu, unsigned int node, struct memlat_line *line[]);
u64 memlat_tables_cost(const struct memlat_cell *cell);

/*
 * Records without their words that are 0, for MEMLAT_READER_PACKED.
 */

u32 memlat_pack_room(u32 size);
void *memlat_pack(void *to, const void *records, u32 nr, u32 size);

#endif /* MEMLAT_CORE_TABLES_H */
