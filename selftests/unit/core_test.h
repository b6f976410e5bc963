/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the tests of module/core share: samples, shards and tables on the host, with the memory that
 * module/store.c would allocate for them.
 */
#ifndef CORE_TEST_H
#define CORE_TEST_H

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "harness.h"
#include "shard.h"
#include "tables.h"

#define PAGE	4096

/* The same numbers in every run. */
static inline u64 random_next(u64 *seed)
{
	*seed = *seed * 6364136223846793005ULL + 1442695040888963407ULL;
	return *seed >> 32;
}

static inline struct memlat_shard *shard_new(bool stacks)
{
	struct memlat_shard *shard = aligned_alloc(64, (sizeof(*shard) + 63) / 64 * 64);

	assert_non_null(shard);
	memset(shard, 0, sizeof(*shard));
	/* A cell is cleared when its tag is set, so its old contents must not be visible. */
	memset(shard->cell, 0xa5, sizeof(shard->cell));
	memset(shard->spill, 0xa5, sizeof(shard->spill));
	if (stacks) {
		shard->stack = calloc(MEMLAT_SHARD_STACKS, sizeof(*shard->stack));
		assert_non_null(shard->stack);
	}
	return shard;
}

static inline void shard_delete(struct memlat_shard *shard)
{
	free(shard->stack);
	free(shard->steps);
	free(shard);
}

/* A load of process 7, thread 8. */
static inline struct memlat_sample sample(u64 addr, u32 latency, u8 source)
{
	return (struct memlat_sample) {
		.ip = 0x401000, .addr = addr, .weight = 1009, .latency = latency,
		.tgid = 7, .tid = 8, .gen = 9, .source = source, .raw = source,
	};
}

/* Count a sample as memlat_record_walk() does. */
static inline void counts_add(struct memlat_counts *counts, const struct memlat_sample *s)
{
	const struct memlat_tally one = { 1, s->weight }, none = { 0 };
	struct memlat_sums sums = { 0 };

	if (!s->store)
		memlat_counts_load(counts, &sums, s, memlat_bucket_of(s->latency));
	else
		memlat_counts_store(counts, s);
	memlat_counts_sums(counts, &sums, s->store ? &none : &one, s->store ? &one : &none);
}

static inline void shard_add(struct memlat_shard *shard, struct memlat_counts *counts,
			     const struct memlat_sample *s)
{
	memlat_shard_add(shard, counts, s, s->store ? 0 : memlat_bucket_of(s->latency));
}

static inline u64 shard_samples(const struct memlat_shard *shard)
{
	unsigned int i;
	u64 sum = 0;

	for (i = 0; i < MEMLAT_SHARD_CELLS; i++)
		if (shard->tag[i])
			sum += shard->cell[i].samples;
	for (i = 0; i < shard->spilled; i++)
		sum += shard->spill[i].samples;
	return sum;
}

static inline void table_alloc(struct memlat_table *table)
{
	table->set = calloc(table->sets ? table->sets : 1, MEMLAT_TABLE_SET_BYTES);
	table->chunk = calloc(table->max_chunks ? table->max_chunks : 1, sizeof(*table->chunk));
	assert_non_null(table->set);
	assert_non_null(table->chunk);
}

/* Give the table at most @chunks more chunks, with contents that must not be visible. */
static inline void table_grow(struct memlat_table *table, u32 chunks)
{
	for (; chunks && table->chunks < table->max_chunks; chunks--) {
		table->chunk[table->chunks] = malloc(MEMLAT_TABLE_CHUNK);
		assert_non_null(table->chunk[table->chunks]);
		memset(table->chunk[table->chunks++], 0xa5, MEMLAT_TABLE_CHUNK);
	}
}

static inline void table_free(struct memlat_table *table)
{
	u32 i;

	for (i = 0; i < table->chunks; i++)
		free(table->chunk[i]);
	free(table->chunk);
	free(table->set);
}

#define STORE	(1 << 20)	/* bytes: a store that holds some thousands of lines */

/* Loads of one instruction of one thread. */
static inline struct memlat_cell cell(u64 addr, u8 source, u32 samples)
{
	return (struct memlat_cell) {
		.addr = addr, .ip = 0x401000, .tgid = 7, .tid = 8, .gen = 9,
		.kind = 4 | source << 4, .samples = samples, .latency_max = 100,
		.latency_sum = 100ULL * samples, .weight = 1009ULL * samples,
	};
}

static inline struct memlat_tables *tables_new_with(u64 bytes, bool stacks, bool strides)
{
	struct memlat_tables *tables = malloc(sizeof(*tables));
	unsigned int i;

	assert_non_null(tables);
	memlat_tables_plan(tables, bytes, stacks, strides, PAGE);
	for (i = 0; i < MEMLAT_TABLES; i++) {
		table_alloc(&tables->table[i]);
		table_grow(&tables->table[i], ~0U);
	}
	return tables;
}

static inline struct memlat_tables *tables_new(u64 bytes, bool stacks)
{
	return tables_new_with(bytes, stacks, false);
}

static inline void tables_delete(struct memlat_tables *tables)
{
	unsigned int i;

	for (i = 0; i < MEMLAT_TABLES; i++)
		table_free(&tables->table[i]);
	free(tables);
}

/* What readers get of a record. It is valid until as many others were read. */
static inline const void *row_read(const struct memlat_table *table, u32 nr)
{
	static u64 rows[32][MEMLAT_REC_MAX / sizeof(u64)];
	static unsigned int next;
	u64 *row = rows[next++ % ARRAY_SIZE(rows)];

	memset(row, 0xa5, sizeof(rows[0]));
	memlat_table_read(table->kind, memlat_table_at(table, nr), row);
	return row;
}

/* Merge a shard as module/store.c does. */
static inline void merge(struct memlat_tables *tables, struct memlat_shard *shard,
			 unsigned int cpu, unsigned int node)
{
	const unsigned int end = shard->spilled + shard->used;
	const struct memlat_cell *cell[MEMLAT_TABLES_BATCH];
	struct memlat_line *line[MEMLAT_TABLES_BATCH];
	unsigned int at = 0, i;

	while (at < end) {
		for (i = 0; at < end && i < MEMLAT_TABLES_BATCH; at++, i++)
			cell[i] = at < shard->spilled ? &shard->spill[at] :
				  &shard->cell[shard->place[at - shard->spilled]];
		memlat_tables_add(tables, shard, cell, i, cpu, node, line);
	}
	memlat_shard_clear(shard);
}

static inline struct memlat_line *tables_add(struct memlat_tables *tables,
					     const struct memlat_shard *shard,
					     const struct memlat_cell *cell,
					     unsigned int cpu, unsigned int node)
{
	struct memlat_line *line;

	memlat_tables_add(tables, shard, &cell, 1, cpu, node, &line);
	return line;
}

#endif /* CORE_TEST_H */
