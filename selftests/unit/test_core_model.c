// SPDX-License-Identifier: GPL-2.0
/*
 * module/core: cells of any kind, and each member of each record that they make, compared with a
 * model that adds them up one by one, as uapi/linux/memlat_records.h says what they mean.
 */
#include "core_test.h"
#include "tables.h"

#define KERNEL	0xffffffff80000000ULL
#define ROWS	1024

static struct memlat_rec_line lines[ROWS];
static struct memlat_rec_site sites[ROWS];
static struct memlat_rec_access accesses[ROWS];
static struct memlat_rec_thread threads[ROWS];
static struct memlat_rec_stack stacks[ROWS];
static u32 nr[MEMLAT_TABLES];

/* The row with these members, or a new one at the end. */
#define ROW(rows, table, rec_type, same, ...) ({					\
	u32 row_ = 0;									\
	for (; row_ < nr[table]; row_++) {						\
		const __typeof__(rows[0]) *r = &rows[row_];				\
		if (same)								\
			break;								\
	}										\
	if (row_ == nr[table]) {							\
		assert_true(nr[table]++ < ROWS);					\
		rows[row_] = (__typeof__(rows[0])) {					\
			.hdr = { rec_type, sizeof(rows[0]) }, __VA_ARGS__ };		\
	}										\
	&rows[row_]; })

static void most(u64 *to, u64 value)
{
	*to = value > *to ? value : *to;
}

static void named(char comm[MEMLAT_COMM_BYTES], const char *name)
{
	if (name)
		memcpy(comm, name, MEMLAT_COMM_BYTES);
}

struct facts {
	bool store, hitm, fwd;
	u64 n, latency, load_latency, cost;
	u8 source;
	u64 cpu, node;
};

#define ADD_ALL(row, f, c) do {									\
	(row)->samples += (f)->n;								\
	(row)->stores += (f)->store ? (f)->n : 0;						\
	(row)->latency_sum += (f)->load_latency;						\
	(row)->weight += (c)->weight;								\
	(row)->cost += (f)->cost;								\
	(row)->cpus |= (f)->cpu;								\
	(row)->nodes |= (f)->node;								\
} while (0)

/* What lines and sites have in common. */
#define ADD_COUNTS(row, f, c) do {								\
	(row)->locked += (c)->flags & MEMLAT_CELL_LOCKED ? (f)->n : 0;				\
	(row)->stlb_miss += (c)->flags & MEMLAT_CELL_STLB_MISS ? (f)->n : 0;			\
	(row)->store_l1_hit += (f)->store && (c)->flags & MEMLAT_CELL_L1_HIT ? (f)->n : 0;	\
	(row)->store_hitm += (f)->store && (f)->hitm ? (f)->n : 0;				\
	(row)->store_xsnp_fwd += (f)->store && (f)->fwd ? (f)->n : 0;				\
	(row)->store_latency_sum += (f)->store ? (f)->latency : 0;				\
	if (!(f)->store) {									\
		most(&(row)->latency_max, (c)->latency_max);					\
		(row)->source[(f)->source] += (f)->n;						\
		(row)->latency[(f)->source] += (f)->latency;					\
		(row)->blocked_data += (c)->flags & MEMLAT_CELL_BLOCKED_DATA ? (f)->n : 0;	\
		(row)->blocked_addr += (c)->flags & MEMLAT_CELL_BLOCKED_ADDR ? (f)->n : 0;	\
		(row)->xsnp_fwd += (f)->fwd ? (f)->n : 0;					\
		(row)->not_memory += (c)->flags & MEMLAT_CELL_NOT_MEMORY ? (f)->n : 0;		\
	}											\
} while (0)

static void model_line(const struct memlat_cell *c, const struct facts *f, const char *process)
{
	const u32 space = c->addr < KERNEL ? c->tgid : 0, gen = c->addr < KERNEL ? c->gen : 0;
	const u64 addr = c->addr & ~63ULL, byte = 1ULL << c->addr % 64, phys = c->phys & ~63ULL;
	const unsigned int slot = c->addr % 64 / 8;
	struct memlat_rec_line *line = ROW(lines, MEMLAT_LINES, MEMLAT_REC_LINE,
		phys ? r->phys == phys : !r->phys && r->addr == addr && r->space == space && r->gen == gen,
		.addr = addr, .space = space, .gen = gen, .phys = phys, .home = MEMLAT_NODE_UNKNOWN);

	line->shared |= line->space != space || line->gen != gen;
	line->addr = addr, line->space = space, line->gen = gen;
	line->ip = c->ip;
	named(line->comm, process);
	ADD_ALL(line, f, c);
	ADD_COUNTS(line, f, c);
	if (f->store) {
		line->slot_store[slot] += f->n;
		line->bytes_stored |= byte;
		line->store_cpus |= f->cpu;
		line->store_nodes |= f->node;
		return;
	}
	line->slot[slot] += f->n;
	line->bytes_loaded |= byte;
	line->slot_hitm[slot] += f->hitm ? f->n : 0;
	line->hitm_nodes |= f->hitm ? f->node : 0;
	line->slot_xsnp_fwd[slot] += f->fwd ? f->n : 0;
	line->xsnp_fwd_latency += f->fwd ? f->latency : 0;
}

