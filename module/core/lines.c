// SPDX-License-Identifier: GPL-2.0
/* Cache lines, which CPUs may fight over. */
#include "shard.h"
#include "tables.h"

/*
 * What few loads of a line change, and what only stores do. Stores and HITM loads each have their
 * own cache lines.
 */
struct line_rest {
	u64 hitm_nodes;
	u64 slot_hitm[MEMLAT_LINE_SLOTS];

	u64 bytes_stored;
	u64 store_cpus;
	u64 store_nodes;
	u64 store_l1_hit;
	u64 store_hitm;
	u64 store_xsnp_fwd;
	u64 store_latency_sum;
	u64 slot_store[MEMLAT_LINE_SLOTS];

	u64 locked;
	u64 blocked_data;
	u64 blocked_addr;
	u64 not_memory;
	u64 xsnp_fwd_latency;
	u64 slot_xsnp_fwd[MEMLAT_LINE_SLOTS];

	/* The high bits of counts. */
	u64 stlb_miss;
	u64 slot[MEMLAT_LINE_SLOTS];
	u64 latency[MEMLAT_SRC_NR];
	u64 source[MEMLAT_SRC_NR];
};

static_assert(sizeof(struct memlat_line) == 192);
static_assert(offsetof(struct memlat_line, weight) == 64);
static_assert(offsetof(struct memlat_line, slot) == 128);

static struct line_rest *memlat_line_rest(struct memlat_line *line)
{
	return memlat_table_rest(line, &line->rest, sizeof(struct line_rest));
}

/*
 * Add to the low bits of a count, which the line has. Returns what has to be added to the high
 * bits, which its rest has.
 */
static __always_inline u64 add_low8(u8 *low, u64 number)
{
	const u64 sum = *low + number;

	*low = sum;
	return sum >> 8;
}

static __always_inline u64 add_low16(u16 *low, u64 number)
{
	const u64 sum = *low + number;

	*low = sum;
	return sum >> 16;
}

/*
 * The key is a cell. If physical lines are known, compare only these, so that processes share a
 * line's record.
 */
static bool memlat_lines_same(const void *record, const void *key)
{
	const struct memlat_line *line = record;
	const struct memlat_cell *cell = key;
	const u64 phys = memlat_line_of(cell->phys);

	if (unlikely(line->phys | phys))
		return line->phys == phys;
	return line->addr == memlat_line_of(cell->addr) && line->space == memlat_cell_space(cell);
}

static void memlat_lines_start(void *record)
{
	struct memlat_line *line = record;

	*line = (struct memlat_line) {
		.home = MEMLAT_LINE_HOME_UNKNOWN,
		.rest = line->rest & ~MEMLAT_TABLE_REST_USED,
	};
}

static u64 sum_of(const u64 *number, unsigned int numbers)
{
	u64 sum = 0;

	while (numbers--)
		sum += number[numbers];
	return sum;
}

