// SPDX-License-Identifier: GPL-2.0
/* Accesses: which thread used which bytes of a line, by which instruction. */
#include "tables.h"

/*
 * Members are as in struct memlat_rec_access. What most loads change comes first, in two cache
 * lines; the rest is for stores and for what few loads report.
 */
struct access {
	u64 addr;
	u64 ip;
	u32 tgid;
	u32 gen;
	u32 tid;
	u32 stack;
	u64 phys;
	u64 samples;
	u64 error;
	u64 weight;

	u64 cost;
	u64 latency_sum;
	u64 cpus;
	u64 nodes;
	u64 hitm;
	u64 latency_hitm;
	u64 rhitm;
	u32 latency_max;
	u16 rest;
	u16 pad;
};

struct access_rest {
	u64 latency_rhitm;
	u64 xsnp_fwd;
	u64 latency_xsnp_fwd;
	u64 stores;
	u64 store_l1_hit;
	u64 store_hitm;
	u64 store_xsnp_fwd;
};

static_assert(sizeof(struct access) == 128);
static_assert(offsetof(struct access, cost) == 64);

static struct access_rest *access_rest(struct access *access)
{
	return memlat_table_rest(access, &access->rest, sizeof(struct access_rest));
}

struct access_key {
	const struct memlat_cell *cell;
	u32 stack;
};

static bool memlat_accesses_kind_same(const void *record, const void *k)
{
	const struct access *access = record;
	const struct access_key *key = k;

	return access->addr == key->cell->addr && access->ip == key->cell->ip &&
	       access->tid == key->cell->tid && access->tgid == key->cell->tgid &&
	       access->gen == key->cell->gen && access->stack == key->stack &&
	       access->phys == key->cell->phys;
}

static void memlat_accesses_start(void *record)
{
	struct access *access = record;

	*access = (struct access) { .rest = access->rest & ~MEMLAT_TABLE_REST_USED };
}

static void memlat_accesses_read(const void *record, void *row)
{
	static const struct access_rest unused;
	const struct access *access = record;
	const struct access_rest *rest = memlat_table_rest_used(access, access->rest) ?: &unused;

	*(struct memlat_rec_access *)row = (struct memlat_rec_access) {
		.hdr = { MEMLAT_REC_ACCESS, sizeof(struct memlat_rec_access) },
		.addr = access->addr,
		.ip = access->ip,
		.tgid = access->tgid,
		.gen = access->gen,
		.tid = access->tid,
		.stack = access->stack,
		.samples = access->samples,
		.error = access->error,
		.stores = rest->stores,
		.store_l1_hit = rest->store_l1_hit,
		.hitm = access->hitm,
		.rhitm = access->rhitm,
		.latency_sum = access->latency_sum,
		.latency_hitm = access->latency_hitm,
		.latency_rhitm = rest->latency_rhitm,
		.latency_max = access->latency_max,
		.weight = access->weight,
		.cost = access->cost,
		.cpus = access->cpus,
		.nodes = access->nodes,
		.phys = access->phys,
		.xsnp_fwd = rest->xsnp_fwd,
		.latency_xsnp_fwd = rest->latency_xsnp_fwd,
		.store_hitm = rest->store_hitm,
		.store_xsnp_fwd = rest->store_xsnp_fwd,
	};
}

/* Snapshots have room for one row of lines. */
static_assert(sizeof(struct memlat_rec_access) <= sizeof(struct memlat_rec_line));

const struct memlat_table_kind memlat_accesses_kind = {
	.type = MEMLAT_REC_ACCESS,
	.size = sizeof(struct access),
	.rest = sizeof(struct access_rest),
	.rest_at = offsetof(struct access, rest),
	.row = sizeof(struct memlat_rec_access),
	.samples = offsetof(struct access, samples),
	.same = memlat_accesses_kind_same,
	.start = memlat_accesses_start,
	.read = memlat_accesses_read,
};

