/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A table of the store: records by key, as many as its memory allows. The owner (module/store.c)
 * allocates the memory. One writer at a time, in process context.
 */
#ifndef MEMLAT_CORE_TABLE_H
#define MEMLAT_CORE_TABLE_H

#include <uapi/linux/memlat.h>

#include "types.h"

/* A packed record has in addition a map of at most 64 bytes. */
#define MEMLAT_TABLE_RECORD_MAX	(MEMLAT_REC_MAX - 64)
#define MEMLAT_TABLE_WAYS	16
#define MEMLAT_TABLE_NEAR	2	/* ways whose records are in the set itself */
#define MEMLAT_TABLE_CHUNK	16384	/* bytes of records allocated together */

/**
 * struct memlat_table_kind - the type of a table's records
 * @type: enum memlat_rec_type
 * @size: bytes of a record, a multiple of 8
 * @rest: bytes of a record's second part, a multiple of 8. It has what few samples change, and is
 *	apart from the first parts, so that these fill few cache lines and pages
 * @rest_at: offset of a u16 in the record, for memlat_table_rest(); if there is a second part
 * @row: bytes of the struct that readers get; 0: they get the record
 * @samples: offset of its number of samples, which its error follows unless @keep
 * @keep: other records refer to these by number, so none is ever evicted, and none has an error
 * @hash: hash of a key
 * @same: check whether a record has this key
 * @start: initialize a record without samples: its header, and zeros; but not its second part,
 *	and of the u16 at @rest_at only MEMLAT_TABLE_REST_USED. A function for each kind, because
 *	the compiler then knows the size.
 * @read: make the struct that readers get; if there is a @row
 */
struct memlat_table_kind {
	u32 type;
	u16 size;
	u16 rest;
	u16 rest_at;
	u16 row;
	u16 samples;
	bool keep;
	u64 (*hash)(const void *key);
	bool (*same)(const void *record, const void *key);
	void (*start)(void *record);
	void (*read)(const void *record, void *row);
};

/* Bytes of the struct that readers get of a record. */
static inline u32 memlat_table_row_bytes(const struct memlat_table_kind *kind)
{
	return kind->row ? kind->row : kind->size;
}

/**
 * memlat_table_read - make the struct that readers get of a record
 * @kind: its kind
 * @record: the record
 * @row: memlat_table_row_bytes(), filled in
 */
static inline void memlat_table_read(const struct memlat_table_kind *kind, const void *record,
				     void *row)
{
	if (kind->row)
		kind->read(record, row);
	else
		memcpy(row, record, kind->size);
}

/**
 * MEMLAT_TABLE_KIND - define the kind of a table whose records have an error
 * @kind: its name
 * @number: enum memlat_rec_type
 * @record: the struct of a record
 * @count: the member with the number of samples
 * @...: initial values of members that do not begin as 0
 *
 * The file has to define @kind_hash() and @kind_same() above it.
 */
#define MEMLAT_TABLE_KIND(kind, number, record, count, ...)		\
	static_assert(sizeof(struct record) <= MEMLAT_TABLE_RECORD_MAX); \
	static_assert(sizeof(struct record) % 8 == 0);			\
	static_assert(offsetof(struct record, error) ==			\
		      offsetof(struct record, count) + sizeof(u64));	\
									\
	static void kind##_start(void *place)				\
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
		.hash = kind##_hash,					\
		.same = kind##_same,					\
		.start = kind##_start,					\
	}

/**
 * struct memlat_table_set - the places where a record may be, by its hash
 * @tag: for each way, at memlat_table_tag_of(), seven bits of the record's hash, so that few
 *	records need to be compared, and MEMLAT_TABLE_TAKEN; 0: free. Records are in the first ways.
 * @weight: for each way, its record's samples plus its error, minus @base; MEMLAT_TABLE_HEAVY: so
 *	many or more, or @base is 0
 * @base: at most the weight of the lightest record; 0: no record was ever evicted, so that none
 *	was weighed
 * @floor: the most samples that a key of this set can have had that is not in it
 * @record: the records of the first ways, which do not move while the table exists
 *
 * One cache line. The records of the other ways are behind all sets, so that the sets of a large
 * table fill few pages: most look-ups in a table that has room need no more than the set.
 */
struct memlat_table_set {
	u8 tag[MEMLAT_TABLE_WAYS];
	u8 weight[MEMLAT_TABLE_WAYS];
	u64 base;
	u64 floor;
	void *record[MEMLAT_TABLE_NEAR];
};

