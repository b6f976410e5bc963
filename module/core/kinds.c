// SPDX-License-Identifier: GPL-2.0
/*
 * The kinds of tables, except lines (lines.c) and accesses (accesses.c): what their records are,
 * and how a cell is added to one.
 */
#include "tables.h"

/* Sites: instructions that access memory. */

/*
 * Members are as in struct memlat_rec_site. A load changes the first two cache lines, one of the
 * buckets, and one of the levels.
 */
struct site {
	u64 ip;
	u32 space;
	u32 gen;
	u64 samples;
	u64 error;
	u64 weight;
	u64 cost;
	u64 addr_min;
	u64 addr_max;

	u64 cpus;
	u64 nodes;
	u64 stlb_miss;
	u64 latency_max;
	char comm[MEMLAT_COMM_BYTES];
	u64 stores;
	u64 store_l1_hit;

	struct {
		u64 loads;
		u64 latency;
	} source[MEMLAT_SRC_NR];
	u64 bucket[MEMLAT_BUCKETS];

	u64 locked;
	u64 blocked_data;
	u64 blocked_addr;
	u64 xsnp_fwd;
	u64 not_memory;
	u64 store_hitm;
	u64 store_xsnp_fwd;
	u64 store_latency_sum;
};

static_assert(offsetof(struct site, cpus) == 64);
static_assert(offsetof(struct site, source) == 128);

struct site_key {
	u64 ip;
	u32 space;
	u32 gen;
};

static bool memlat_sites_kind_same(const void *record, const void *k)
{
	const struct site *site = record;
	const struct site_key *key = k;

	return site->ip == key->ip && site->space == key->space && site->gen == key->gen;
}

static void memlat_sites_start(void *record)
{
	*(struct site *)record = (struct site) { 0 };
}

static void memlat_sites_read(const void *record, void *to)
{
	const struct site *site = record;
	struct memlat_rec_site *row = to;
	unsigned int i;

	*row = (struct memlat_rec_site) {
		.hdr = { MEMLAT_REC_SITE, sizeof(*row) },
		.ip = site->ip,
		.space = site->space,
		.gen = site->gen,
		.samples = site->samples,
		.error = site->error,
		.stores = site->stores,
		.store_l1_hit = site->store_l1_hit,
		.locked = site->locked,
		.stlb_miss = site->stlb_miss,
		.latency_max = site->latency_max,
		.weight = site->weight,
		.cost = site->cost,
		.addr_min = site->addr_min,
		.addr_max = site->addr_max,
		.cpus = site->cpus,
		.nodes = site->nodes,
		.blocked_data = site->blocked_data,
		.blocked_addr = site->blocked_addr,
		.xsnp_fwd = site->xsnp_fwd,
		.not_memory = site->not_memory,
		.store_hitm = site->store_hitm,
		.store_xsnp_fwd = site->store_xsnp_fwd,
		.store_latency_sum = site->store_latency_sum,
	};
	memcpy(row->bucket, site->bucket, sizeof(row->bucket));
	memcpy(row->comm, site->comm, sizeof(row->comm));
	for (i = 0; i < MEMLAT_SRC_NR; i++) {
		row->source[i] = site->source[i].loads;
		row->latency[i] = site->source[i].latency;
		row->latency_sum += site->source[i].latency;
	}
}

/* Snapshots have room for one row of lines. */
static_assert(sizeof(struct memlat_rec_site) <= sizeof(struct memlat_rec_line));

const struct memlat_table_kind memlat_sites_kind = {
	.type = MEMLAT_REC_SITE,
	.size = sizeof(struct site),
	.row = sizeof(struct memlat_rec_site),
	.samples = offsetof(struct site, samples),
	.same = memlat_sites_kind_same,
	.start = memlat_sites_start,
	.read = memlat_sites_read,
};

