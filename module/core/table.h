/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A table of the store: records under a key, as many as memory was allowed
 * for. The owner (module/store.c) provides the memory, so that this stays free
 * of it; one writer at a time, in process context.
 */
#ifndef MEMLAT_CORE_TABLE_H
#define MEMLAT_CORE_TABLE_H

#include <uapi/linux/memlat.h>

#include "types.h"

#define MEMLAT_TABLE_WAYS	16
#define MEMLAT_TABLE_CHUNK	16384	/* bytes of records allocated together */

/**
 * struct memlat_table_kind - what a table's records are
 * @type: enum memlat_rec_type
 * @size: bytes of one, a multiple of 8
 * @samples: offset of its samples; its error follows, but for @keep
 * @keep: records have numbers that others refer to: none ever leaves, and none
 *	has an error
 * @same: has this record that key?
 * @start: fill in a record without samples: its header, and zeros. By kind,
 *	because the compiler does best when it knows the size.
 */
struct memlat_table_kind {
	u32 type;
	u16 size;
	u16 samples;
	bool keep;
	bool (*same)(const void *record, const void *key);
	void (*start)(void *record);
};

/**
 * struct memlat_table_set - where the records of one hash value may be
 * @tag: part of the hash of each record, so that few need to be looked at
 * @nr: number of the record
 * @weight: samples and error of the record
 * @floor: most samples that a key of this set may have had which is not here
 * @used: records in this set; they are the first ones
 */
struct memlat_table_set {
	u32 tag[MEMLAT_TABLE_WAYS];
	u32 nr[MEMLAT_TABLE_WAYS];
	u64 weight[MEMLAT_TABLE_WAYS];
	u64 floor;
	u64 used;
};

/**
 * struct memlat_figures - how a table fares
 * @used: records in it
 * @evicted: samples that are in none of them
 * @error: most samples that a key may have had which is not in the table
 */
struct memlat_figures {
	u64 used;
	u64 evicted;
	u64 error;
};

/**
 * struct memlat_table - one table
 * @kind: see there
 * @set: @sets of them
 * @sets: each for MEMLAT_TABLE_WAYS records
 * @chunk: where the records are; grows up to @max_chunks, by its owner
 * @chunks: how many there are
 * @max_chunks: how many there may be
 * @per_chunk: records in one
 * @now: figures
 * @last: the record that was asked for last: it is often asked for again
 * @last_hash: of its key
 * @last_weight: its weight in the index
 */
struct memlat_table {
	const struct memlat_table_kind *kind;
	struct memlat_table_set *set;
	u32 sets;
	void **chunk;
	u32 chunks;
	u32 max_chunks;
	u32 per_chunk;
	struct memlat_figures now;
	void *last;
	u64 last_hash;
	u64 *last_weight;
};

void memlat_table_plan(struct memlat_table *table, const struct memlat_table_kind *kind,
		       u64 bytes, u32 page);
u64 memlat_table_bytes(const struct memlat_table *table, u32 page);
void *memlat_table_get(struct memlat_table *table, u64 hash, const void *key, u64 samples);
void memlat_table_clear(struct memlat_table *table, u32 first, u32 sets);

/**
 * memlat_table_at - a record by its number
 * @table: the table
 * @nr: less than @table->now.used
 */
static inline void *memlat_table_at(const struct memlat_table *table, u32 nr)
{
	return table->chunk[nr / table->per_chunk] +
	       nr % table->per_chunk * (size_t)table->kind->size;
}

/**
 * memlat_table_room - records that can be added with the memory that is there
 * @table: the table
 */
static inline u64 memlat_table_room(const struct memlat_table *table)
{
	return (u64)table->chunks * table->per_chunk - table->now.used;
}

#endif /* MEMLAT_CORE_TABLE_H */