static void memlat_lines_read(const void *record, void *to)
{
	static const struct line_rest unused;
	const struct memlat_line *line = record;
	const struct line_rest *rest = memlat_table_rest_used(line, line->rest) ?: &unused;
	struct memlat_rec_line *row = to;
	unsigned int i;

	row->hdr = (struct memlat_rec_header) { MEMLAT_REC_LINE, sizeof(*row) };
	row->addr = line->addr;
	row->space = line->space >> 32;
	row->gen = (u32)line->space;
	row->samples = line->samples;
	row->error = line->error;
	row->latency_max = line->latency_max;
	row->locked = rest->locked;
	row->stlb_miss = rest->stlb_miss << 16 | line->stlb_miss;
	for (i = 0; i < MEMLAT_SRC_NR; i++) {
		row->source[i] = rest->source[i] << 8 | line->source[i];
		row->latency[i] = rest->latency[i] << 16 | line->latency[i];
	}
	for (i = 0; i < MEMLAT_LINE_SLOTS; i++)
		row->slot[i] = rest->slot[i] << 16 | line->slot[i];
	memcpy(row->slot_hitm, rest->slot_hitm, sizeof(row->slot_hitm));
	row->cpus = line->cpus;
	row->nodes = line->nodes;
	row->hitm_nodes = rest->hitm_nodes;
	row->ip = line->ip;
	memcpy(row->comm, line->comm, sizeof(row->comm));
	row->reserved2 = 0;
	row->phys = line->phys;
	row->home = line->home == MEMLAT_LINE_HOME_UNKNOWN ? MEMLAT_NODE_UNKNOWN : line->home;
	row->shared = line->shared;
	row->store_l1_hit = rest->store_l1_hit;
	row->weight = line->weight;
	row->cost = line->cost;
	memcpy(row->slot_store, rest->slot_store, sizeof(row->slot_store));
	row->bytes_loaded = line->bytes_loaded;
	row->bytes_stored = rest->bytes_stored;
	row->store_cpus = rest->store_cpus;
	row->store_nodes = rest->store_nodes;
	row->blocked_data = rest->blocked_data;
	row->blocked_addr = rest->blocked_addr;
	row->xsnp_fwd_latency = rest->xsnp_fwd_latency;
	memcpy(row->slot_xsnp_fwd, rest->slot_xsnp_fwd, sizeof(row->slot_xsnp_fwd));
	row->not_memory = rest->not_memory;
	row->store_hitm = rest->store_hitm;
	row->store_xsnp_fwd = rest->store_xsnp_fwd;
	row->store_latency_sum = rest->store_latency_sum;
	/* Each of these is the sum of others. */
	row->latency_sum = sum_of(row->latency, MEMLAT_SRC_NR);
	row->stores = sum_of(row->slot_store, MEMLAT_LINE_SLOTS);
	row->xsnp_fwd = sum_of(row->slot_xsnp_fwd, MEMLAT_LINE_SLOTS);
}

static_assert(sizeof(struct memlat_rec_line) <= MEMLAT_TABLE_RECORD_MAX);

const struct memlat_table_kind memlat_lines_kind = {
	.type = MEMLAT_REC_LINE,
	.size = sizeof(struct memlat_line),
	.rest = sizeof(struct line_rest),
	.rest_at = offsetof(struct memlat_line, rest),
	.row = sizeof(struct memlat_rec_line),
	.samples = offsetof(struct memlat_line, samples),
	.same = memlat_lines_same,
	.start = memlat_lines_start,
	.read = memlat_lines_read,
};

/* What few loads have. Each of these counts is in another cache line, so do not add 0. */
static void add_seldom(struct memlat_line *line, const struct memlat_cell *cell, u64 node,
		       unsigned int slot)
{
	struct line_rest *rest = memlat_line_rest(line);

	if (cell->flags & MEMLAT_CELL_NOT_MEMORY)
		rest->not_memory += cell->samples;
	if (cell->flags & MEMLAT_CELL_XSNP_FWD) {
		rest->xsnp_fwd_latency += cell->latency_sum;
		rest->slot_xsnp_fwd[slot] += cell->samples;
	}
	if (memlat_source_is_hitm(memlat_cell_source(cell))) {
		line->hitm += cell->samples;
		rest->slot_hitm[slot] += cell->samples;
		rest->hitm_nodes |= node;
	}
}

static __always_inline void add_load(struct memlat_line *line, const struct memlat_cell *cell,
				     u64 node, unsigned int byte)
{
	const unsigned int source = memlat_cell_source(cell), slot = byte / 8;
	const u64 samples = cell->samples, latency_max = cell->latency_max;
	const u8 flags = cell->flags;
	u64 sources, latency, slots;

	line->latency_max = latency_max > line->latency_max ? latency_max : line->latency_max;
	line->bytes_loaded |= 1ULL << byte;
	sources = add_low8(&line->source[source], samples);
	latency = add_low16(&line->latency[source], cell->latency_sum);
	slots = add_low16(&line->slot[slot], samples);
	if (unlikely(sources | latency | slots)) {
		struct line_rest *rest = memlat_line_rest(line);

		rest->source[source] += sources;
		rest->latency[source] += latency;
		rest->slot[slot] += slots;
	}
	if (unlikely(flags & (MEMLAT_CELL_NOT_MEMORY | MEMLAT_CELL_XSNP_FWD)) ||
	    memlat_source_is_hitm(source))
		add_seldom(line, cell, node, slot);
}