static __always_inline void add_site(struct memlat_table *sites, const struct memlat_cell *cell,
				     const struct memlat_origin *origin)
{
	bool kernel = memlat_is_kernel(cell->ip);
	struct site_key key = {
		.ip = cell->ip,
		.space = kernel ? 0 : cell->tgid,
		.gen = kernel ? 0 : cell->gen,
	};
	u64 hash = memlat_hash(memlat_hash(0, key.ip), (u64)key.space << 32 | key.gen);
	unsigned int source = memlat_cell_source(cell);
	struct site *site;

	site = memlat_table_get(sites, &memlat_sites_kind, hash, &key, cell->samples);
	if (!site)
		return;
	if (!site->samples) {
		site->ip = key.ip;
		site->space = key.space;
		site->gen = key.gen;
		site->addr_min = cell->addr;
	}
	site->addr_min = cell->addr < site->addr_min ? cell->addr : site->addr_min;
	memlat_raise(&site->addr_max, cell->addr);

	site->samples += cell->samples;
	site->weight += cell->weight;
	site->cost += origin->cost;
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
		site->source[source].loads += cell->samples;
		site->source[source].latency += cell->latency_sum;
		memlat_raise(&site->latency_max, cell->latency_max);
		if (unlikely(cell->flags & (MEMLAT_CELL_XSNP_FWD | MEMLAT_CELL_NOT_MEMORY))) {
			site->xsnp_fwd += memlat_cell_with(cell, MEMLAT_CELL_XSNP_FWD);
			site->not_memory += memlat_cell_with(cell, MEMLAT_CELL_NOT_MEMORY);
		}
	}
	if (origin->who)
		memcpy(site->comm, origin->who->process, sizeof(site->comm));
}

/**
 * memlat_sites_add - add cells to their sites
 * @sites: the table
 * @cell: the cells
 * @cells: number of cells
 * @origin: where each came from
 */
void memlat_sites_add(struct memlat_table *sites, const struct memlat_cell *const cell[],
		      unsigned int cells, const struct memlat_origin origin[])
{
	unsigned int i;

	for (i = 0; i < cells; i++)
		add_site(sites, cell[i], &origin[i]);
}

/* Threads: which threads were sampled, and their names. */

static bool memlat_threads_kind_same(const void *record, const void *key)
{
	const struct memlat_rec_thread *thread = record;
	const struct memlat_cell *cell = key;

	return thread->tid == cell->tid && thread->tgid == cell->tgid && thread->gen == cell->gen;
}

MEMLAT_TABLE_KIND(memlat_threads_kind, MEMLAT_REC_THREAD, memlat_rec_thread, samples);

/**
 * memlat_threads_add - add cells to their thread
 * @threads: the table
 * @sum: the sum of at least one cell
 * @origin: their CPU, node, cost and names
 */
void memlat_threads_add(struct memlat_table *threads, const struct memlat_thread_sum *sum,
			const struct memlat_origin *origin)
{
	const struct memlat_cell *cell = sum->cell;
	u64 hash = memlat_hash(memlat_hash(0, (u64)cell->tid << 32 | cell->gen), cell->tgid);
	struct memlat_rec_thread *thread;

	thread = memlat_table_get(threads, &memlat_threads_kind, hash, cell, sum->samples);
	if (!thread)
		return;
	if (!thread->samples) {
		thread->tid = cell->tid;
		thread->tgid = cell->tgid;
		thread->gen = cell->gen;
	}
	thread->samples += sum->samples;
	thread->weight += sum->weight;
	thread->cost += sum->cost;
	thread->latency_sum += sum->latency_sum;
	thread->stores += sum->stores;
	thread->hitm += sum->hitm;
	thread->cpus |= origin->cpu;
	thread->nodes |= origin->node;
	if (!origin->who)
		return;
	if (origin->who->tls_base)
		thread->tls_base = origin->who->tls_base;
	/*
	 * The shards of several CPUs are merged in any order. Keep the newest name, and the
	 * earliest first_ns. 0 means not known: for the name it is older than any other time, and
	 * for first_ns later than any other (0 - 1 is the largest u64).
	 */
	if (origin->who->named_ns >= thread->named_ns) {
		thread->named_ns = origin->who->named_ns;
		memcpy(thread->comm, origin->who->comm, sizeof(thread->comm));
	}
	if (origin->who->first_ns - 1 < thread->first_ns - 1)
		thread->first_ns = origin->who->first_ns;
}

/* Call chains. Accesses refer to them by number, so none is ever evicted. */

static_assert(sizeof(struct memlat_rec_stack) <= MEMLAT_TABLE_RECORD_MAX);