static void model_site(const struct memlat_cell *c, const struct facts *f, const char *process)
{
	const u32 space = c->ip < KERNEL ? c->tgid : 0, gen = c->ip < KERNEL ? c->gen : 0;
	struct memlat_rec_site *site = ROW(sites, MEMLAT_SITES, MEMLAT_REC_SITE,
		r->ip == c->ip && r->space == space && r->gen == gen,
		.ip = c->ip, .space = space, .gen = gen, .addr_min = c->addr, .addr_max = c->addr);

	ADD_ALL(site, f, c);
	ADD_COUNTS(site, f, c);
	if (!f->store)
		site->bucket[c->kind % 16] += f->n;
	most(&site->addr_max, c->addr);
	site->addr_min = c->addr < site->addr_min ? c->addr : site->addr_min;
	named(site->comm, process);
}

static void model_access(const struct memlat_cell *c, const struct facts *f, u32 stack)
{
	struct memlat_rec_access *access = ROW(accesses, MEMLAT_ACCESSES, MEMLAT_REC_ACCESS,
		r->addr == c->addr && r->ip == c->ip && r->tgid == c->tgid && r->gen == c->gen &&
		r->tid == c->tid && r->stack == stack && r->phys == c->phys,
		.addr = c->addr, .ip = c->ip, .tgid = c->tgid, .gen = c->gen, .tid = c->tid,
		.stack = stack, .phys = c->phys);
	const bool remote = f->source == MEMLAT_SRC_RHITM;

	ADD_ALL(access, f, c);
	access->store_l1_hit += f->store && c->flags & MEMLAT_CELL_L1_HIT ? f->n : 0;
	access->store_hitm += f->store && f->hitm ? f->n : 0;
	access->store_xsnp_fwd += f->store && f->fwd ? f->n : 0;
	if (f->store)
		return;
	most(&access->latency_max, c->latency_max);
	access->hitm_local += f->hitm && !remote ? f->n : 0;
	access->latency_hitm_local += f->hitm && !remote ? f->latency : 0;
	access->hitm_remote += remote ? f->n : 0;
	access->latency_hitm_remote += remote ? f->latency : 0;
	access->xsnp_fwd += f->fwd ? f->n : 0;
	access->latency_xsnp_fwd += f->fwd ? f->latency : 0;
}

static void model(const struct memlat_cell *c, unsigned int cpu, unsigned int node, u32 stack,
		  const char *name, const char *process)
{
	struct facts f = {
		.store = c->flags & MEMLAT_CELL_STORE, .source = c->kind >> 4, .n = c->samples,
		.fwd = c->flags & MEMLAT_CELL_XSNP_FWD, .latency = c->latency_sum,
		.cpu = 1ULL << cpu % 64, .node = 1ULL << node % 64,
	};
	struct memlat_rec_thread *thread;

	f.hitm = f.source == MEMLAT_SRC_RHITM || f.source == MEMLAT_SRC_L3_HITM;
	f.load_latency = f.store ? 0 : f.latency;
	f.cost = f.store ? 0 : f.latency * c->weight / c->samples;
	model_line(c, &f, process);
	model_site(c, &f, process);
	model_access(c, &f, stack);
	thread = ROW(threads, MEMLAT_THREADS, MEMLAT_REC_THREAD,
		     r->tid == c->tid && r->tgid == c->tgid && r->gen == c->gen,
		     .tid = c->tid, .tgid = c->tgid, .gen = c->gen);
	ADD_ALL(thread, &f, c);
	thread->hitm += f.hitm && !f.store ? f.n : 0;
	named(thread->comm, name);
	if (!stack)
		return;
	nr[MEMLAT_STACKS] = stack > nr[MEMLAT_STACKS] ? stack : nr[MEMLAT_STACKS];
	stacks[stack - 1].samples += f.n;
	stacks[stack - 1].hitm += f.hitm && !f.store ? f.n : 0;
	stacks[stack - 1].latency_sum += f.load_latency;
	stacks[stack - 1].weight += c->weight;
	stacks[stack - 1].cost += f.cost;
}

static void same(const struct memlat_tables *tables, enum memlat_tables_nr table, const void *rows,
		 size_t size, size_t from, size_t to)
{
	size_t at;
	u32 row;

	assert_int_equal(tables->table[table].now.used, nr[table]);
	for (row = 0; row < nr[table]; row++) {
		const u8 *is = row_read(&tables->table[table], row), *want = (const u8 *)rows + row * size;

		for (at = from; at < to; at += 8)
			if (memcmp(is + at, want + at, 8))
				fail_msg("table %u, row %u: byte %zu", table, row, at);
	}
}

