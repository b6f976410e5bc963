// SPDX-License-Identifier: GPL-2.0
/* Accesses: which thread used which bytes of a line, by which instruction. */
#include "tables.h"

struct access_key {
	const struct memlat_cell *cell;
	u32 stack;
};

static bool memlat_accesses_kind_same(const void *record, const void *k)
{
	const struct memlat_rec_access *access = record;
	const struct access_key *key = k;

	return access->addr == key->cell->addr && access->ip == key->cell->ip &&
	       access->tid == key->cell->tid && access->tgid == key->cell->tgid &&
	       access->gen == key->cell->gen && access->stack == key->stack &&
	       access->phys == key->cell->phys;
}

MEMLAT_TABLE_KIND(memlat_accesses_kind, MEMLAT_REC_ACCESS, memlat_rec_access, samples);

static void add_hitm(struct memlat_rec_access *access, const struct memlat_cell *cell)
{
	if (unlikely(cell->flags & MEMLAT_CELL_XSNP_FWD)) {
		access->xsnp_fwd += cell->samples;
		access->latency_xsnp_fwd += cell->latency_sum;
	}
	switch (memlat_cell_source(cell)) {
	case MEMLAT_SRC_L3_HITM:
		access->hitm += cell->samples;
		access->latency_hitm += cell->latency_sum;
		break;
	case MEMLAT_SRC_RHITM:
		access->rhitm += cell->samples;
		access->latency_rhitm += cell->latency_sum;
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
 * memlat_accesses_ask - prefetch the set of a cell's access
 * @accesses: a table with sets
 * @cell: a cell of the access, without a call chain
 * @ask: filled in, for memlat_table_ask_way() and the functions below
 */
void memlat_accesses_ask(const struct memlat_table *accesses, const struct memlat_cell *cell,
			 struct memlat_table_ask *ask)
{
	memlat_table_ask(accesses, ask, access_hash(cell, 0));
}

/**
 * memlat_accesses_ask_record - prefetch what memlat_accesses_add() will write
 * @ask: after memlat_table_ask_way()
 */
void memlat_accesses_ask_record(const struct memlat_table_ask *ask)
{
	const struct memlat_rec_access *access = memlat_table_ask_record(ask);

	if (!access)
		return;
	__builtin_prefetch(access, 1);
	__builtin_prefetch(&access->latency_sum, 1);
	__builtin_prefetch(&access->phys, 1);
}

/**
 * memlat_accesses_add - add a cell to its access
 * @accesses: the table
 * @cell: the cell
 * @origin: where it came from
 * @ask: after memlat_table_ask_way(); NULL: nothing was prefetched, or there is a call chain
 */
void memlat_accesses_add(struct memlat_table *accesses, const struct memlat_cell *cell,
			 const struct memlat_origin *origin, const struct memlat_table_ask *ask)
{
	struct access_key key = { .cell = cell, .stack = origin->stack };
	struct memlat_rec_access *access;

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
	access->latency_sum += memlat_cell_latency(cell);
	memlat_raise(&access->latency_max, memlat_cell_latency_max(cell));
	access->cpus |= origin->cpu;
	access->nodes |= origin->node;
	if (memlat_cell_is_store(cell)) {
		access->stores += cell->samples;
		access->store_l1_hit += memlat_cell_with(cell, MEMLAT_CELL_L1_HIT);
		access->store_hitm += memlat_cell_store_hitm(cell);
		access->store_xsnp_fwd += memlat_cell_with(cell, MEMLAT_CELL_XSNP_FWD);
	} else {
		add_hitm(access, cell);
	}
}
