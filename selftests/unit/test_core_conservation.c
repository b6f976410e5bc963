// SPDX-License-Identifier: GPL-2.0
/* module/core: every sample is in the tables, or in a count of what was lost. */
#include "core_test.h"
#include "tables.h"

#define KERNEL	0xffffffff80000000ULL

static u64 sum_at(const struct memlat_table *table, size_t offset)
{
	u64 sum = 0;
	u32 i;

	for (i = 0; i < table->now.used; i++)
		sum += *(const u64 *)(row_read(table, i) + offset);
	return sum;
}

#define SUM(nr, type, member)	\
	sum_at(&tables->table[nr], offsetof(struct memlat_rec_##type, member))

/* The equations of uapi/linux/memlat.h between exact counts and all tables. */
static void check_accounts(const struct memlat_tables *tables, const struct memlat_counts *c)
{
	const u64 lost = c->count[MEMLAT_COUNT_CELLS_LOST];
	const u64 samples = c->count[MEMLAT_COUNT_SAMPLES];
	const struct memlat_table *t = tables->table;

	assert_int_equal(SUM(MEMLAT_LINES, line, samples) + t[MEMLAT_LINES].now.evicted + lost,
			 samples);
	assert_int_equal(SUM(MEMLAT_SITES, site, samples) + t[MEMLAT_SITES].now.evicted + lost,
			 samples);
	assert_int_equal(SUM(MEMLAT_ACCESSES, access, samples) +
			 t[MEMLAT_ACCESSES].now.evicted + lost, samples);
	assert_int_equal(SUM(MEMLAT_THREADS, thread, samples) +
			 t[MEMLAT_THREADS].now.evicted + lost, samples);
	assert_int_equal(SUM(MEMLAT_STACKS, stack, samples) + t[MEMLAT_STACKS].now.evicted +
			 c->count[MEMLAT_COUNT_STACKS_LOST], samples);
}

/*
 * A session with far more of everything than there is room for, whose shards are sometimes merged
 * too late: every loss is counted.
 */
static void conserve(unsigned int merge_every)
{
	struct memlat_tables *tables = tables_new(STORE, true);
	struct memlat_shard *shard = shard_new(true);
	struct memlat_counts counts = { 0 };
	u64 seed = merge_every, chain[4] = { 0 };
	char name[MEMLAT_COMM_BYTES] = "name";
	unsigned int i;

	for (i = 0; i < 120000; i++) {
		u64 r = random_next(&seed), line = r % (1 + random_next(&seed) % 50000);
		struct memlat_sample s = sample(line * 64 + r % 60, 3 + r % 3000,
						r % MEMLAT_SRC_NR);

		s.ip = 0x400000 + random_next(&seed) % 3000;
		s.tgid = 1 + random_next(&seed) % 100;
		s.tid = s.tgid + random_next(&seed) % 50;
		s.store = r % 7 == 0;
		if (r % 11 == 0)
			s.addr += KERNEL;
		memlat_shard_note_thread(shard, s.tgid, s.gen, s.tid, name, name);
		chain[0] = s.ip;
		s.stack = memlat_shard_stack(shard, s.tgid, s.gen, chain, 4, 0);
		counts.count[MEMLAT_COUNT_STACKS_LOST] += !s.stack;
		counts_add(&counts, &s);
		shard_add(shard, &counts, &s);
		if (i % merge_every == 0) {
			merge(tables, shard, i % 3, i % 2);
			check_accounts(tables, &counts);
		}
	}
	merge(tables, shard, 0, 0);
	check_accounts(tables, &counts);
	assert_true(tables->table[MEMLAT_LINES].now.evicted > 0);
	assert_int_equal(!!counts.count[MEMLAT_COUNT_CELLS_LOST], merge_every > 2000);
	shard_delete(shard);
	tables_delete(tables);
}

TEST(test_conservation)
{
	conserve(1000);
	conserve(17000);
}