static bool is_chain(const struct memlat_rec_stack *stack, const struct memlat_cell *c, const u64 chain[2])
{
	return stack->tgid == c->tgid && stack->gen == c->gen && stack->frames == 2 && stack->kernel_frames == 1 &&
	       !memcmp(stack->frame, chain, 2 * sizeof(*chain));
}

/* Few of everything, so that most rows have cells of all kinds. */
static void any_cells(u64 seed, unsigned int cells)
{
	struct memlat_tables *tables = tables_new(16 * STORE, true);
	struct memlat_shard *shard = shard_new(true);
	const struct memlat_rec_stack *row;
	u64 chain[2] = { 0x401000 };
	unsigned int i;

	memset(nr, 0, sizeof(nr));
	memset(stacks, 0, sizeof(stacks));
	for (i = 0; i < cells; i++) {
		const u64 r = random_next(&seed), s = random_next(&seed), cpu = s % 200, node = s >> 8 & 127;
		char name[MEMLAT_COMM_BYTES] = "thread", process[MEMLAT_COMM_BYTES] = "process";
		struct memlat_cell c = {
			.addr = 0x1000 + r % 4 * 64 + (r >> 4) % 16 * 4, .ip = 0x401000 + (r >> 8) % 3,
			.tgid = 7 + (r >> 10) % 2, .gen = 9 + (r >> 11) % 2, .samples = 1 + (r >> 12) % 300,
			.flags = s >> 16, .kind = (s >> 24) % MEMLAT_BUCKETS | (r >> 21) % 16 << 4,
			.latency_sum = random_next(&seed), .latency_max = random_next(&seed) >> 8,
			.weight = random_next(&seed) % 1000000,
		};
		u32 stack = 0;
		bool noted;

		/* Flags that can be there together. */
		c.flags &= c.flags & MEMLAT_CELL_STORE ?
			MEMLAT_CELL_STORE | MEMLAT_CELL_L1_HIT | MEMLAT_CELL_STLB_MISS | MEMLAT_CELL_LOCKED |
			MEMLAT_CELL_XSNP_FWD : ~MEMLAT_CELL_L1_HIT;
		if (c.kind >> 4 != MEMLAT_SRC_L3_SNOOP)
			c.flags &= ~MEMLAT_CELL_XSNP_FWD;
		if (c.kind >> 4 != MEMLAT_SRC_L1)
			c.flags &= ~MEMLAT_CELL_NOT_MEMORY;
		c.tid = c.tgid + (r >> 26) % 2;
		c.addr |= (r >> 27) % 8 == 0 ? KERNEL : 0;
		c.ip |= (s >> 28) % 8 == 0 ? KERNEL : 0;
		if ((s >> 29) % 4 == 0)
			c.phys = 0x70000 + r % 2 * 64 + c.addr % 64;
		name[6] = '0' + r % 10;
		process[7] = '0' + s % 10;
		/* A name that a shard does not know stays as it was. */
		noted = s >> 40 & 3;
		if (noted)
			memlat_shard_note_thread(shard, c.tgid, c.gen, c.tid, name, process);
		if (r % 3) {
			chain[1] = r % 5;
			c.stack = memlat_shard_stack(shard, c.tgid, c.gen, chain, 2, 1);
		}
		tables_add(tables, shard, &c, cpu, node);
		/* Which number a chain has is the table's choice, but it is always the same one. */
		if (c.stack)
			do
				row = row_read(&tables->table[MEMLAT_STACKS], stack++);
			while (row->id != stack || !is_chain(row, &c, chain));
		model(&c, cpu, node, stack, noted ? name : NULL, noted ? process : NULL);
		memlat_shard_clear(shard);
	}
	shard_delete(shard);
	same(tables, MEMLAT_LINES, lines, sizeof(*lines), 0, sizeof(*lines));
	same(tables, MEMLAT_SITES, sites, sizeof(*sites), 0, sizeof(*sites));
	same(tables, MEMLAT_ACCESSES, accesses, sizeof(*accesses), 0, sizeof(*accesses));
	same(tables, MEMLAT_THREADS, threads, sizeof(*threads), 0, sizeof(*threads));
	same(tables, MEMLAT_STACKS, stacks, sizeof(*stacks), offsetof(struct memlat_rec_stack, samples),
	     offsetof(struct memlat_rec_stack, frame));
	tables_delete(tables);
}

TEST(rows_are_what_the_model_says)
{
	u64 seed;

	for (seed = 1; seed <= 20; seed++)
		any_cells(seed, 20 * seed);
}
