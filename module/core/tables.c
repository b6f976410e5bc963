// SPDX-License-Identifier: GPL-2.0
#include "tables.h"

/* The least memory for threads, in bytes: more than a chunk and its index. */
#define THREADS_MIN	32768

/**
 * memlat_tables_plan - divide a store's memory among its tables
 * @tables: filled in, without memory
 * @bytes: the most memory that they may ever use together
 * @stacks: call chains are wanted
 * @strides: strides are wanted; never with @stacks
 * @page: as in memlat_table_plan()
 */
void memlat_tables_plan(struct memlat_tables *tables, u64 bytes, bool stacks, bool strides,
			u32 page)
{
	u64 rest = bytes / 16, threads = rest, others;

	/* Give threads less: call chains are three times as large, and like steps more numerous. */
	if (stacks || strides)
		threads = rest / 4 > THREADS_MIN ? rest / 4 : THREADS_MIN;
	others = rest > threads ? rest - threads : 0;
	tables->top.lines = 0;
	memlat_table_plan(&tables->table[MEMLAT_LINES], &memlat_lines_kind, bytes / 2, page);
	memlat_table_plan(&tables->table[MEMLAT_ACCESSES], &memlat_accesses_kind, bytes / 16 * 5,
			  page);
	memlat_table_plan(&tables->table[MEMLAT_SITES], &memlat_sites_kind, bytes / 8, page);
	memlat_table_plan(&tables->table[MEMLAT_THREADS], &memlat_threads_kind, threads, page);
	memlat_table_plan(&tables->table[MEMLAT_STACKS], &memlat_stacks_kind,
			  stacks ? others : 0, page);
	memlat_table_plan(&tables->table[MEMLAT_STRIDES], &memlat_strides_kind,
			  strides ? others : 0, page);
}

/* a * b / c with c > 0; the largest u64 if the result is larger. */
static u64 scale(u64 a, u64 b, u64 c)
{
	u64 whole, rest;

	/* Most cells have one sample, and a division is expensive. */
	if (!__builtin_mul_overflow(a, b, &whole))
		return c == 1 ? whole : whole / c;
	if (__builtin_mul_overflow(a / c, b, &whole))
		return ~0ULL;
	/* No overflow: (a % c) * (b / c) <= b, (a % c) * (b % c) < c * c, and c has 32 bits. */
	rest = a % c * (b / c) + a % c * (b % c) / c;
	return whole + rest < whole ? ~0ULL : whole + rest;
}

/**
 * memlat_tables_cost - cycles that the samples of a cell stand for
 * @cell: a cell with samples
 *
 * That is the cell's mean latency times its weight, because its samples are alike, and the period
 * seldom changes while one cell is filled. Stores cost nothing here.
 */
u64 memlat_tables_cost(const struct memlat_cell *cell)
{
	return scale(memlat_cell_latency(cell), cell->weight, cell->samples);
}

/**
 * memlat_batch_prefetch - prefetch the sets where the records of a batch may be
 * @tables: the tables
 * @batch: the batch, with cells and stacks
 */
void memlat_batch_prefetch(const struct memlat_tables *tables, struct memlat_batch *batch)
{
	unsigned int i;

	for (i = 0; i < batch->cells; i++) {
		batch->line_hash[i] = memlat_line_hash(batch->cell[i]);
		batch->access_hash[i] = memlat_access_hash(batch->cell[i], batch->stack[i]);
		memlat_table_prefetch(&tables->table[MEMLAT_LINES], batch->line_hash[i],
				      &batch->line[i]);
		memlat_table_prefetch(&tables->table[MEMLAT_ACCESSES], batch->access_hash[i],
				      &batch->access[i]);
	}
}

/**
 * memlat_batch_add - add a batch to lines, sites and accesses
 * @tables: the tables
 * @batch: the batch, complete and after memlat_batch_prefetch()
 * @line: set to the line of each cell; NULL if there was no room for it. A later cell's line may
 *	have taken the place of an earlier one
 */
void memlat_batch_add(struct memlat_tables *tables, struct memlat_batch *batch,
		      struct memlat_line *line[])
{
	struct memlat_table *const lines = &tables->table[MEMLAT_LINES];
	struct memlat_table *const accesses = &tables->table[MEMLAT_ACCESSES];
	unsigned int i;

	for (i = 0; i < batch->cells; i++) {
		memlat_table_find(lines, sizeof(struct memlat_line), batch->line_hash[i],
				  &batch->line[i]);
		memlat_table_find(accesses, MEMLAT_ACCESS_BYTES, batch->access_hash[i],
				  &batch->access[i]);
	}
	/*
	 * One table after the other, so that each has its values in registers, and sites first,
	 * while the other records are being fetched.
	 */
	memlat_sites_add(&tables->table[MEMLAT_SITES], batch);
	memlat_lines_prefetch(batch);
	memlat_accesses_add(accesses, batch);
	memlat_lines_add(lines, &tables->top, batch, line);
}

/**
 * memlat_tables_add - add cells of a shard to all tables
 * @tables: the tables
 * @shard: the shard, which no CPU writes
 * @cell: some of its cells
 * @cells: number of cells, 1 … MEMLAT_TABLES_BATCH
 * @cpu: the shard's CPU
 * @node: that CPU's node
 * @line: as in memlat_batch_add()
 */
void memlat_tables_add(struct memlat_tables *tables, const struct memlat_shard *shard,
		       const struct memlat_cell *const cell[], unsigned int cells,
		       unsigned int cpu, unsigned int node, struct memlat_line *line[])
{
	struct memlat_batch batch;
	unsigned int i;

	batch.cells = cells;
	batch.cpu = 1ULL << cpu % 64;
	batch.node = 1ULL << node % 64;
	for (i = 0; i < cells; i++) {
		batch.cell[i] = cell[i];
		batch.stack[i] = 0;
		if (unlikely(cell[i]->stack))
			batch.stack[i] = memlat_stacks_add(&tables->table[MEMLAT_STACKS],
							   &shard->stack[cell[i]->stack - 1],
							   cell[i]);
	}
	memlat_batch_prefetch(tables, &batch);
	for (i = 0; i < cells;)
		i = memlat_threads_add(&tables->table[MEMLAT_THREADS], &batch, i,
				       memlat_shard_find_thread(shard, cell[i]->tgid,
								cell[i]->gen, cell[i]->tid));
	memlat_batch_add(tables, &batch, line);
}