/* Bytes of a set, and of the records of all its ways. */
#define MEMLAT_TABLE_SET_BYTES	\
	(sizeof(struct memlat_table_set) + MEMLAT_TABLE_WAYS * sizeof(void *))

#define MEMLAT_TABLE_HEAVY	64
#define MEMLAT_TABLE_TAKEN	0x80

#define MEMLAT_TABLE_RECENT_BITS	8

/**
 * struct memlat_table_place - where the record of a key may be
 * @record: the record, which may be another key's by now; NULL: not known
 * @weight: its weight in its set
 * @set: the set, between memlat_table_prefetch() and memlat_table_find()
 */
struct memlat_table_place {
	void *record;
	union {
		u8 *weight;
		struct memlat_table_set *set;
	};
};

/**
 * struct memlat_figures - figures of a table
 * @used: number of records
 * @evicted: samples that are in no record
 * @error: the most samples that a key can have had that is not in the table
 */
struct memlat_figures {
	u64 used;
	u64 evicted;
	u64 error;
};

/**
 * struct memlat_table - one table
 * @kind: the type of its records
 * @set: @sets sets, each with MEMLAT_TABLE_SET_BYTES
 * @sets: number of sets, each for MEMLAT_TABLE_WAYS records
 * @chunk: memory of the records, which the owner allocates as it is needed
 * @chunks: number of chunks that are allocated
 * @max_chunks: number of chunks that may be allocated
 * @per_chunk: records in a chunk
 * @now: figures
 * @recent: some records, by a word of their keys, because the records of a few instructions and
 *	threads are looked up again and again
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
	struct memlat_table_place recent[1 << MEMLAT_TABLE_RECENT_BITS];
};

void memlat_table_plan(struct memlat_table *table, const struct memlat_table_kind *kind,
		       u64 bytes, u32 page);
u64 memlat_table_bytes(const struct memlat_table *table, u32 page);
void *memlat_table_search(struct memlat_table *table, u64 hash, const void *key, u64 samples,
			  struct memlat_table_place *place);
void memlat_table_clear(struct memlat_table *table, u32 first, u32 sets);

/**
 * memlat_table_at - a record by its number
 * @table: the table
 * @nr: less than @table->now.used
 *
 * The first parts of a chunk's records come first, then all second parts.
 */
static inline void *memlat_table_at(const struct memlat_table *table, u32 nr)
{
	return table->chunk[nr / table->per_chunk] +
	       nr % table->per_chunk * (size_t)table->kind->size;
}

/*
 * The u16 at a kind's @rest_at is the distance of a record's second part, and whether that has
 * values yet. Else all of it would be 0, and it was never written.
 */
#define MEMLAT_TABLE_REST_USED	1

/**
 * memlat_table_rest - the second part of a record, to write to it
 * @record: the record
 * @at: the u16 at its kind's @rest_at
 * @bytes: the kind's @rest
 */
static __always_inline void *memlat_table_rest(void *record, u16 *at, size_t bytes)
{
	if (unlikely(!(*at & MEMLAT_TABLE_REST_USED))) {
		memset(record + *at, 0, bytes);
		*at |= MEMLAT_TABLE_REST_USED;
	}
	return record + (*at & ~MEMLAT_TABLE_REST_USED);
}

/**
 * memlat_table_rest_used - the second part of a record, to read it
 * @record: the record
 * @at: the u16 at its kind's @rest_at
 *
 * Return: NULL if all of it is 0.
 */
static inline const void *memlat_table_rest_used(const void *record, u16 at)
{
	return at & MEMLAT_TABLE_REST_USED ? record + (at & ~MEMLAT_TABLE_REST_USED) : NULL;
}

/**
 * memlat_table_room - number of records that can be added without more memory
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

static __always_inline u8 memlat_table_tag(u64 hash)
{
	return hash | MEMLAT_TABLE_TAKEN;
}

/* The record of a way of a set. */
static __always_inline void **memlat_table_record(const struct memlat_table *table,
						  struct memlat_table_set *set, unsigned int way)
{
	void **others = (void **)(table->set + table->sets);

	return way < MEMLAT_TABLE_NEAR ? &set->record[way] :
	       &others[(set - table->set) * MEMLAT_TABLE_WAYS + way];
}

/* The tag of a way. Even ways have theirs in the second word, for memlat_table_way(). */
static __always_inline u8 *memlat_table_tag_of(struct memlat_table_set *set, unsigned int way)
{
	return &set->tag[way / 2 + (~way & 1) * 8];
}