static void add_hitm(struct access *access, const struct memlat_cell *cell)
{
	if (unlikely(cell->flags & MEMLAT_CELL_XSNP_FWD)) {
		access_rest(access)->xsnp_fwd += cell->samples;
		access_rest(access)->latency_xsnp_fwd += cell->latency_sum;
	}
	switch (memlat_cell_source(cell)) {
	case MEMLAT_SRC_L3_HITM:
		access->hitm += cell->samples;
		access->latency_hitm += cell->latency_sum;
		break;
	case MEMLAT_SRC_RHITM:
		access->rhitm += cell->samples;
		access_rest(access)->latency_rhitm += cell->latency_sum;
		break;
	}
}

static u64 access_hash(const struct memlat_cell *cell, u32 stack)
{
	u64 hash = memlat_hash(memlat_hash(0, cell->addr), cell->ip);

	hash = memlat_hash(hash, (u64)cell->tid << 32 | cell->gen);
	return memlat_hash(hash, (u64)cell->tgid << 32 | stack);
}

/**
 * memlat_accesses_ask - prefetch the sets of cells' accesses
 * @accesses: a table with sets
 * @cell: cells, as if they had no call chain
 * @cells: number of cells
 * @ask: filled in, for memlat_table_ask_way() and the functions below
 */
void memlat_accesses_ask(const struct memlat_table *accesses,
			 const struct memlat_cell *const cell[], unsigned int cells,
			 struct memlat_table_ask ask[])
{
	unsigned int i;

	for (i = 0; i < cells; i++)
		memlat_table_ask(accesses, &ask[i], access_hash(cell[i], 0));
}

/**
 * memlat_accesses_ask_records - prefetch what memlat_accesses_add() will write
 * @ask: after memlat_table_ask_way()
 * @cells: number of cells
 */
void memlat_accesses_ask_records(struct memlat_table_ask ask[], unsigned int cells)
{
	unsigned int i;

	for (i = 0; i < cells; i++) {
		const struct access *access = memlat_table_ask_record(&ask[i]);

		if (!access)
			continue;
		__builtin_prefetch(access, 1);
		__builtin_prefetch(&access->cost, 1);
	}
}

static __always_inline void add_access(struct memlat_table *accesses,
				       const struct memlat_cell *cell,
				       const struct memlat_origin *origin,
				       const struct memlat_table_ask *ask)
{
	struct access_key key = { .cell = cell, .stack = origin->stack };
	struct access *access;

	if (ask)
		access = memlat_table_get_asked(accesses, &memlat_accesses_kind, ask, &key,
						cell->samples);
	else
		access = memlat_table_get(accesses, &memlat_accesses_kind,
					  access_hash(cell, origin->stack), &key, cell->samples);
	if (!access)
		return;
	if (!access->samples) {
		access->addr = cell->addr;
		access->ip = cell->ip;
		access->tgid = cell->tgid;
		access->gen = cell->gen;
		access->tid = cell->tid;
		access->stack = origin->stack;
		access->phys = cell->phys;
	}
	access->samples += cell->samples;
	access->weight += cell->weight;
	access->cost += origin->cost;
	access->cpus |= origin->cpu;
	access->nodes |= origin->node;
	if (memlat_cell_is_store(cell)) {
		struct access_rest *rest = access_rest(access);

		rest->stores += cell->samples;
		rest->store_l1_hit += memlat_cell_with(cell, MEMLAT_CELL_L1_HIT);
		rest->store_hitm += memlat_cell_store_hitm(cell);
		rest->store_xsnp_fwd += memlat_cell_with(cell, MEMLAT_CELL_XSNP_FWD);
	} else {
		access->latency_sum += cell->latency_sum;
		access->latency_max = cell->latency_max > access->latency_max ?
				      cell->latency_max : access->latency_max;
		add_hitm(access, cell);
	}
}

/**
 * memlat_accesses_add - add cells to their accesses
 * @accesses: the table
 * @cell: the cells
 * @cells: number of cells
 * @origin: where each came from
 * @ask: after memlat_accesses_ask_records(); NULL: nothing was prefetched
 */
void memlat_accesses_add(struct memlat_table *accesses, const struct memlat_cell *const cell[],
			 unsigned int cells, const struct memlat_origin origin[],
			 const struct memlat_table_ask ask[])
{
	unsigned int i;

	for (i = 0; i < cells; i++)
		add_access(accesses, cell[i], &origin[i],
			   ask && !origin[i].stack ? &ask[i] : NULL);
}
