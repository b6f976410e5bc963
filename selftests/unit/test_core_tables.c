// SPDX-License-Identifier: GPL-2.0
/* module/core: from cells to lines, sites, accesses, threads and stacks. */
#include "core_test.h"
#include "tables.h"

#define KERNEL	0xffffffff80000000ULL

static struct memlat_tables *tables;
static struct memlat_shard *shard;	/* of one CPU */
/* The first row of each table, after add(). */
static const struct memlat_rec_line *line;
static const struct memlat_rec_site *site;
static const struct memlat_rec_access *access;
static const struct memlat_rec_thread *thread;

static int begin(void **state)
{
	tables = tables_new(STORE, false);
	shard = shard_new(false);
	return 0;
}

static int begin_with_stacks(void **state)
{
	tables = tables_new(STORE, true);
	shard = shard_new(true);
	return 0;
}

static int end(void **state)
{
	tables_delete(tables);
	shard_delete(shard);
	return 0;
}

static const void *at(enum memlat_tables_nr nr, u32 i)
{
	assert_in_range(i + 1, 1, tables->table[nr].now.used);
	return row_read(&tables->table[nr], i);
}

static u64 used(enum memlat_tables_nr nr)
{
	return tables->table[nr].now.used;
}

static void add_on(const struct memlat_cell *cell, u32 cpu, u32 node)
{
	tables_add(tables, shard, cell, cpu, node);
	line = at(MEMLAT_LINES, 0);
	site = at(MEMLAT_SITES, 0);
	access = at(MEMLAT_ACCESSES, 0);
	thread = at(MEMLAT_THREADS, 0);
}

static void add(const struct memlat_cell *cell)
{
	add_on(cell, 0, 0);
}

static void add_as(struct memlat_cell *cell, u32 samples, u8 flags)
{
	cell->samples = samples;
	cell->flags = flags;
	add(cell);
}

/* Loads that waited for a store: each type has its own figure. */
TEST_WITH(test_blocked, begin, end)
{
	struct memlat_cell load = cell(0x1000, MEMLAT_SRC_L1, 1);

	add(&load);
	add_as(&load, 2, MEMLAT_CELL_BLOCKED_ADDR);
	add_as(&load, 4, MEMLAT_CELL_BLOCKED_DATA | MEMLAT_CELL_BLOCKED_ADDR);

	assert_int_equal(line->samples, 7);
	assert_int_equal(line->blocked_data, 4);
	assert_int_equal(line->blocked_addr, 6);
	assert_int_equal(site->blocked_data, 4);
	assert_int_equal(site->blocked_addr, 6);
}

/* What stores report: where their line was, and how long they took, which is no cost. */
TEST_WITH(test_stores, begin_with_stacks, end)
{
	struct memlat_cell store = cell(0x1010, MEMLAT_SRC_L3_HITM, 3);

	store.kind = MEMLAT_SRC_L3_HITM << 4;
	store.flags = MEMLAT_CELL_STORE;
	add(&store);
	store.kind = MEMLAT_SRC_L3_SNOOP << 4;
	store.flags = MEMLAT_CELL_STORE | MEMLAT_CELL_XSNP_FWD;
	store.samples = 2;
	store.latency_sum = 50;
	add(&store);

	assert_int_equal(line->stores, 5);
	assert_int_equal(line->store_hitm, 3);
	assert_int_equal(line->store_xsnp_fwd, 2);
	assert_int_equal(line->store_latency_sum, 350);
	assert_int_equal(line->cost + line->latency_sum + line->latency_max, 0);
	assert_int_equal(line->source[MEMLAT_SRC_L3_HITM] + line->source[MEMLAT_SRC_L3_SNOOP], 0);
	assert_int_equal(line->slot_hitm[2] + line->xsnp_fwd + line->hitm_nodes, 0);
	assert_int_equal(site->store_hitm, 3);
	assert_int_equal(site->store_xsnp_fwd, 2);
	assert_int_equal(site->store_latency_sum, 350);
	assert_int_equal(site->cost + site->latency_sum + site->latency_max, 0);
	assert_int_equal(access->store_hitm, 3);
	assert_int_equal(access->store_xsnp_fwd, 2);
	assert_int_equal(access->hitm + access->xsnp_fwd + access->cost + access->latency_sum, 0);
	assert_int_equal(access->latency_max, 0);
	assert_int_equal(thread->stores, 5);
	assert_int_equal(thread->hitm + thread->latency_sum + thread->cost, 0);
}

