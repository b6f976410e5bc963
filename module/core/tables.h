/* SPDX-License-Identifier: GPL-2.0 */
/*
 * All tables of the store, and the function that adds cells to them.
 */
#ifndef MEMLAT_CORE_TABLES_H
#define MEMLAT_CORE_TABLES_H

#include "origin.h"
#include "table.h"
#include "top.h"

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

#define MEMLAT_TABLES_BATCH	16	/* about as many cells as have records that fit into L1 */

void memlat_tables_add(struct memlat_tables *tables, const struct memlat_shard *shard,
		       const struct memlat_cell *const cell[], unsigned int cells,
		       unsigned int cpu, unsigned int node, struct memlat_rec_line *line[]);
u64 memlat_tables_cost(const struct memlat_cell *cell);

#endif /* MEMLAT_CORE_TABLES_H */