/*
 * The ways that may have the tag of a hash: bit 4 * n + 3 stands for way n. All ways are compared
 * at once, because where a search would end cannot be predicted.
 */
static __always_inline u64 memlat_table_match(const struct memlat_table_set *set, u64 hash)
{
	const u64 all = memlat_table_tag(hash) * MEMLAT_BYTES_ONE;
	u64 odd, even;

	memcpy(&odd, set->tag, sizeof(odd));
	memcpy(&even, set->tag + sizeof(odd), sizeof(even));
	return memlat_bytes_zero(odd ^ all) | memlat_bytes_zero(even ^ all) >> 4;
}

/* The number of a way in memlat_table_match()'s result. */
static __always_inline unsigned int memlat_table_way(u64 match)
{
	return __builtin_ctzll(match) / 4;
}

/*
 * Samples are going to be added to a record. The weight of one with many samples is not written any
 * more, so that its set stays clean in the caches.
 */
static __always_inline void memlat_table_weigh(u8 *weight, u64 samples)
{
	const u64 sum = *weight + samples;

	if (unlikely(*weight != MEMLAT_TABLE_HEAVY))
		*weight = sum < MEMLAT_TABLE_HEAVY ? sum : MEMLAT_TABLE_HEAVY;
}

/**
 * memlat_table_prefetch - prefetch the set where a key's record may be
 * @table: the table
 * @hash: hash of the key
 * @place: filled in, for memlat_table_find()
 */
static __always_inline void memlat_table_prefetch(const struct memlat_table *table, u64 hash,
						  struct memlat_table_place *place)
{
	place->set = memlat_table_set_of(table, hash);
	__builtin_prefetch(place->set);
}

/**
 * memlat_table_find - find the record that is probably a key's, and prefetch it
 * @table: the table
 * @size: bytes of its records, a constant
 * @hash: hash of the key
 * @place: after memlat_table_prefetch()
 *
 * The sets and records of a large table are in no cache. So a caller with many keys prefetches the
 * sets of all of them, then the records; the misses of each step overlap.
 */
static __always_inline void memlat_table_find(const struct memlat_table *table, size_t size,
					      u64 hash, struct memlat_table_place *place)
{
	struct memlat_table_set *const set = place->set;
	const u64 match = table->sets ? memlat_table_match(set, hash) : 0;
	unsigned int way;
	size_t at;

	place->record = NULL;
	if (unlikely(!match))
		return;
	way = memlat_table_way(match);
	place->record = *memlat_table_record(table, set, way);
	place->weight = &set->weight[way];
	for (at = 0; at < size; at += 64)
		__builtin_prefetch(place->record + at, 1);
}

/**
 * memlat_table_get - look up or add the record of a key, to add samples to it
 * @table: the table
 * @kind: its kind; a constant, so that no function is called by pointer
 * @hash: hash of the key
 * @key: the key
 * @samples: number of samples that the caller will add, at least one
 * @place: where the record may be; the table may have changed since
 *
 * Return: the record. If it has no samples it is new: @start and the error are set, and the caller
 * fills in the key. NULL if there is no room for it; @samples then were counted as evicted.
 */
static __always_inline void *memlat_table_get(struct memlat_table *table,
					      const struct memlat_table_kind *kind, u64 hash,
					      const void *key, u64 samples,
					      struct memlat_table_place *place)
{
	if (unlikely(!place->record || !kind->same(place->record, key)))
		return memlat_table_search(table, hash, key, samples, place);
	memlat_table_weigh(place->weight, samples);
	return place->record;
}

/**
 * memlat_table_get_recent - as memlat_table_get(), if few keys are looked up most often
 * @table: the table
 * @kind: its kind, a constant
 * @word: the word in which most keys differ
 * @key: the key
 * @samples: number of samples that the caller will add, at least one
 */
static __always_inline void *memlat_table_get_recent(struct memlat_table *table,
						     const struct memlat_table_kind *kind,
						     u64 word, const void *key, u64 samples)
{
	const u64 mixed = word * 0x9e3779b97f4a7c15ULL;
	struct memlat_table_place *recent;

	recent = &table->recent[mixed >> (64 - MEMLAT_TABLE_RECENT_BITS)];
	if (unlikely(!recent->record || !kind->same(recent->record, key)))
		return memlat_table_search(table, kind->hash(key), key, samples, recent);
	memlat_table_weigh(recent->weight, samples);
	return recent->record;
}

#endif /* MEMLAT_CORE_TABLE_H */