/*
 * Counts that are larger than the part of them that is kept together. A line that takes the place
 * of such a line begins with zeros.
 */
TEST_WITH(test_large_counts, begin, end)
{
	struct memlat_cell load = cell(0x1010, MEMLAT_SRC_DRAM, 200);
	const u64 loads = 3000 * 200 + 0xffffffffULL;
	struct memlat_table *lines = &tables->table[MEMLAT_LINES];
	unsigned int i;

	load.latency_sum = 99999;
	for (i = 0; i < 3000; i++)
		add_as(&load, 200, MEMLAT_CELL_STLB_MISS);
	load.latency_sum = 1ULL << 62;
	add_as(&load, ~0U, MEMLAT_CELL_STLB_MISS);
	assert_int_equal(line->samples, loads);
	assert_int_equal(line->source[MEMLAT_SRC_DRAM], loads);
	assert_int_equal(line->slot[2], loads);
	assert_int_equal(line->stlb_miss, loads);
	assert_int_equal(line->latency[MEMLAT_SRC_DRAM], 3000 * 99999 + (1ULL << 62));
	assert_int_equal(line->latency_sum, 3000 * 99999 + (1ULL << 62));
	assert_int_equal(line->source[MEMLAT_SRC_L3] + line->slot[1] + line->slot[3], 0);
	assert_int_equal(site->latency_sum, line->latency_sum);
	assert_int_equal(access->latency_sum, line->latency_sum);

	lines->kind->start(memlat_table_at(lines, 0));
	line = at(MEMLAT_LINES, 0);
	assert_int_equal(line->source[MEMLAT_SRC_DRAM] + line->slot[2] + line->stlb_miss +
			 line->latency[MEMLAT_SRC_DRAM] + line->latency_sum, 0);
}

/* Hits that waited for something else have their own figure. */
TEST_WITH(test_not_memory, begin, end)
{
	struct memlat_cell load = cell(0x1010, MEMLAT_SRC_L1, 5);

	add(&load);
	add_as(&load, 3, MEMLAT_CELL_NOT_MEMORY);
	assert_int_equal(line->source[MEMLAT_SRC_L1], 8);
	assert_int_equal(line->not_memory, 3);
	assert_int_equal(site->source[MEMLAT_SRC_L1], 8);
	assert_int_equal(site->not_memory, 3);
	assert_int_equal(line->xsnp_fwd + site->xsnp_fwd, 0);
}

/*
 * A line that a sibling core forwarded is no HITM, and differs from one that was certainly clean.
 */
TEST_WITH(test_forwarded, begin, end)
{
	struct memlat_cell load = cell(0x1010, MEMLAT_SRC_L3_SNOOP, 5);

	add(&load);
	load.latency_sum = 600;
	add_as(&load, 3, MEMLAT_CELL_XSNP_FWD);

	assert_int_equal(line->source[MEMLAT_SRC_L3_SNOOP], 8);
	assert_int_equal(line->latency[MEMLAT_SRC_L3_SNOOP], 1100);
	assert_int_equal(line->xsnp_fwd, 3);
	assert_int_equal(line->xsnp_fwd_latency, 600);
	assert_int_equal(line->slot_xsnp_fwd[2], 3);
	assert_int_equal(line->slot_hitm[2] + line->hitm_nodes, 0);
	assert_int_equal(site->source[MEMLAT_SRC_L3_SNOOP], 8);
	assert_int_equal(site->xsnp_fwd, 3);
	assert_int_equal(access->samples, 8);
	assert_int_equal(access->xsnp_fwd, 3);
	assert_int_equal(access->latency_xsnp_fwd, 600);
	assert_int_equal(access->hitm + access->rhitm, 0);
	assert_int_equal(thread->hitm, 0);
}

