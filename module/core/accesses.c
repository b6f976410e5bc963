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
	u64 thread;	/* @tgid, and in the high half @tid */
	u32 gen;
	u32 stack;
	u64 phys;
	u64 samples;
	u64 error;
	u64 weight;

	u64 cost;
	u64 latency_sum;
	u64 cpus;
	u64 nodes;
	u64 hitm_local;
	u64 latency_hitm_local;
	u64 hitm_remote;
	u32 latency_max;
	u16 rest;
	u16 pad;
};

struct access_rest {
	u64 latency_hitm_remote;
	u64 xsnp_fwd;
	u64 latency_xsnp_fwd;
	u64 stores;
	u64 store_l1_hit;
	u64 store_hitm;
	u64 store_xsnp_fwd;
};

static_assert(sizeof(struct access) == MEMLAT_ACCESS_BYTES);
static_assert(offsetof(struct access, cost) == 64);

static struct access_rest *memlat_access_rest(struct access *access)
{
	return memlat_table_rest(access, &access->rest, sizeof(struct access_rest));
}

struct access_key {
	const struct memlat_cell *cell;
	u32 stack;
};

static u64 memlat_cell_thread(const struct memlat_cell *cell)
{
	return memlat_cell_word(cell, offsetof(struct memlat_cell, tgid));
}

static bool memlat_accesses_same(const void *record, const void *k)
{
	const struct access_key *key = k;
	const struct memlat_cell *cell = key->cell;
	const struct access *access = record;

	return access->addr == cell->addr && access->ip == cell->ip &&
	       access->thread == memlat_cell_thread(cell) && access->gen == cell->gen &&
	       access->stack == key->stack && access->phys == cell->phys;
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
		.tgid = (u32)access->thread,
		.gen = access->gen,
		.tid = access->thread >> 32,
		.stack = access->stack,
		.samples = access->samples,
		.error = access->error,
		.stores = rest->stores,
		.store_l1_hit = rest->store_l1_hit,
		.hitm_local = access->hitm_local,
		.hitm_remote = access->hitm_remote,
		.latency_sum = access->latency_sum,
		.latency_hitm_local = access->latency_hitm_local,
		.latency_hitm_remote = rest->latency_hitm_remote,
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
	.same = memlat_accesses_same,
	.start = memlat_accesses_start,
	.read = memlat_accesses_read,
};

static __always_inline void add_load(struct access *access, const struct memlat_cell *cell)
{
	const u64 samples = cell->samples, latency = cell->latency_sum;
	const u32 latency_max = cell->latency_max;
	const unsigned int source = memlat_cell_source(cell);
	/* Nobody can predict this, so it is no branch. */
	const u64 hitm = -(u64)(source == MEMLAT_SRC_L3_HITM);

	access->latency_sum += latency;
	access->latency_max = latency_max > access->latency_max ? latency_max :
								 access->latency_max;
	access->hitm_local += samples & hitm;
	access->latency_hitm_local += latency & hitm;
	if (unlikely(source == MEMLAT_SRC_RHITM)) {
		access->hitm_remote += samples;
		memlat_access_rest(access)->latency_hitm_remote += latency;
	}
	if (unlikely(cell->flags & MEMLAT_CELL_XSNP_FWD)) {
		memlat_access_rest(access)->xsnp_fwd += samples;
		memlat_access_rest(access)->latency_xsnp_fwd += latency;
	}
}

static void add_store(struct access_rest *rest, const struct memlat_cell *cell)
{
	rest->stores += cell->samples;
	rest->store_l1_hit += memlat_cell_with(cell, MEMLAT_CELL_L1_HIT);
	rest->store_hitm += memlat_cell_store_hitm(cell);
	rest->store_xsnp_fwd += memlat_cell_with(cell, MEMLAT_CELL_XSNP_FWD);
}

static __always_inline void add_access(struct memlat_table *accesses, struct memlat_batch *batch,
				       unsigned int i)
{
	const struct memlat_cell *cell = batch->cell[i];
	const struct access_key key = { cell, batch->stack[i] };
	const u64 samples = cell->samples;
	struct access *access;

	access = memlat_table_get(accesses, &memlat_accesses_kind, batch->access_hash[i], &key,
				  samples, &batch->access[i]);
	if (!access)
		return;
	if (unlikely(!access->samples)) {
		access->addr = cell->addr;
		access->ip = cell->ip;
		access->thread = memlat_cell_thread(cell);
		access->gen = cell->gen;
		access->stack = key.stack;
		access->phys = cell->phys;
	}
	access->samples += samples;
	access->weight += cell->weight;
	access->cost += batch->cost[i];
	access->cpus |= batch->cpu;
	access->nodes |= batch->node;
	if (memlat_cell_is_store(cell))
		add_store(memlat_access_rest(access), cell);
	else
		add_load(access, cell);
}

/**
 * memlat_accesses_add - add cells to their accesses
 * @accesses: the table
 * @batch: the cells; memlat_table_find() was called for the places of their accesses
 */
void memlat_accesses_add(struct memlat_table *accesses, struct memlat_batch *batch)
{
	unsigned int i;

	for (i = 0; i < batch->cells; i++)
		add_access(accesses, batch, i);
}
