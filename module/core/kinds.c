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
	u64 space;	/* memlat_space() */
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

static u64 site_space(const struct memlat_cell *cell)
{
	return memlat_space(cell->ip, cell->tgid, cell->gen);
}

static u64 memlat_sites_hash(const void *key)
{
	const struct memlat_cell *cell = key;

	return memlat_hash(memlat_hash(0, cell->ip), site_space(cell));
}

static bool memlat_sites_same(const void *record, const void *key)
{
	const struct site *site = record;
	const struct memlat_cell *cell = key;

	return site->ip == cell->ip && site->space == site_space(cell);
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
		.space = site->space >> 32,
		.gen = (u32)site->space,
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
	.hash = memlat_sites_hash,
	.same = memlat_sites_same,
	.start = memlat_sites_start,
	.read = memlat_sites_read,
};

static __always_inline void add_load(struct site *site, const struct memlat_cell *cell)
{
	const unsigned int source = memlat_cell_source(cell), bucket = memlat_cell_bucket(cell);
	const u64 samples = cell->samples, latency = cell->latency_sum;
	const u8 flags = cell->flags;

	memlat_raise(&site->latency_max, cell->latency_max);
	site->bucket[bucket] += samples;
	site->source[source].loads += samples;
	site->source[source].latency += latency;
	if (unlikely(flags & (MEMLAT_CELL_XSNP_FWD | MEMLAT_CELL_NOT_MEMORY))) {
		site->xsnp_fwd += memlat_cell_with(cell, MEMLAT_CELL_XSNP_FWD);
		site->not_memory += memlat_cell_with(cell, MEMLAT_CELL_NOT_MEMORY);
	}
}

static void add_store(struct site *site, const struct memlat_cell *cell)
{
	site->stores += cell->samples;
	site->store_l1_hit += memlat_cell_with(cell, MEMLAT_CELL_L1_HIT);
	site->store_hitm += memlat_cell_store_hitm(cell);
	site->store_xsnp_fwd += memlat_cell_with(cell, MEMLAT_CELL_XSNP_FWD);
	site->store_latency_sum += cell->latency_sum;
}

static __always_inline void add_site(struct memlat_table *sites, const struct memlat_batch *batch,
				     unsigned int i)
{
	const struct memlat_cell *cell = batch->cell[i];
	const u64 samples = cell->samples, addr = cell->addr;
	const u8 flags = cell->flags;
	struct site *site;

	site = memlat_table_get_recent(sites, &memlat_sites_kind, cell->ip, cell, samples);
	if (!site)
		return;
	if (unlikely(!site->samples)) {
		site->ip = cell->ip;
		site->space = site_space(cell);
		site->addr_min = addr;
	}
	site->addr_min = addr < site->addr_min ? addr : site->addr_min;
	memlat_raise(&site->addr_max, addr);
	site->samples += samples;
	site->weight += cell->weight;
	site->cost += batch->cost[i];
	site->cpus |= batch->cpu;
	site->nodes |= batch->node;
	if (batch->who[i])
		memcpy(site->comm, batch->who[i]->process, sizeof(site->comm));
	site->stlb_miss += memlat_cell_with(cell, MEMLAT_CELL_STLB_MISS);
	if (unlikely(flags & MEMLAT_CELL_SELDOM)) {
		site->locked += memlat_cell_with(cell, MEMLAT_CELL_LOCKED);
		site->blocked_data += memlat_cell_with(cell, MEMLAT_CELL_BLOCKED_DATA);
		site->blocked_addr += memlat_cell_with(cell, MEMLAT_CELL_BLOCKED_ADDR);
	}
	if (flags & MEMLAT_CELL_STORE)
		add_store(site, cell);
	else
		add_load(site, cell);
}

/**
 * memlat_sites_add - add cells to their sites
 * @sites: the table
 * @batch: the cells
 */
void memlat_sites_add(struct memlat_table *sites, const struct memlat_batch *batch)
{
	unsigned int i;

	for (i = 0; i < batch->cells; i++)
		add_site(sites, batch, i);
}

/* Threads: which threads were sampled, and their names. */

static u64 memlat_threads_kind_hash(const void *key)
{
	const struct memlat_cell *cell = key;

	return memlat_hash(memlat_hash(0, (u64)cell->tid << 32 | cell->gen), cell->tgid);
}

static bool memlat_threads_kind_same(const void *record, const void *key)
{
	const struct memlat_rec_thread *thread = record;
	const struct memlat_cell *cell = key;

	return thread->tid == cell->tid && thread->tgid == cell->tgid && thread->gen == cell->gen;
}

MEMLAT_TABLE_KIND(memlat_threads_kind, MEMLAT_REC_THREAD, memlat_rec_thread, samples);

/**
 * memlat_threads_add - add a run of cells of one thread to it
 * @threads: the table
 * @batch: the batch; names and costs of the cells are filled in
 * @first: the first cell of the run
 * @who: names of the thread; NULL: not noted
 *
 * Return: the cell after the run.
 */
