// SPDX-License-Identifier: GPL-2.0
/* Cache lines, which CPUs may fight over. */
#include "shard.h"
#include "tables.h"

struct key {
	u64 addr;
	u64 phys;
	u32 space;
	u32 gen;
};

static struct key key_of(const struct memlat_cell *cell)
{
	bool kernel = memlat_is_kernel(cell->addr);

	return (struct key) {
		.addr = cell->addr & ~(u64)(MEMLAT_LINE_BYTES - 1),
		.phys = cell->phys & ~(u64)(MEMLAT_LINE_BYTES - 1),
		.space = kernel ? 0 : cell->tgid,
		.gen = kernel ? 0 : cell->gen,
	};
}

static bool in_space(const struct memlat_rec_line *line, const struct key *key)
{
	return line->space == key->space && line->gen == key->gen;
}

/* If physical lines are known, compare only these, so that processes share a line's record. */
static bool memlat_lines_kind_same(const void *record, const void *k)
{
	const struct memlat_rec_line *line = record;
	const struct key *key = k;

	if (line->phys || key->phys)
		return line->phys == key->phys;
	return line->addr == key->addr && in_space(line, key);
}

static u64 hash_of(const struct key *key)
{
	if (key->phys)
		return memlat_hash(1, key->phys);
	return memlat_hash(memlat_hash(0, key->addr), (u64)key->space << 32 | key->gen);
}

MEMLAT_TABLE_KIND(memlat_lines_kind, MEMLAT_REC_LINE, memlat_rec_line, samples,
		  .home = MEMLAT_NODE_UNKNOWN);

/**
 * memlat_lines_ask - prefetch the set of a cell's line
 * @lines: a table with sets
 * @cell: a cell of the line
 * @ask: filled in, for memlat_table_ask_way() and the functions below
 */
void memlat_lines_ask(const struct memlat_table *lines, const struct memlat_cell *cell,
		      struct memlat_table_ask *ask)
{
	struct key key = key_of(cell);

	memlat_table_ask(lines, ask, hash_of(&key));
}

/**
 * memlat_lines_ask_record - prefetch what memlat_line_add() will write
 * @ask: after memlat_table_ask_way()
 * @cell: the cell
 */
void memlat_lines_ask_record(const struct memlat_table_ask *ask, const struct memlat_cell *cell)
{
	const struct memlat_rec_line *line = memlat_table_ask_record(ask);
	const unsigned int source = memlat_cell_source(cell);

	if (!line)
		return;
	__builtin_prefetch(line, 1);
	__builtin_prefetch(&line->stlb_miss, 1);
	__builtin_prefetch(&line->source[source], 1);
	__builtin_prefetch(line->slot, 1);
	__builtin_prefetch(&line->cpus, 1);
	__builtin_prefetch(&line->phys, 1);
	__builtin_prefetch(&line->latency[source], 1);
	__builtin_prefetch(&line->bytes_loaded, 1);
}

static __always_inline struct memlat_rec_line *found(struct memlat_rec_line *line,
						     const struct key *key)
{
	if (!line)
		return NULL;
	if (!line->samples)
		line->phys = key->phys;
	else if (!in_space(line, key))
		line->shared = 1;
	line->addr = key->addr;
	line->space = key->space;
	line->gen = key->gen;
	return line;
}

/**
 * memlat_lines_get_asked - as memlat_lines_get(), for a prefetched line
 * @lines: the table
 * @cell: the cell
 * @ask: after memlat_table_ask_way()
 */
struct memlat_rec_line *memlat_lines_get_asked(struct memlat_table *lines,
					       const struct memlat_cell *cell,
					       const struct memlat_table_ask *ask)
{
	struct key key = key_of(cell);

	return found(memlat_table_get_asked(lines, &memlat_lines_kind, ask, &key, cell->samples),
		     &key);
}

/**
 * memlat_lines_get - the line of a cell
 * @lines: the table
 * @cell: the cell
 *
 * Return: the line, for memlat_line_add(); NULL if there is no room for it.
 */
struct memlat_rec_line *memlat_lines_get(struct memlat_table *lines,
					 const struct memlat_cell *cell)
{
	struct key key = key_of(cell);

	return found(memlat_table_get(lines, &memlat_lines_kind, hash_of(&key), &key,
				      cell->samples), &key);
}

static void add_load(struct memlat_rec_line *line, const struct memlat_cell *cell,
		     const struct memlat_origin *origin, unsigned int byte)
{
	unsigned int source = memlat_cell_source(cell);

	line->source[source] += cell->samples;
	line->latency[source] += cell->latency_sum;
	line->slot[byte / 8] += cell->samples;
	line->bytes_loaded |= 1ULL << byte;
	/* Branch instead of adding 0: each of these counts is in another cache line. */
	if (unlikely(cell->flags & MEMLAT_CELL_NOT_MEMORY))
		line->not_memory += cell->samples;
	if (unlikely(cell->flags & MEMLAT_CELL_XSNP_FWD)) {
		line->xsnp_fwd += cell->samples;
		line->xsnp_fwd_latency += cell->latency_sum;
		line->slot_xsnp_fwd[byte / 8] += cell->samples;
	}
	if (memlat_cell_hitm(cell)) {
		line->slot_hitm[byte / 8] += cell->samples;
		line->hitm_nodes |= origin->node;
	}
}

static void add_store(struct memlat_rec_line *line, const struct memlat_cell *cell,
		      const struct memlat_origin *origin, unsigned int byte)
{
	line->stores += cell->samples;
	line->store_l1_hit += memlat_cell_with(cell, MEMLAT_CELL_L1_HIT);
	line->store_hitm += memlat_cell_store_hitm(cell);
	line->store_xsnp_fwd += memlat_cell_with(cell, MEMLAT_CELL_XSNP_FWD);
	line->store_latency_sum += cell->latency_sum;
	line->slot_store[byte / 8] += cell->samples;
	line->bytes_stored |= 1ULL << byte;
	line->store_cpus |= origin->cpu;
	line->store_nodes |= origin->node;
}

/**
 * memlat_line_add - add a cell to its line
 * @line: from memlat_lines_get()
 * @cell: the cell
 * @origin: its CPU, node, cost and names
 */
void memlat_line_add(struct memlat_rec_line *line, const struct memlat_cell *cell,
		     const struct memlat_origin *origin)
{
	unsigned int byte = cell->addr % MEMLAT_LINE_BYTES;

	line->samples += cell->samples;
	line->weight += cell->weight;
	line->cost += origin->cost;
	line->latency_sum += memlat_cell_latency(cell);
	memlat_raise(&line->latency_max, memlat_cell_latency_max(cell));
	line->stlb_miss += memlat_cell_with(cell, MEMLAT_CELL_STLB_MISS);
	if (unlikely(cell->flags & MEMLAT_CELL_SELDOM)) {
		line->locked += memlat_cell_with(cell, MEMLAT_CELL_LOCKED);
		line->blocked_data += memlat_cell_with(cell, MEMLAT_CELL_BLOCKED_DATA);
		line->blocked_addr += memlat_cell_with(cell, MEMLAT_CELL_BLOCKED_ADDR);
	}
	line->cpus |= origin->cpu;
	line->nodes |= origin->node;
	line->ip = cell->ip;
	if (memlat_cell_is_store(cell))
		add_store(line, cell, origin, byte);
	else
		add_load(line, cell, origin, byte);
	if (origin->who)
		memcpy(line->comm, origin->who->process, sizeof(line->comm));
}
