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