/* The lowest and the highest address of a site, in whatever order they come. */
TEST_WITH(test_range_of_a_site, begin, end)
{
	static const u64 addr[] = { 0x1020, 0x1009, 0x1030, 0x1010 };
	unsigned int i;

	for (i = 0; i < sizeof(addr) / sizeof(addr[0]); i++) {
		const struct memlat_cell one = cell(addr[i], MEMLAT_SRC_DRAM, 1);

		tables_add(tables, shard, &one, 0, 0);
	}
	assert_int_equal(used(MEMLAT_SITES), 1);
	site = at(MEMLAT_SITES, 0);
	assert_int_equal(site->addr_min, 0x1009);
	assert_int_equal(site->addr_max, 0x1030);
}

/* All members of all records that one load and one store make. */
TEST_WITH(test_all_tables, begin, end)
{
	struct memlat_cell load = cell(0x1009, MEMLAT_SRC_RHITM, 3);
	struct memlat_cell store = cell(0x1030, MEMLAT_SRC_L1, 2);
	char none[MEMLAT_COMM_BYTES] = "";

	load.flags = MEMLAT_CELL_LOCKED | MEMLAT_CELL_STLB_MISS |
		     MEMLAT_CELL_BLOCKED_DATA;
	load.latency_max = 140;
	store.flags = MEMLAT_CELL_STORE | MEMLAT_CELL_L1_HIT;
	store.kind = MEMLAT_SRC_L1 << 4;
	store.latency_sum = store.latency_max = 0;
	memlat_shard_note_thread(shard, 7, 9, 8, "thread\0.........", "process\0........");
	/* No CPU has the number of its node, so that mixing them up is noticed. */
	add_on(&load, 65, 3);
	add_on(&store, 2, 69);

	assert_int_equal(used(MEMLAT_LINES), 1);
	{
		struct memlat_rec_line want = {
			.hdr = { MEMLAT_REC_LINE, sizeof(want) },
			.addr = 0x1000, .space = 7, .gen = 9, .samples = 5,
			.latency_sum = 300, .latency_max = 140, .locked = 3, .stlb_miss = 3,
			.source[MEMLAT_SRC_RHITM] = 3, .slot[1] = 3, .slot_hitm[1] = 3,
			.cpus = 1 << 1 | 1 << 2, .nodes = 1 << 3 | 1 << 5, .hitm_nodes = 1 << 3,
			.ip = 0x401000, .home = MEMLAT_NODE_UNKNOWN,
			.stores = 2, .store_l1_hit = 2, .weight = 5 * 1009, .cost = 300 * 1009,
			.latency[MEMLAT_SRC_RHITM] = 300, .slot_store[6] = 2,
			.bytes_loaded = 1 << 9, .bytes_stored = 1ULL << 48,
			.store_cpus = 1 << 2, .store_nodes = 1 << 5,
			.blocked_data = 3,
		};

		memcpy(want.comm, "process", sizeof("process"));
		assert_memory_equal(line, &want, sizeof(want));
	}

	assert_int_equal(used(MEMLAT_SITES), 1);
	{
		struct memlat_rec_site want = {
			.hdr = { MEMLAT_REC_SITE, sizeof(want) },
			.ip = 0x401000, .space = 7, .gen = 9, .samples = 5,
			.stores = 2, .store_l1_hit = 2, .locked = 3, .stlb_miss = 3,
			.latency_sum = 300, .latency_max = 140,
			.weight = 5 * 1009, .cost = 300 * 1009,
			.addr_min = 0x1009, .addr_max = 0x1030,
			.cpus = 1 << 1 | 1 << 2, .nodes = 1 << 3 | 1 << 5,
			.bucket[4] = 3, .source[MEMLAT_SRC_RHITM] = 3,
			.latency[MEMLAT_SRC_RHITM] = 300, .blocked_data = 3,
		};

		memcpy(want.comm, "process", sizeof("process"));
		assert_memory_equal(site, &want, sizeof(want));
	}

	assert_int_equal(used(MEMLAT_ACCESSES), 2);
	{
		const struct memlat_rec_access want = {
			.hdr = { MEMLAT_REC_ACCESS, sizeof(want) },
			.addr = 0x1009, .ip = 0x401000, .tgid = 7, .gen = 9, .tid = 8,
			.samples = 3, .rhitm = 3, .latency_sum = 300, .latency_rhitm = 300,
			.latency_max = 140, .weight = 3 * 1009, .cost = 300 * 1009,
			.cpus = 1 << 1, .nodes = 1 << 3,
		};

		assert_memory_equal(access, &want, sizeof(want));
	}
	access = at(MEMLAT_ACCESSES, 1);
	assert_int_equal(access->addr, 0x1030);
	assert_int_equal(access->stores, 2);
	assert_int_equal(access->store_l1_hit, 2);
	assert_int_equal(access->hitm + access->rhitm, 0);

	assert_int_equal(used(MEMLAT_THREADS), 1);
	{
		struct memlat_rec_thread want = {
			.hdr = { MEMLAT_REC_THREAD, sizeof(want) },
			.tid = 8, .tgid = 7, .gen = 9, .samples = 5, .stores = 2, .hitm = 3,
			.latency_sum = 300, .weight = 5 * 1009, .cost = 300 * 1009,
			.cpus = 1 << 1 | 1 << 2, .nodes = 1 << 3 | 1 << 5,
		};

		memcpy(want.comm, "thread", sizeof("thread"));
		assert_memory_equal(thread, &want, sizeof(want));
	}
	assert_int_equal(used(MEMLAT_STACKS), 0);

	/* Known names stay if the next shard does not know them. */
	memlat_shard_clear(shard);
	add_on(&load, 65, 1);
	assert_string_equal(line->comm, "process");
	assert_string_equal(site->comm, "process");
	assert_string_equal(thread->comm, "thread");
	/* A thread that never had a name has none. */
	load.tid = 80;
	add_on(&load, 65, 1);
	thread = at(MEMLAT_THREADS, 1);
	assert_memory_equal(thread->comm, none, sizeof(none));
}

