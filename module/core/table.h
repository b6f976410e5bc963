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

/* Packed it has a map of at most 64 bytes more. */
#define MEMLAT_TABLE_RECORD_MAX	(MEMLAT_REC_MAX - 64)
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
 * struct memlat_table_way - a place of a set
 * @record: the record, which stays in its place as long as there is a table
 * @weight: samples and error of it
 */
struct memlat_table_way {
	void *record;
	u64 weight;
};

/**
 * MEMLAT_TABLE_KIND - define the kind of a table whose records have an error
 * @kind: its name
 * @number: enum memlat_rec_type
 * @record: the struct of a record
 * @count: the member that has its samples
 * @...: members that do not begin as 0
 *
 * same() has to stand above it.
 */
#define MEMLAT_TABLE_KIND(kind, number, record, count, ...)		\
	static_assert(sizeof(struct record) <= MEMLAT_TABLE_RECORD_MAX); \
	static_assert(sizeof(struct record) % 8 == 0);			\
	static_assert(offsetof(struct record, error) ==			\
		      offsetof(struct record, count) + sizeof(u64));	\
									\
	static void start(void *place)					\
	{								\
		*(struct record *)place = (struct record) {		\
			.hdr = { number, sizeof(struct record) },	\
			__VA_ARGS__					\
		};							\
	}								\
									\
	const struct memlat_table_kind kind = {				\
		.type = number,						\
		.size = sizeof(struct record),				\
		.samples = offsetof(struct record, count),		\
		.same = same,						\
		.start = start,						\
	}

/**
 * struct memlat_table_set - where the records of one hash value may be
 * @tag: 15 bits of the hash of each record, so that few need to be looked at, and
 *	MEMLAT_TABLE_TAKEN; 0: free
 * @floor: most samples that a key of this set may have had which is not here
 * @used: records in this set; they are the first ones
 * @pad: the rest of a cache line
 * @way: the places
 *
 * Five cache lines, one of them for tags. Who finds a tag touches one of the other four.
 */
struct memlat_table_set {
	u16 tag[MEMLAT_TABLE_WAYS];
	u64 floor;
	u32 used;
	u32 pad[5];
	struct memlat_table_way way[MEMLAT_TABLE_WAYS];
};

#define MEMLAT_TABLE_TAKEN	0x8000

#define MEMLAT_TABLE_RECENT	128

/**
 * struct memlat_table_recent - a record that was asked for not long ago
 * @hash: of its key
 * @way: its place; NULL: none. There may be another key's record by now.
 */
struct memlat_table_recent {
	u64 hash;
	struct memlat_table_way *way;
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
 * @recent: some records, by their hash: those of few instructions and threads are asked
 *	for again and again
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
	struct memlat_table_recent recent[MEMLAT_TABLE_RECENT];
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

static __always_inline struct memlat_table_recent *
memlat_table_recent_of(struct memlat_table *table, u64 hash)
{
	return &table->recent[(hash >> 16) % MEMLAT_TABLE_RECENT];
}

static __always_inline u16 memlat_table_tag(u64 hash)
{
	return hash | MEMLAT_TABLE_TAKEN;
}

/*
 * Of each of four tags that is this one the highest bit, and no other. All that are taken have
 * that bit, so that of their differences only 0 leaves it set when it is taken from the bit
 * alone; and what one that is free borrows is of ways behind it, which are free too.
 */
static __always_inline u64 memlat_table_match_four(const struct memlat_table_set *set,
						   unsigned int first, u64 tag)
{
	const u64 high = 0x8000800080008000ULL;
	u64 tags;

	memcpy(&tags, &set->tag[first], sizeof(tags));
	return (high - (tags ^ tag)) & tags & high;
}

/*
 * Ways that have a tag: bit 16 * n + k is of way 4 * k + n. All are compared at once: no
 * predictor knows at which of them a search would end.
 */
static __always_inline u64 memlat_table_match(const struct memlat_table_set *set, u16 tag)
{
	const u64 tags = tag * 0x0001000100010001ULL;

	return memlat_table_match_four(set, 0, tags) >> 15 |
	       memlat_table_match_four(set, 4, tags) >> 14 |
	       memlat_table_match_four(set, 8, tags) >> 13 |
	       memlat_table_match_four(set, 12, tags) >> 12;
}

/* The first of some ways that match. */
static __always_inline unsigned int memlat_table_way(u64 match)
{
	const unsigned int bit = __builtin_ctzll(match);

	return bit % 16 * 4 + bit / 16;
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
	struct memlat_table_recent *recent = memlat_table_recent_of(table, hash);
	struct memlat_table_set *set;
	struct memlat_table_way *way;
	u64 match;

	way = recent->way;
	if (recent->hash == hash && way && kind->same(way->record, key)) {
		way->weight += samples;
		return way->record;
	}
	if (unlikely(!table->sets))
		return memlat_table_new(table, hash, samples);
	set = memlat_table_set_of(table, hash);
	match = memlat_table_match(set, memlat_table_tag(hash));
	for (; match; match &= match - 1) {
		way = &set->way[memlat_table_way(match)];
		if (unlikely(!kind->same(way->record, key)))
			continue;
		way->weight += samples;
		recent->hash = hash;
		recent->way = way;
		return way->record;
	}
	return memlat_table_new(table, hash, samples);
}

/**
 * struct memlat_table_ask - a key that will be asked for
 * @hash: of the key
 * @set: where its record may be
 * @way: the place that it may have there; NULL: none
 *
 * Of a large table neither index nor record is in a cache. Who asks for many keys asks for all
 * their sets first, then for the ways and then for the records, and each time they come at once.
 */
struct memlat_table_ask {
	u64 hash;
	struct memlat_table_set *set;
	struct memlat_table_way *way;
};

/**
 * memlat_table_ask - the first step
 * @table: the table; with sets
 * @ask: filled in
 * @hash: of the key
 */
static __always_inline void memlat_table_ask(const struct memlat_table *table,
					     struct memlat_table_ask *ask, u64 hash)
{
	ask->hash = hash;
	ask->set = memlat_table_set_of(table, hash);
	__builtin_prefetch(ask->set);
}

/**
 * memlat_table_ask_way - the second
 * @ask: after the first
 */
static __always_inline void memlat_table_ask_way(struct memlat_table_ask *ask)
{
	const u64 match = memlat_table_match(ask->set, memlat_table_tag(ask->hash));

	ask->way = NULL;
	if (likely(match)) {
		ask->way = &ask->set->way[memlat_table_way(match)];
		__builtin_prefetch(ask->way, 1);
	}
}

/**
 * memlat_table_ask_record - the record whose lines are to be fetched
 * @ask: after the second
 *
 * Return: NULL when there is none.
 */
static __always_inline const void *memlat_table_ask_record(const struct memlat_table_ask *ask)
{
	return likely(ask->way) ? ask->way->record : NULL;
}

/**
 * memlat_table_get_asked - as memlat_table_get()
 * @table: the table
 * @kind: its kind, a constant
 * @ask: after the second step; what others did meanwhile does no harm
 * @key: the key
 * @samples: how many will be added, at least one
 *
 * Return: likewise.
 */
static __always_inline void *memlat_table_get_asked(struct memlat_table *table,
						    const struct memlat_table_kind *kind,
						    const struct memlat_table_ask *ask,
						    const void *key, u64 samples)
{
	struct memlat_table_way *way = ask->way;

	if (likely(way && kind->same(way->record, key))) {
		way->weight += samples;
		return way->record;
	}
	return memlat_table_get(table, kind, ask->hash, key, samples);
}

#endif /* MEMLAT_CORE_TABLE_H */