unsigned int memlat_threads_add(struct memlat_table *threads, struct memlat_batch *batch,
				unsigned int first, const struct memlat_shard_thread *who)
{
	const struct memlat_cell *const one = batch->cell[first], *cell = one;
	u64 samples = 0, weight = 0, cost = 0, latency_sum = 0, stores = 0, hitm = 0;
	struct memlat_rec_thread *thread;
	unsigned int i = first;

	do {
		batch->who[i] = who;
		batch->cost[i] = memlat_tables_cost(cell);
		samples += cell->samples;
		weight += cell->weight;
		cost += batch->cost[i];
		latency_sum += memlat_cell_latency(cell);
		stores += memlat_cell_with(cell, MEMLAT_CELL_STORE);
		hitm += memlat_cell_hitm(cell);
		if (++i == batch->cells)
			break;
		cell = batch->cell[i];
	} while (cell->tid == one->tid && cell->tgid == one->tgid && cell->gen == one->gen);
	thread = memlat_table_get_recent(threads, &memlat_threads_kind, one->tid, one, samples);
	if (!thread)
		return i;
	if (!thread->samples) {
		thread->tid = one->tid;
		thread->tgid = one->tgid;
		thread->gen = one->gen;
	}
	thread->samples += samples;
	thread->weight += weight;
	thread->cost += cost;
	thread->latency_sum += latency_sum;
	thread->stores += stores;
	thread->hitm += hitm;
	thread->cpus |= batch->cpu;
	thread->nodes |= batch->node;
	if (!who)
		return i;
	if (who->tls_base)
		thread->tls_base = who->tls_base;
	/*
	 * The shards of several CPUs are merged in any order. Keep the newest name, and the
	 * earliest first_ns. 0 means not known: for the name it is older than any other time, and
	 * for first_ns later than any other (0 - 1 is the largest u64).
	 */
	if (who->named_ns >= thread->named_ns) {
		thread->named_ns = who->named_ns;
		memcpy(thread->comm, who->comm, sizeof(thread->comm));
	}
	if (who->first_ns - 1 < thread->first_ns - 1)
		thread->first_ns = who->first_ns;
	return i;
}

/* Call chains. Accesses refer to them by number, so none is ever evicted. */

static_assert(sizeof(struct memlat_rec_stack) <= MEMLAT_TABLE_RECORD_MAX);

static u64 memlat_stacks_hash(const void *key)
{
	const struct memlat_shard_stack *chain = key;
	unsigned int i;
	u64 hash;

	hash = memlat_hash((u64)chain->tgid << 32 | chain->gen,
			   (u64)chain->frames << 32 | chain->kernel_frames);
	for (i = 0; i < chain->frames; i++)
		hash = memlat_hash(hash, chain->frame[i]);
	return hash;
}

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
	.hash = memlat_stacks_hash,
	.same = memlat_stacks_same,
	.start = memlat_stacks_start,
};

/**
 * memlat_stacks_add - add a cell to its call chain
 * @stacks: the table
 * @chain: the call chain, as the shard has it
 * @cell: the cell
 *
 * Return: the chain's id in this table; 0 if there is no room for it.
 */
u32 memlat_stacks_add(struct memlat_table *stacks, const struct memlat_shard_stack *chain,
		      const struct memlat_cell *cell)
{
	struct memlat_rec_stack *stack;

	stack = memlat_table_get_recent(stacks, &memlat_stacks_kind, chain->hash, chain,
					cell->samples);
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
	stack->cost += memlat_tables_cost(cell);
	stack->latency_sum += memlat_cell_latency(cell);
	stack->hitm += memlat_cell_hitm(cell);
	return stack->id;
}

/* Strides: the steps between an instruction's loads. */

static u64 stride_space(const struct memlat_step *step)
{
	return memlat_space(step->ip, step->tgid, step->gen);
}

static u64 memlat_strides_kind_hash(const void *key)
{
	const struct memlat_step *step = key;

	return memlat_hash(memlat_hash(memlat_hash(0, step->ip), step->step), stride_space(step));
}

static bool memlat_strides_kind_same(const void *record, const void *key)
{
	const struct memlat_rec_stride *stride = record;
	const struct memlat_step *step = key;

	return stride->ip == step->ip && (u64)stride->step == step->step &&
	       ((u64)stride->space << 32 | stride->gen) == stride_space(step);
}

MEMLAT_TABLE_KIND(memlat_strides_kind, MEMLAT_REC_STRIDE, memlat_rec_stride, pairs);

/**
 * memlat_strides_add - add the pairs of a step to their stride
 * @strides: the table
 * @step: the pairs of one CPU
 */
void memlat_strides_add(struct memlat_table *strides, const struct memlat_step *step)
{
	struct memlat_rec_stride *stride;

	stride = memlat_table_get_recent(strides, &memlat_strides_kind, step->ip + step->step,
					 step, step->pairs);
	if (!stride)
		return;
	if (!stride->pairs) {
		stride->ip = step->ip;
		stride->step = step->step;
		stride->space = stride_space(step) >> 32;
		stride->gen = (u32)stride_space(step);
	}
	stride->pairs += step->pairs;
	stride->stlb_miss += step->stlb_miss;
	stride->new_page += step->new_page;
	stride->onward += step->onward;
	stride->turned += step->turned;
	stride->latency_sum += step->latency_sum;
}
