/* SPDX-License-Identifier: GPL-2.0 */
#ifndef MEMLAT_CORE_ORIGIN_H
#define MEMLAT_CORE_ORIGIN_H

#include "shard.h"
#include "source.h"

/**
 * struct memlat_origin - what the tables need about a cell that is not in the cell
 * @cpu: bit of the CPU that sampled it
 * @node: bit of that CPU's node
 * @cost: cycles that its samples stand for
 * @who: names of its thread; NULL: not noted
 * @stack: id of its call chain in the store; 0: none
 */
struct memlat_origin {
	u64 cpu;
	u64 node;
	u64 cost;
	const struct memlat_shard_thread *who;
	u32 stack;
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

static inline u32 memlat_cell_latency_max(const struct memlat_cell *cell)
{
	return memlat_cell_is_store(cell) ? 0 : cell->latency_max;
}

/* The number of the cell's samples with this flag, all or none, without an unpredictable branch. */
static inline u64 memlat_cell_with(const struct memlat_cell *cell, u8 flag)
{
	return cell->samples & -(u32)!!(cell->flags & flag);
}

static inline u64 memlat_cell_hitm(const struct memlat_cell *cell)
{
	return !memlat_cell_is_store(cell) && memlat_source_is_hitm(memlat_cell_source(cell)) ?
	       cell->samples : 0;
}

static inline u64 memlat_cell_store_hitm(const struct memlat_cell *cell)
{
	return memlat_cell_is_store(cell) && memlat_source_is_hitm(memlat_cell_source(cell)) ?
	       cell->samples : 0;
}

/* Kernel addresses belong to one address space, whichever process accesses them. */
static inline bool memlat_is_kernel(u64 addr)
{
	return addr >> 63;
}

static inline void memlat_raise(u64 *to, u64 value)
{
	if (value > *to)
		*to = value;
}

#endif /* MEMLAT_CORE_ORIGIN_H */
