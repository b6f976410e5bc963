// SPDX-License-Identifier: GPL-2.0
/* Sites: instructions that access memory. */
#include "hash.h"
#include "sites.h"

struct key {
	u64 ip;
	u32 space;
	u32 gen;
};

static bool memlat_sites_kind_same(const void *record, const void *k)
{
	const struct memlat_rec_site *site = record;
	const struct key *key = k;

	return site->ip == key->ip && site->space == key->space && site->gen == key->gen;
}

MEMLAT_TABLE_KIND(memlat_sites_kind, MEMLAT_REC_SITE, memlat_rec_site, samples);

/**
 * memlat_sites_add - add a cell to its site
 * @sites: the table
 * @cell: the cell
 * @origin: where it came from
 */
void memlat_sites_add(struct memlat_table *sites, const struct memlat_cell *cell,
		      const struct memlat_origin *origin)
{
	bool kernel = memlat_is_kernel(cell->ip);
	struct key key = {
		.ip = cell->ip,
		.space = kernel ? 0 : cell->tgid,
		.gen = kernel ? 0 : cell->gen,
	};
	u64 hash = memlat_hash(memlat_hash(0, key.ip), (u64)key.space << 32 | key.gen);
	unsigned int source = memlat_cell_source(cell);
	struct memlat_rec_site *site;

	site = memlat_table_get(sites, &memlat_sites_kind, hash, &key, cell->samples);
	if (!site)
		return;
	if (!site->samples) {
		site->ip = key.ip;
		site->space = key.space;
		site->gen = key.gen;
		site->addr_min = cell->addr;
	}
	if (cell->addr < site->addr_min)
		site->addr_min = cell->addr;
	memlat_raise(&site->addr_max, cell->addr);

	site->samples += cell->samples;
	site->weight += cell->weight;
	site->cost += origin->cost;
	site->latency_sum += memlat_cell_latency(cell);
	memlat_raise(&site->latency_max, memlat_cell_latency_max(cell));
	site->stlb_miss += memlat_cell_with(cell, MEMLAT_CELL_STLB_MISS);
	if (unlikely(cell->flags & MEMLAT_CELL_SELDOM)) {
		site->locked += memlat_cell_with(cell, MEMLAT_CELL_LOCKED);
		site->blocked_data += memlat_cell_with(cell, MEMLAT_CELL_BLOCKED_DATA);
		site->blocked_addr += memlat_cell_with(cell, MEMLAT_CELL_BLOCKED_ADDR);
	}
	site->cpus |= origin->cpu;
	site->nodes |= origin->node;
	if (memlat_cell_is_store(cell)) {
		site->stores += cell->samples;
		site->store_l1_hit += memlat_cell_with(cell, MEMLAT_CELL_L1_HIT);
		site->store_hitm += memlat_cell_store_hitm(cell);
		site->store_xsnp_fwd += memlat_cell_with(cell, MEMLAT_CELL_XSNP_FWD);
		site->store_latency_sum += cell->latency_sum;
	} else {
		site->bucket[memlat_cell_bucket(cell)] += cell->samples;
		site->source[source] += cell->samples;
		site->latency[source] += cell->latency_sum;
		site->xsnp_fwd += memlat_cell_with(cell, MEMLAT_CELL_XSNP_FWD);
		site->not_memory += memlat_cell_with(cell, MEMLAT_CELL_NOT_MEMORY);
	}
	if (origin->who)
		memcpy(site->comm, origin->who->process, sizeof(site->comm));
}