static bool memlat_stacks_same(const void *record, const void *key)
{
	const struct memlat_rec_stack *stack = record;
	const struct memlat_shard_stack *chain = key;

	return stack->frames == chain->frames && stack->kernel_frames == chain->kernel_frames &&
	       stack->tgid == chain->tgid && stack->gen == chain->gen &&
	       !memcmp(stack->frame, chain->frame, chain->frames * sizeof(*chain->frame));
}

static void memlat_stacks_start(void *record)
{
	*(struct memlat_rec_stack *)record = (struct memlat_rec_stack) {
		.hdr = { MEMLAT_REC_STACK, sizeof(struct memlat_rec_stack) },
	};
}

const struct memlat_table_kind memlat_stacks_kind = {
	.type = MEMLAT_REC_STACK,
	.size = sizeof(struct memlat_rec_stack),
	.samples = offsetof(struct memlat_rec_stack, samples),
	.keep = true,
	.same = memlat_stacks_same,
	.start = memlat_stacks_start,
};

/**
 * memlat_stacks_add - add a cell to its call chain
 * @stacks: the table
 * @chain: the call chain, as the shard has it
 * @cell: the cell
 * @origin: its CPU, node, cost and names
 *
 * Return: the chain's id in this table; 0 if there is no room for it.
 */
u32 memlat_stacks_add(struct memlat_table *stacks, const struct memlat_shard_stack *chain,
		      const struct memlat_cell *cell, const struct memlat_origin *origin)
{
	struct memlat_rec_stack *stack;
	unsigned int i;
	u64 hash;

	hash = memlat_hash((u64)chain->tgid << 32 | chain->gen,
			   (u64)chain->frames << 32 | chain->kernel_frames);
	for (i = 0; i < chain->frames; i++)
		hash = memlat_hash(hash, chain->frame[i]);
	stack = memlat_table_get(stacks, &memlat_stacks_kind, hash, chain, cell->samples);
	if (!stack)
		return 0;
	if (!stack->samples) {
		/* Ids count from 1, and this is the newest record. */
		stack->id = stacks->now.used;
		stack->frames = chain->frames;
		stack->kernel_frames = chain->kernel_frames;
		stack->tgid = chain->tgid;
		stack->gen = chain->gen;
		memcpy(stack->frame, chain->frame, chain->frames * sizeof(*chain->frame));
	}
	stack->samples += cell->samples;
	stack->weight += cell->weight;
	stack->cost += origin->cost;
	stack->latency_sum += memlat_cell_latency(cell);
	stack->hitm += memlat_cell_hitm(cell);
	return stack->id;
}

/* Strides: the steps between an instruction's loads. */

struct stride_key {
	u64 ip;
	u64 step;
	u32 space;
	u32 gen;
};

static bool memlat_strides_kind_same(const void *record, const void *k)
{
	const struct memlat_rec_stride *stride = record;
	const struct stride_key *key = k;

	return stride->ip == key->ip && (u64)stride->step == key->step &&
	       stride->space == key->space && stride->gen == key->gen;
}

MEMLAT_TABLE_KIND(memlat_strides_kind, MEMLAT_REC_STRIDE, memlat_rec_stride, pairs);

/**
 * memlat_strides_add - add the pairs of a step to their stride
 * @strides: the table
 * @step: the pairs of one CPU
 */
void memlat_strides_add(struct memlat_table *strides, const struct memlat_step *step)
{
	const bool kernel = memlat_is_kernel(step->ip);
	const struct stride_key key = {
		.ip = step->ip,
		.step = step->step,
		.space = kernel ? 0 : step->tgid,
		.gen = kernel ? 0 : step->gen,
	};
	const u64 hash = memlat_hash(memlat_hash(memlat_hash(0, key.ip), key.step),
				     (u64)key.space << 32 | key.gen);
	struct memlat_rec_stride *stride;

	stride = memlat_table_get(strides, &memlat_strides_kind, hash, &key, step->pairs);
	if (!stride)
		return;
	if (!stride->pairs) {
		stride->ip = key.ip;
		stride->step = key.step;
		stride->space = key.space;
		stride->gen = key.gen;
	}
	stride->pairs += step->pairs;
	stride->stlb_miss += step->stlb_miss;
	stride->new_page += step->new_page;
	stride->onward += step->onward;
	stride->turned += step->turned;
	stride->latency_sum += step->latency_sum;
}