/*
 * A thread's first sample is the earliest one of several CPUs, its name the newest one in whatever
 * order they are merged, and its thread pointer the last one. A CPU may not know these.
 */
TEST_WITH(test_thread_noted, begin, end)
{
	static const struct {
		u64 first_ns, named_ns, tls_base;
		char name[MEMLAT_COMM_BYTES];
		u64 first, last;
		const char *newest;
	} steps[] = {
		{ 0, 0, 0, "unknown", 0, 0, "unknown" },
		{ 5000, 5500, 0x100, "second", 5000, 0x100, "second" },
		{ 0, 0, 0, "unknown", 5000, 0x100, "second" },
		{ 4000, 4000, 0x200, "first", 4000, 0x200, "second" },
		{ 6000, 6000, 0x200, "third", 4000, 0x200, "third" },
		{ ~0ULL, 5999, 0x300, "second", 4000, 0x300, "third" },
	};
	struct memlat_cell c = cell(4096, MEMLAT_SRC_L3, 1);
	struct memlat_shard_thread *noted;
	unsigned int i;

	for (i = 0; i < sizeof(steps) / sizeof(steps[0]); i++) {
		struct memlat_shard *cpu = shard_new(false);

		noted = memlat_shard_note_thread(cpu, c.tgid, c.gen, c.tid,
						 steps[i].name, "process\0........");
		noted->first_ns = steps[i].first_ns;
		noted->named_ns = steps[i].named_ns;
		noted->tls_base = steps[i].tls_base;
		tables_add(tables, cpu, &c, i, 0);
		assert_int_equal(used(MEMLAT_THREADS), 1);
		thread = at(MEMLAT_THREADS, 0);
		assert_int_equal(thread->first_ns, steps[i].first);
		assert_int_equal(thread->tls_base, steps[i].last);
		assert_string_equal(thread->comm, steps[i].newest);
		shard_delete(cpu);
	}
}

