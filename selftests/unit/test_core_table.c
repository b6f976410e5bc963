// SPDX-License-Identifier: GPL-2.0
/*
 * module/core: the table under lines, sites, accesses, threads and stacks. The fuzz target "table"
 * compares it with lists; here are its memory, and more samples than that target adds.
 */
#include "core_test.h"
#include "shard.h"
#include "tables.h"

struct record {
	struct memlat_rec_header hdr;
	u64 key;
	u64 samples;
	u64 error;
	u64 other[11];
};

static bool same(const void *record, const void *key)
{
	return ((const struct record *)record)->key == *(const u64 *)key;
}

static void start(void *record)
{
	*(struct record *)record = (struct record) { .hdr = { 77, sizeof(struct record) } };
}

static const struct memlat_table_kind kind = {
	.type = 77,
	.size = sizeof(struct record),
	.samples = offsetof(struct record, samples),
	.same = same,
	.start = start,
};

static struct record *add_at(struct memlat_table *table, u64 hash, u64 key, u64 samples)
{
	struct memlat_table_place place = { NULL };
	struct record *record = memlat_table_get(table, table->kind, hash, &key, samples, &place);

	if (!record)
		return NULL;
	if (!record->samples)
		record->key = key;
	assert_int_equal(record->key, key);
	record->samples += samples;
	return record;
}

static const struct record *find(const struct memlat_table *table, u64 key)
{
	u32 i;

	for (i = 0; i < table->now.used; i++) {
		const struct record *record = memlat_table_at(table, i);

		if (record->key == key)
			return record;
	}
	return NULL;
}

static struct memlat_table table;

/* All memory that it may take, at once. */
static void make(u64 bytes)
{
	memlat_table_plan(&table, &kind, bytes, PAGE);
	table_alloc(&table);
	table_grow(&table, ~0U);
}

static int end(void **state)
{
	table_free(&table);
	return 0;
}

/* A table never takes more than it was allowed, and not much less. */
TEST(test_plan)
{
	u64 bytes, full;

	for (bytes = 0; bytes < (1ULL << 34); bytes = bytes * 5 / 4 + 4096) {
		memlat_table_plan(&table, &memlat_lines_kind, bytes, PAGE);
		table.chunks = table.max_chunks;
		full = memlat_table_bytes(&table, PAGE);
		assert_true(full <= bytes);
		assert_true((u64)table.chunks * table.per_chunk >=
			    (u64)table.sets * MEMLAT_TABLE_WAYS);
		/* A chunk, a page twice, and a set may be left unused. */
		assert_true(full + MEMLAT_TABLE_CHUNK + 2 * PAGE + MEMLAT_TABLE_SET_BYTES +
			    MEMLAT_TABLE_WAYS * sizeof(struct memlat_rec_line) >= bytes);
	}
	assert_true((u64)table.sets * MEMLAT_TABLE_WAYS < UINT32_MAX);
}

/* The lightest entry of a set is evicted, and its count becomes the error of the new one. */
TEST_WITH(test_evict_heavy, NULL, end)
{
	const u64 heavy = 1ULL << 40;
	struct record *record;
	u64 i;

	make(1 << 20);
	for (i = 0; i < MEMLAT_TABLE_WAYS; i++)
		add_at(&table, i, i, heavy + 3 * MEMLAT_TABLE_HEAVY * (MEMLAT_TABLE_WAYS - i));
	/* The last key is the lightest, and then the one before it, until all others are gone. */
	for (i = 0; i < MEMLAT_TABLE_WAYS; i++) {
		record = add_at(&table, 100 + i, 100 + i, 1000 * heavy);
		assert_int_equal(record->error, heavy + 3 * MEMLAT_TABLE_HEAVY * (i + 1));
		assert_null(find(&table, MEMLAT_TABLE_WAYS - 1 - i));
	}
	/* Now key 100 is, which was added first. */
	assert_int_equal(add_at(&table, 200, 200, 1)->error, 1001 * heavy + 3 * MEMLAT_TABLE_HEAVY);
	assert_null(find(&table, 100));
	/* And the new one, as soon as the next is added. */
	record = add_at(&table, 201, 201, 1);
	assert_int_equal(record->error, 1001 * heavy + 3 * MEMLAT_TABLE_HEAVY + 1);
	assert_null(find(&table, 200));
	assert_int_equal(table.now.error, record->error);
}
