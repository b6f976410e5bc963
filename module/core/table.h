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
#define MEMLAT_TABLE_CHUNK	16384	/* bytes of records allocated together */

/**
 * struct memlat_table_kind - the type of a table's records
 * @type: enum memlat_rec_type
 * @size: bytes of a record, a multiple of 8
 * @samples: offset of its number of samples, which its error follows unless @keep
 * @keep: other records refer to these by number, so none is ever evicted, and none has an error
 * @same: check whether a record has this key
 * @start: initialize a record without samples: its header, and zeros. A function for each kind,
 *	because the compiler then knows the size.
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
 * struct memlat_table_way - a place in a set
 * @record: the record; it does not move while the table exists
 * @weight: its samples plus its error
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
 * @count: the member with the number of samples
 * @...: initial values of members that do not begin as 0
 *
 * The file has to define @kind_same() above it.
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
		.same = kind##_same,					\
		.start = kind##_start,					\
	}

/**
 * struct memlat_table_set - the places where a record may be, by its hash
 * @tag: for each way, 15 bits of the record's hash, so that few records need to be compared, and
 *	MEMLAT_TABLE_TAKEN; 0: free
 * @floor: the most samples that a key of this set can have had that is not in it
 * @used: number of records in this set, in its first ways
 * @pad: the rest of a cache line
 * @way: the places
 *
 * A set has five cache lines, one of them for the tags. A look-up that finds a tag reads one of the
 * other four.
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
 * struct memlat_table_recent - a record that was looked up recently
 * @hash: hash of its key
 * @way: its place, where another key's record may be by now; NULL: none
 */
struct memlat_table_recent {
	u64 hash;
	struct memlat_table_way *way;
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
 * @set: @sets sets
 * @sets: number of sets, each for MEMLAT_TABLE_WAYS records
 * @chunk: memory of the records, which the owner allocates as it is needed
 * @chunks: number of chunks that are allocated
 * @max_chunks: number of chunks that may be allocated
 * @per_chunk: records in a chunk
 * @now: figures
 * @recent: some records, by their hash, because the records of a few instructions and threads are
 *	looked up again and again
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
 * The highest bit of each of four tags that equals @tag; all other bits are 0. The tags of taken
 * ways all have that bit, so their difference to @tag is below it, and subtracting it from the bit
 * leaves the bit set only if the difference is 0. A free way borrows from the ways after it, which
 * are free too.
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
 * The ways that have this tag: bit 16 * n + k stands for way 4 * k + n. All ways are compared at
 * once, because where a search would end cannot be predicted.
 */
static __always_inline u64 memlat_table_match(const struct memlat_table_set *set, u16 tag)
{
	const u64 tags = tag * 0x0001000100010001ULL;

	return memlat_table_match_four(set, 0, tags) >> 15 |
	       memlat_table_match_four(set, 4, tags) >> 14 |
	       memlat_table_match_four(set, 8, tags) >> 13 |
	       memlat_table_match_four(set, 12, tags) >> 12;
}

/* The number of a way in memlat_table_match()'s result. */
static __always_inline unsigned int memlat_table_way(u64 match)
{
	const unsigned int bit = __builtin_ctzll(match);

	return bit % 16 * 4 + bit / 16;
}

/**
 * memlat_table_get - look up or add the record of a key, to add samples to it
 * @table: the table
 * @kind: its kind; a constant, so that no function is called by pointer
 * @hash: hash of the key
 * @key: the key
 * @samples: number of samples that the caller will add, at least one
 *
 * Return: the record. If it has no samples it is new: @start and the error are set, and the caller
 * fills in the key. NULL if there is no room for it; @samples then were counted as evicted.
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
 * struct memlat_table_ask - a key that will be looked up
 * @hash: hash of the key
 * @set: the set where its record may be
 * @way: the way where it may be in that set; NULL: none
 *
 * The sets and records of a large table are in no cache. So a caller with many keys prefetches the
 * sets of all of them, then the ways, then the records; the misses of each step overlap.
 */
struct memlat_table_ask {
	u64 hash;
	struct memlat_table_set *set;
	struct memlat_table_way *way;
};

/**
 * memlat_table_ask - first step: prefetch the set
 * @table: a table with sets
 * @ask: filled in
 * @hash: hash of the key
 */
static __always_inline void memlat_table_ask(const struct memlat_table *table,
					     struct memlat_table_ask *ask, u64 hash)
{
	ask->hash = hash;
	ask->set = memlat_table_set_of(table, hash);
	__builtin_prefetch(ask->set);
}

/**
 * memlat_table_ask_way - second step: prefetch the way
 * @ask: after the first step
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
 * memlat_table_ask_record - third step: the record that the caller is to prefetch
 * @ask: after the second step
 *
 * Return: the record; NULL if there is none.
 */
static __always_inline const void *memlat_table_ask_record(const struct memlat_table_ask *ask)
{
	return likely(ask->way) ? ask->way->record : NULL;
}

/**
 * memlat_table_get_asked - as memlat_table_get(), for a prefetched record
 * @table: the table
 * @kind: its kind, a constant
 * @ask: after the second step; the table may have changed since
 * @key: the key
 * @samples: number of samples that the caller will add, at least one
 *
 * Return: as memlat_table_get().
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