TEST_WITH(test_local_hitm, begin, end)
{
	struct memlat_cell c = cell(0x1009, MEMLAT_SRC_L3_HITM, 3);

	add(&c);
	/* A store's source word says nothing about another core's modified copy. */
	c.flags = MEMLAT_CELL_STORE;
	add(&c);
	assert_int_equal(access->hitm, 3);
	assert_int_equal(access->latency_hitm, 300);
	assert_int_equal(access->rhitm, 0);
	assert_int_equal(thread->hitm, 3);
	assert_int_equal(line->slot_hitm[1], 3);
}

/* Kernel addresses and kernel code are one space, whichever process runs. */
TEST_WITH(test_spaces, begin, end)
{
	struct memlat_cell c = cell(KERNEL, MEMLAT_SRC_L3, 1);

	c.ip = KERNEL + 0x1000;
	add(&c);
	c.tgid = 70;
	c.gen = 90;
	add(&c);
	assert_int_equal(used(MEMLAT_ACCESSES), 2);
	assert_int_equal(used(MEMLAT_THREADS), 2);
	assert_int_equal(used(MEMLAT_LINES), 1);
	assert_int_equal(line->space, 0);
	assert_int_equal(line->gen, 0);
	assert_int_equal(line->shared, 0);
	assert_int_equal(used(MEMLAT_SITES), 1);
	assert_int_equal(site->space, 0);
	assert_int_equal(site->gen, 0);

	/* User addresses belong to a process, and to each program of a process. */
	c = cell(0x1000, MEMLAT_SRC_L3, 1);
	add(&c);
	assert_int_equal(used(MEMLAT_LINES), 2);
	c.tgid = 70;
	add(&c);
	assert_int_equal(used(MEMLAT_LINES), 3);
	c.gen = 90;
	add(&c);
	assert_int_equal(used(MEMLAT_LINES), 4);
	assert_int_equal(used(MEMLAT_SITES), 4);
}

TEST_WITH(test_physical, begin, end)
{
	struct memlat_cell c = cell(0x1008, MEMLAT_SRC_L3, 1);

	c.phys = 0x7f000;
	add(&c);
	assert_int_equal(line->phys, 0x7f000);
	assert_int_equal(line->shared, 0);
	/* The same memory at another address of the same process is not shared. */
	c.addr = 0x5010;
	add(&c);
	assert_int_equal(line->shared, 0);
	assert_int_equal(line->addr, 0x5000);
	c.tgid = 70;
	c.addr = 0x9020;
	add(&c);
	assert_int_equal(used(MEMLAT_LINES), 1);
	assert_int_equal(line->samples, 3);
	assert_int_equal(line->shared, 1);
	assert_int_equal(line->addr, 0x9000);
	assert_int_equal(line->space, 70);
	assert_int_equal(line->bytes_loaded, 1ULL << 8 | 1ULL << 16 | 1ULL << 32);
	/* Known once and another time not: two accesses. Another page makes another one, too. */
	c.phys = 0;
	add(&c);
	c.phys = 0x8f000;
	add(&c);
	assert_int_equal(used(MEMLAT_LINES), 3);
	assert_int_equal(used(MEMLAT_ACCESSES), 5);
	assert_int_equal(line->samples, 3);
}

