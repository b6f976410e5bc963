// SPDX-License-Identifier: GPL-2.0
/*
 * module/core: the table under lines, sites, accesses, threads and stacks. Its bound on what it
 * forgets is compared with an exact count.
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

static const struct memlat_table_kind kept = {
	.type = 77,
	.size = sizeof(struct record),
	.samples = offsetof(struct record, samples),
	.keep = true,
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

static struct record *add(struct memlat_table *table, u64 key, u64 samples)
{
	return add_at(table, memlat_hash(0, key), key, samples);
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

static u64 samples_in(const struct memlat_table *table)
{
	u64 sum = 0;
	u32 i;

	for (i = 0; i < table->now.used; i++)
		sum += ((const struct record *)memlat_table_at(table, i))->samples;
	return sum;
}

static struct memlat_table table;

/* All memory that it may take, at once. */
static void make(const struct memlat_table_kind *of, u64 bytes)
{
	memlat_table_plan(&table, of, bytes, PAGE);
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

TEST_WITH(test_find, NULL, end)
{
	struct record *record;
	u32 i;

	make(&kind, 1 << 20);
	record = add(&table, 5, 2);
	assert_int_equal(record->hdr.type, 77);
	assert_int_equal(record->hdr.size, sizeof(*record));
	assert_int_equal(record->error, 0);
	for (i = 0; i < 11; i++)
		assert_int_equal(record->other[i], 0);
	assert_ptr_equal(add(&table, 5, 3), record);
	assert_int_equal(record->samples, 5);
	/* One hash for two keys. */
	assert_ptr_not_equal(add_at(&table, memlat_hash(0, 5), 6, 1), record);
	assert_ptr_equal(add(&table, 5, 1), record);
	assert_int_equal(table.now.used, 2);
	assert_int_equal(table.now.evicted, 0);
	assert_int_equal(table.now.error, 0);
}

/*
 * One set, by hand: the lightest entry is evicted, and its count becomes the error of the new one.
 */
TEST_WITH(test_evict, NULL, end)
{
	struct record *record;
	u64 i;

	make(&kind, 1 << 20);
	for (i = 0; i < MEMLAT_TABLE_WAYS; i++)
		add_at(&table, i, i, 10 + i);
	record = add_at(&table, 100, 100, 1);
	assert_int_equal(record->error, 10);
	assert_int_equal(table.now.evicted, 10);
	assert_int_equal(table.now.error, 10);
	assert_null(find(&table, 0));
	/* Key 100 weighs 1 + 10, as much as key 1. Then key 1 is the lighter one. */
	add_at(&table, 100, 100, 1);
	record = add_at(&table, 101, 101, 7);
	assert_int_equal(record->error, 11);
	assert_null(find(&table, 1));
	assert_int_equal(table.now.evicted, 21);
	/* Key 0 comes back: at most 12 samples were forgotten. 10 really were. */
	record = add_at(&table, 0, 0, 1);
	assert_int_equal(record->error, 12);
	assert_int_equal(table.now.used, MEMLAT_TABLE_WAYS);
	assert_int_equal(table.now.error, 12);

	memlat_table_clear(&table, 0, table.sets);
	assert_int_equal(table.now.used, 0);
	assert_int_equal(table.now.error, 0);
	assert_int_equal(add_at(&table, 0, 0, 1)->error, 0);
}

/* The same of records with more samples than a set counts of each: whole records are compared. */
TEST_WITH(test_evict_heavy, NULL, end)
{
	const u64 heavy = 1ULL << 40;
	struct record *record;
	u64 i;

	make(&kind, 1 << 20);
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

/* Numbers that were given out stay valid. What finds no place is counted. */
TEST_WITH(test_keep, NULL, end)
{
	u64 i, placed = 0;

	make(&kept, 64 << 10);
	for (i = 0; i < 4000; i++)
		if (add(&table, i, 2))
			placed += 2;
	assert_int_equal(samples_in(&table), placed);
	assert_int_equal(placed + table.now.evicted, 8000);
	assert_true(table.now.evicted > 0);
	assert_int_equal(table.now.error, 0);
	for (i = 0; i < table.now.used; i++)
		assert_int_equal(((struct record *)memlat_table_at(&table, i))->samples, 2);
}

/* A table that may have no place at all. */
TEST(test_no_place)
{
	memlat_table_plan(&table, &kind, 0, PAGE);
	assert_int_equal(table.sets, 0);
	assert_null(add(&table, 5, 3));
	assert_int_equal(table.now.evicted, 3);
	assert_int_equal(table.now.error, 3);
}

/*
 * The table's rule, checked with an exact count of every key: every loss is counted, samples <=
 * truth <= samples + error for each key in the table, and truth <= error of the table for each
 * other key.
 */
static void hold(const u64 *truth, u32 keys, u64 total)
{
	u8 *present = calloc(keys, 1);
	u32 i;

	assert_int_equal(samples_in(&table) + table.now.evicted, total);
	for (i = 0; i < table.now.used; i++) {
		const struct record *record = memlat_table_at(&table, i);

		assert_int_equal(present[record->key], 0);
		present[record->key] = 1;
		assert_true(record->samples <= truth[record->key]);
		assert_true(truth[record->key] <= record->samples + record->error);
		assert_true(record->error <= table.now.error);
	}
	for (i = 0; i < keys; i++)
		assert_true(present[i] || truth[i] <= table.now.error);
	free(present);
}

TEST_WITH(test_bound_uniform, NULL, end)
{
	enum { KEYS = 20000, ADDS = 300000 };
	u64 *truth = calloc(KEYS, sizeof(*truth));
	u64 seed = 1, total = 0;
	u32 i, key, n;

	make(&kind, 128 << 10);
	assert_in_range(table.sets * MEMLAT_TABLE_WAYS, 500, 2000);
	for (i = 0; i < ADDS; i++) {
		key = random_next(&seed) % KEYS;
		n = 1 + random_next(&seed) % 7;
		assert_non_null(add(&table, key, n));
		truth[key] += n;
		total += n;
		if (i % (ADDS / 10) == 0)
			hold(truth, KEYS, total);
	}
	hold(truth, KEYS, total);
	/* Full to its last place, and the bound is that of the sketch, with some slack. */
	assert_int_equal(table.now.used, table.sets * MEMLAT_TABLE_WAYS);
	assert_true(table.now.error <= total / table.now.used * 3 / 2);
	free(truth);
}

/*
 * Memory as it is usually used: a few lines get most accesses. All of these are there, nearly
 * exact.
 */
TEST_WITH(test_bound_zipf, NULL, end)
{
	enum { OCTAVES = 17, KEYS = 1 << OCTAVES, ADDS = 500000, HEAVY = 50 };
	u64 *truth = calloc(KEYS, sizeof(*truth));
	u64 seed = 2, total = 0;
	u32 i, key;

	make(&kind, 512 << 10);
	for (i = 0; i < ADDS; i++) {
		/* Each octave of keys is equally frequent: the density is 1/key. */
		key = 1U << random_next(&seed) % OCTAVES;
		key += random_next(&seed) % key;
		assert_non_null(add(&table, key, 1));
		truth[key]++;
		total++;
	}
	hold(truth, KEYS, total);
	assert_true(table.now.evicted > 0);
	for (key = 1; key < HEAVY; key++) {
		const struct record *record = find(&table, key);

		assert_true(truth[key] > table.now.error);
		assert_non_null(record);
		assert_true(record->samples >= truth[key] * 95 / 100);
	}
	free(truth);
}

/* Memory that comes late, or never: the rule holds all the same. */
TEST_WITH(test_without_memory, NULL, end)
{
	enum { KEYS = 3000, ADDS = 30000 };
	u64 *truth = calloc(KEYS, sizeof(*truth));
	u64 seed = 3, total = 0;
	u32 i, key, refused = 0;

	memlat_table_plan(&table, &kind, 256 << 10, PAGE);
	table_alloc(&table);
	for (i = 0; i < ADDS; i++) {
		if (i % (ADDS / 8) == ADDS / 16)
			table_grow(&table, 1);
		key = random_next(&seed) % KEYS;
		refused += !add(&table, key, 2);
		truth[key] += 2;
		total += 2;
		if (i % (ADDS / 40) == 0)
			hold(truth, KEYS, total);
	}
	hold(truth, KEYS, total);
	assert_true(refused > 0);
	assert_true(table.now.used > 0);
	free(truth);
}
