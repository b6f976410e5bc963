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
 * @tag: 15 bits of the hash of each record, so that few need to be looked at, and
 *	MEMLAT_TABLE_TAKEN; 0: free
 * @floor: most samples that a key of this set may have had which is not here
 * @used: records in this set; they are the first ones
 * @pad: the rest of a cache line
 * @record: the records
 * @weight: samples and error of each record
 *
 * Five cache lines, one of them for tags.
 */
struct memlat_table_set {
	u16 tag[MEMLAT_TABLE_WAYS];
	u64 floor;
	u32 used;
	u32 pad[5];
	void *record[MEMLAT_TABLE_WAYS];
	u64 weight[MEMLAT_TABLE_WAYS];
};

#define MEMLAT_TABLE_TAKEN	0x8000

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
void *memlat_table_new(struct memlat_table *table, u64 hash, u64 samples);
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

static __always_inline struct memlat_table_set *
memlat_table_set_of(const struct memlat_table *table, u64 hash)
{
	return &table->set[(hash >> 32) * table->sets >> 32];
}

static __always_inline u16 memlat_table_tag(u64 hash)
{
	return hash | MEMLAT_TABLE_TAKEN;
}

/*
 * Ways that may have a tag, four at a time: bit 15 of each of four. A way whose tag
 * differs in the lowest bit may be among them, one that is free never is.
 */
static __always_inline u64 memlat_table_match(const struct memlat_table_set *set,
					      unsigned int way, u16 tag)
{
	const u64 one = 0x0001000100010001ULL;
	u64 tags;

	memcpy(&tags, &set->tag[way], sizeof(tags));
	tags ^= tag * one;
	return (tags - one) & ~tags & one << 15;
}

/**
 * memlat_table_get - the record of a key, for adding to it
 * @table: the table
 * @kind: its kind; a constant, so that nothing is called by a pointer
 * @hash: of the key
 * @key: the key
 * @samples: how many will be added, at least one
 *
 * Return: the record, a new one if its samples are zero: then it is as its kind
 * starts it, but for the error, and the caller fills in the key. NULL when there
 * is no place for it, and @samples have been counted as evicted.
 */
static __always_inline void *memlat_table_get(struct memlat_table *table,
					      const struct memlat_table_kind *kind, u64 hash,
					      const void *key, u64 samples)
{
	const u16 tag = memlat_table_tag(hash);
	struct memlat_table_set *set;
	unsigned int way, used;
	void *record;
	u64 match;

	if (table->last_hash == hash && table->last && kind->same(table->last, key)) {
		*table->last_weight += samples;
		return table->last;
	}
	if (unlikely(!table->sets))
		return memlat_table_new(table, hash, samples);
	set = memlat_table_set_of(table, hash);
	used = set->used;
	for (way = 0; way < used; way += 4) {
		match = memlat_table_match(set, way, tag);
		for (; match; match &= match - 1) {
			unsigned int found = way + __builtin_ctzll(match) / 16;

			record = set->record[found];
			if (unlikely(!kind->same(record, key)))
				continue;
			set->weight[found] += samples;
			table->last = record;
			table->last_hash = hash;
			table->last_weight = &set->weight[found];
			return record;
		}
	}
	return memlat_table_new(table, hash, samples);
}

/**
 * memlat_table_expect - a hash will be asked for: have its set at hand
 * @table: the table
 * @hash: of a key
 */
static __always_inline void memlat_table_expect(const struct memlat_table *table, u64 hash)
{
	const struct memlat_table_set *set = memlat_table_set_of(table, hash);

	__builtin_prefetch(set);
	__builtin_prefetch(&set->record[0]);
	__builtin_prefetch(&set->record[MEMLAT_TABLE_WAYS / 2]);
}

/**
 * memlat_table_expect_record - and have its record at hand, once the set is
 * @table: the table
 * @kind: its kind, a constant
 * @hash: of a key
 */
static __always_inline void memlat_table_expect_record(const struct memlat_table *table,
						       const struct memlat_table_kind *kind,
						       u64 hash)
{
	const struct memlat_table_set *set = memlat_table_set_of(table, hash);
	unsigned int way, found, at;
	u64 match;

	for (way = 0; way < set->used; way += 4) {
		match = memlat_table_match(set, way, memlat_table_tag(hash));
		if (!match)
			continue;
		found = way + __builtin_ctzll(match) / 16;
		__builtin_prefetch(&set->weight[found], 1);
		for (at = 0; at < kind->size; at += 64)
			__builtin_prefetch(set->record[found] + at, 1);
		return;
	}
}

#endif /* MEMLAT_CORE_TABLE_H */