TEST(test_cost)
{
	struct memlat_cell c = cell(0, 0, 3);

	c.latency_sum = 1000;
	c.weight = 3 * 1009;
	assert_int_equal(memlat_tables_cost(&c), 1000 * 1009);
	/* If the weight is not a whole number, all but the fraction is exact. */
	c.weight = 1009;
	assert_int_equal(memlat_tables_cost(&c), 1000 * 1009 / 3);
	c.weight = (1ULL << 47) + 5;
	assert_int_equal(memlat_tables_cost(&c),
			 (u64)((unsigned __int128)1000 * c.weight / 3));
	c.samples = UINT32_MAX;
	c.latency_sum = 400ULL * UINT32_MAX + 17;
	c.weight = 2003ULL * UINT32_MAX + 5;
	assert_int_equal(memlat_tables_cost(&c),
			 (u64)((unsigned __int128)c.latency_sum * c.weight / UINT32_MAX));
	/* More than a number can hold. */
	c.latency_sum = ~0ULL;
	c.weight = ~0ULL;
	assert_int_equal(memlat_tables_cost(&c), UINT64_MAX);
}

TEST_WITH(test_stacks, begin_with_stacks, end)
{
	const u64 chain[] = { KERNEL + 5, 0x401000, 0x402000 };
	struct memlat_cell c = cell(0x1008, MEMLAT_SRC_RHITM, 2);
	const struct memlat_rec_stack *stack;

	c.stack = memlat_shard_stack(shard, 7, 9, chain, 3, 1);
	add(&c);
	/* Another shard has its own numbers. */
	memlat_shard_clear(shard);
	memlat_shard_stack(shard, 7, 9, chain, 2, 1);
	c.stack = memlat_shard_stack(shard, 7, 9, chain, 3, 1);
	c.samples = 3;
	add(&c);
	c.stack = 0;
	add(&c);

	assert_int_equal(used(MEMLAT_STACKS), 1);
	stack = at(MEMLAT_STACKS, 0);
	{
		const struct memlat_rec_stack want = {
			.hdr = { MEMLAT_REC_STACK, sizeof(want) },
			.id = 1, .frames = 3, .kernel_frames = 1, .tgid = 7, .gen = 9,
			.samples = 5, .hitm = 5, .latency_sum = 400, .weight = 4 * 1009,
			.cost = 200 * 1009 + 200 * 2 * 1009 / 3,
			.frame = { KERNEL + 5, 0x401000, 0x402000 },
		};

		assert_memory_equal(stack, &want, sizeof(want));
	}
	assert_int_equal(used(MEMLAT_ACCESSES), 2);
	assert_int_equal(access->stack, 1);
	assert_int_equal(access->samples, 5);
	access = at(MEMLAT_ACCESSES, 1);
	assert_int_equal(access->stack, 0);

	c.stack = memlat_shard_stack(shard, 7, 9, chain, 2, 1);
	add(&c);
	stack = at(MEMLAT_STACKS, 1);
	assert_int_equal(stack->id, 2);
	assert_int_equal(stack->frames, 2);
	access = at(MEMLAT_ACCESSES, 2);
	assert_int_equal(access->stack, 2);
}

/* All tables together use no more than they were given. */
TEST(test_memory)
{
	static const u64 bytes[] = { 1 << 20, 3 << 20, 64 << 20 };
	unsigned int i, k, stacks, strides;
	u64 sum;

	for (k = 0; k < 9; k++) {
		stacks = k % 3 == 1;
		strides = k % 3 == 2;
		tables = tables_new_with(bytes[k / 3], stacks, strides);
		sum = 0;
		for (i = 0; i < MEMLAT_TABLES; i++) {
			const struct memlat_table *table = &tables->table[i];

			assert_int_equal(table->chunks, table->max_chunks);
			sum += memlat_table_bytes(table, PAGE);
			if (i == MEMLAT_STACKS)
				assert_int_equal(table->sets > 0, stacks);
			else if (i == MEMLAT_STRIDES)
				assert_int_equal(table->sets > 0, strides);
			else
				assert_true(table->sets > 0);
		}
		assert_true(sum <= bytes[k / 3]);
		assert_true(sum >= bytes[k / 3] / 100 * 85);
		tables_delete(tables);
	}
}
