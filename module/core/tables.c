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
 * struct ask - where the records of a batch may be
 * @line: the lines
 * @access: the accesses
 */
struct ask {
	struct memlat_table_ask line[MEMLAT_TABLES_BATCH];
	struct memlat_table_ask access[MEMLAT_TABLES_BATCH];
};

static void ask_for(const struct memlat_table *table, const struct memlat_cell *const cell[],
		    unsigned int cells, struct ask *ask)
{
	unsigned int i;

	memlat_lines_ask(&table[MEMLAT_LINES], cell, cells, ask->line);
	memlat_accesses_ask(&table[MEMLAT_ACCESSES], cell, cells, ask->access);
	for (i = 0; i < cells; i++) {
		memlat_table_ask_way(&ask->line[i]);
		memlat_table_ask_way(&ask->access[i]);
	}
	memlat_lines_ask_records(ask->line, cells);
	memlat_accesses_ask_records(ask->access, cells);
}

/**
 * memlat_tables_add - add cells of a shard to all tables
 * @tables: the tables
 * @shard: the shard, which no CPU writes
 * @cell: some of its cells
 * @cells: number of cells, 1 … MEMLAT_TABLES_BATCH
 * @cpu: the shard's CPU
 * @node: that CPU's node
 * @line: set to the line of each cell; NULL if there was no room for it. A later cell's line may
 *	have taken the place of an earlier one
 */
void memlat_tables_add(struct memlat_tables *tables, const struct memlat_shard *shard,
		       const struct memlat_cell *const cell[], unsigned int cells,
		       unsigned int cpu, unsigned int node, struct memlat_line *line[])
{
	struct memlat_table *table = tables->table;
	struct memlat_thread_sum thread = { NULL };
	struct memlat_origin origin[MEMLAT_TABLES_BATCH], at = {
		.cpu = 1ULL << cpu % 64,
		.node = 1ULL << node % 64,
	};
	const bool asked = table[MEMLAT_LINES].sets && table[MEMLAT_ACCESSES].sets;
	struct ask ask;
	unsigned int i;

	if (asked)
		ask_for(table, cell, cells, &ask);
	for (i = 0; i < cells; i++) {
		if (!memlat_thread_sum_is(&thread, cell[i])) {
			if (i)
				memlat_threads_add(&table[MEMLAT_THREADS], &thread, &at);
			thread = (struct memlat_thread_sum) { NULL };
			at.who = memlat_shard_find_thread(shard, cell[i]->tgid, cell[i]->gen,
							  cell[i]->tid);
		}
		at.cost = memlat_tables_cost(cell[i]);
		at.stack = 0;
		if (cell[i]->stack)
			at.stack = memlat_stacks_add(&table[MEMLAT_STACKS],
						     &shard->stack[cell[i]->stack - 1], cell[i],
						     &at);
		memlat_thread_sum_add(&thread, cell[i], at.cost);
		origin[i] = at;
	}
	memlat_threads_add(&table[MEMLAT_THREADS], &thread, &at);
	/* One table after the other, so that each has its values in registers. */
	memlat_sites_add(&table[MEMLAT_SITES], cell, cells, origin);
	memlat_accesses_add(&table[MEMLAT_ACCESSES], cell, cells, origin,
			    asked ? ask.access : NULL);
	memlat_lines_add(&table[MEMLAT_LINES], &tables->top, cell, cells, origin,
			 asked ? ask.line : NULL, line);
}