static void add_store(struct line_rest *rest, const struct memlat_cell *cell, u64 cpu, u64 node,
		      unsigned int byte)
{
	rest->store_l1_hit += memlat_cell_with(cell, MEMLAT_CELL_L1_HIT);
	rest->store_hitm += memlat_cell_store_hitm(cell);
	rest->store_xsnp_fwd += memlat_cell_with(cell, MEMLAT_CELL_XSNP_FWD);
	rest->store_latency_sum += cell->latency_sum;
	rest->slot_store[byte / 8] += cell->samples;
	rest->bytes_stored |= 1ULL << byte;
	rest->store_cpus |= cpu;
	rest->store_nodes |= node;
}

static __always_inline void line_add(struct memlat_line *line, const struct memlat_batch *batch,
				     unsigned int i)
{
	const struct memlat_cell *cell = batch->cell[i];
	const unsigned int byte = cell->addr % MEMLAT_LINE_BYTES;
	const u64 cpu = batch->cpu, node = batch->node;
	const u8 flags = cell->flags;
	u64 high;

	line->samples += cell->samples;
	line->weight += cell->weight;
	line->cost += batch->cost[i];
	line->cpus |= cpu;
	line->nodes |= node;
	line->ip = cell->ip;
	if (batch->who[i])
		memcpy(line->comm, batch->who[i]->process, sizeof(line->comm));
	high = add_low16(&line->stlb_miss, memlat_cell_with(cell, MEMLAT_CELL_STLB_MISS));
	if (unlikely(high))
		memlat_line_rest(line)->stlb_miss += high;
	if (unlikely(flags & MEMLAT_CELL_SELDOM)) {
		struct line_rest *rest = memlat_line_rest(line);

		rest->locked += memlat_cell_with(cell, MEMLAT_CELL_LOCKED);
		rest->blocked_data += memlat_cell_with(cell, MEMLAT_CELL_BLOCKED_DATA);
		rest->blocked_addr += memlat_cell_with(cell, MEMLAT_CELL_BLOCKED_ADDR);
	}
	if (flags & MEMLAT_CELL_STORE)
		add_store(memlat_line_rest(line), cell, cpu, node, byte);
	else
		add_load(line, cell, node, byte);
}

/* Processes may share a physical line; it then has the address of the last one. */
static void line_name(struct memlat_line *line, const struct memlat_cell *cell)
{
	const u64 space = memlat_cell_space(cell);

	line->shared |= line->samples && line->space != space;
	line->phys = memlat_line_of(cell->phys);
	line->addr = memlat_line_of(cell->addr);
	line->space = space;
}

/**
 * memlat_lines_prefetch - prefetch what HITM loads change of their lines besides
 * @batch: the cells; memlat_table_find() was called for the places of their lines
 */
void memlat_lines_prefetch(const struct memlat_batch *batch)
{
	unsigned int i;

	for (i = 0; i < batch->cells; i++) {
		const struct memlat_line *line = batch->line[i].record;
		const void *rest = line;

		if (unlikely(!line))
			continue;
		/* Add 0 for others instead of a branch, which nobody could predict. */
		rest += line->rest &
			-(u32)memlat_source_is_hitm(memlat_cell_source(batch->cell[i]));
		__builtin_prefetch(rest, 1);
		__builtin_prefetch(rest + sizeof(u64) * MEMLAT_LINE_SLOTS, 1);
	}
}

/**
 * memlat_lines_add - add cells to their lines
 * @lines: the table
 * @top: the hottest lines; NULL: not wanted
 * @batch: the cells; memlat_table_find() was called for the places of their lines
 * @line: set to the line of each cell; NULL if there was no room for it
 */
void memlat_lines_add(struct memlat_table *lines, struct memlat_top *top,
		      struct memlat_batch *batch, struct memlat_line *line[])
{
	unsigned int i;

	for (i = 0; i < batch->cells; i++) {
		const struct memlat_cell *cell = batch->cell[i];
		struct memlat_line *to;

		to = memlat_table_get(lines, &memlat_lines_kind, batch->line_hash[i], cell,
				      cell->samples, &batch->line[i]);
		line[i] = to;
		if (!to)
			continue;
		/* A new line with an error replaced an evicted one. */
		if (unlikely(!to->samples && to->error && top))
			memlat_top_drop(top, to);
		if (unlikely(!to->samples || cell->phys))
			line_name(to, cell);
		line_add(to, batch, i);
		if (top)
			memlat_top_update(top, to);
	}
}
