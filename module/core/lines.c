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

static struct line_rest *rest_of(struct memlat_line *line)
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

static bool in_space(const struct memlat_line *line, const struct key *key)
{
	return line->space == key->space && line->gen == key->gen;
}

/* If physical lines are known, compare only these, so that processes share a line's record. */
static bool memlat_lines_kind_same(const void *record, const void *k)
{
	const struct memlat_line *line = record;
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
	row->space = line->space;
	row->gen = line->gen;
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
	.same = memlat_lines_kind_same,
	.start = memlat_lines_start,
	.read = memlat_lines_read,
};

/**
 * memlat_lines_ask - prefetch the sets of cells' lines
 * @lines: a table with sets
 * @cell: cells
 * @cells: number of cells
 * @ask: filled in, for memlat_table_ask_way() and the functions below
 */
void memlat_lines_ask(const struct memlat_table *lines, const struct memlat_cell *const cell[],
		      unsigned int cells, struct memlat_table_ask ask[])
{
	unsigned int i;

	for (i = 0; i < cells; i++) {
		struct key key = key_of(cell[i]);

		memlat_table_ask(lines, &ask[i], hash_of(&key));
	}
}

/**
 * memlat_lines_ask_records - prefetch what memlat_lines_add() will write
 * @ask: after memlat_table_ask_way()
 * @cells: number of cells
 */
void memlat_lines_ask_records(struct memlat_table_ask ask[], unsigned int cells)
{
	unsigned int i;

	for (i = 0; i < cells; i++) {
		const struct memlat_line *line = memlat_table_ask_record(&ask[i]);

		if (!line)
			continue;
		__builtin_prefetch(line, 1);
		__builtin_prefetch(&line->weight, 1);
		__builtin_prefetch(line->slot, 1);
	}
}

static __always_inline struct memlat_line *line_of(struct memlat_table *lines,
						   const struct memlat_cell *cell,
						   const struct memlat_table_ask *ask)
{
	const struct key key = key_of(cell);
	struct memlat_line *line;

	line = ask ? memlat_table_get_asked(lines, &memlat_lines_kind, ask, &key, cell->samples) :
		     memlat_table_get(lines, &memlat_lines_kind, hash_of(&key), &key,
				      cell->samples);
	if (!line)
		return NULL;
	if (!line->samples)
		line->phys = key.phys;
	else if (!in_space(line, &key))
		line->shared = 1;
	line->addr = key.addr;
	line->space = key.space;
	line->gen = key.gen;
	return line;
}

static __always_inline void add_load(struct memlat_line *line, const struct memlat_cell *cell,
				     const struct memlat_origin *origin, unsigned int byte)
{
	unsigned int source = memlat_cell_source(cell);
	struct line_rest *rest;
	u64 high;

	line->latency_max = cell->latency_max > line->latency_max ? cell->latency_max :
								    line->latency_max;
	line->bytes_loaded |= 1ULL << byte;
	high = add_low8(&line->source[source], cell->samples);
	if (unlikely(high))
		rest_of(line)->source[source] += high;
	high = add_low16(&line->latency[source], cell->latency_sum);
	if (unlikely(high))
		rest_of(line)->latency[source] += high;
	high = add_low16(&line->slot[byte / 8], cell->samples);
	if (unlikely(high))
		rest_of(line)->slot[byte / 8] += high;
	/* Branch instead of adding 0: each of these counts is in another cache line. */
	if (unlikely(cell->flags & MEMLAT_CELL_NOT_MEMORY))
		rest_of(line)->not_memory += cell->samples;
	if (unlikely(cell->flags & MEMLAT_CELL_XSNP_FWD)) {
		rest = rest_of(line);
		rest->xsnp_fwd_latency += cell->latency_sum;
		rest->slot_xsnp_fwd[byte / 8] += cell->samples;
	}
	if (memlat_source_is_hitm(source)) {
		line->hitm += cell->samples;
		rest = rest_of(line);
		rest->slot_hitm[byte / 8] += cell->samples;
		rest->hitm_nodes |= origin->node;
	}
}

static void add_store(struct line_rest *rest, const struct memlat_cell *cell,
		      const struct memlat_origin *origin, unsigned int byte)
{
	rest->store_l1_hit += memlat_cell_with(cell, MEMLAT_CELL_L1_HIT);
	rest->store_hitm += memlat_cell_store_hitm(cell);
	rest->store_xsnp_fwd += memlat_cell_with(cell, MEMLAT_CELL_XSNP_FWD);
	rest->store_latency_sum += cell->latency_sum;
	rest->slot_store[byte / 8] += cell->samples;
	rest->bytes_stored |= 1ULL << byte;
	rest->store_cpus |= origin->cpu;
	rest->store_nodes |= origin->node;
}

static __always_inline void line_add(struct memlat_line *line, const struct memlat_cell *cell,
				     const struct memlat_origin *origin)
{
	unsigned int byte = cell->addr % MEMLAT_LINE_BYTES;
	u64 high;

	line->samples += cell->samples;
	line->weight += cell->weight;
	line->cost += origin->cost;
	high = add_low16(&line->stlb_miss, memlat_cell_with(cell, MEMLAT_CELL_STLB_MISS));
	if (unlikely(high))
		rest_of(line)->stlb_miss += high;
	if (unlikely(cell->flags & MEMLAT_CELL_SELDOM)) {
		struct line_rest *rest = rest_of(line);

		rest->locked += memlat_cell_with(cell, MEMLAT_CELL_LOCKED);
		rest->blocked_data += memlat_cell_with(cell, MEMLAT_CELL_BLOCKED_DATA);
		rest->blocked_addr += memlat_cell_with(cell, MEMLAT_CELL_BLOCKED_ADDR);
	}
	line->cpus |= origin->cpu;
	line->nodes |= origin->node;
	line->ip = cell->ip;
	if (memlat_cell_is_store(cell))
		add_store(rest_of(line), cell, origin, byte);
	else
		add_load(line, cell, origin, byte);
	if (origin->who)
		memcpy(line->comm, origin->who->process, sizeof(line->comm));
}

/**
 * memlat_lines_add - add cells to their lines
 * @lines: the table
 * @top: the hottest lines; NULL: not wanted
 * @cell: the cells
 * @cells: number of cells
 * @origin: where each came from
 * @ask: after memlat_lines_ask_records(); NULL: nothing was prefetched
 * @line: set to the line of each cell; NULL if there was no room for it
 */
void memlat_lines_add(struct memlat_table *lines, struct memlat_top *top,
		      const struct memlat_cell *const cell[], unsigned int cells,
		      const struct memlat_origin origin[], const struct memlat_table_ask ask[],
		      struct memlat_line *line[])
{
	unsigned int i;

	for (i = 0; i < cells; i++) {
		line[i] = line_of(lines, cell[i], ask ? &ask[i] : NULL);
		if (!line[i])
			continue;
		/* A new line with an error replaced an evicted one. */
		if (unlikely(!line[i]->samples && line[i]->error && top))
			memlat_top_drop(top, line[i]);
		line_add(line[i], cell[i], &origin[i]);
		if (top)
			memlat_top_update(top, line[i]);
	}
}
