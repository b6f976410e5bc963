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
 * @rest: bytes of a record's second part, a multiple of 8. It has what few samples change, and is
 *	apart from the first parts, so that these fill few cache lines and pages
 * @rest_at: offset of a u16 in the record, for memlat_table_rest(); if there is a second part
 * @row: bytes of the struct that readers get; 0: they get the record
 * @samples: offset of its number of samples, which its error follows unless @keep
 * @keep: other records refer to these by number, so none is ever evicted, and none has an error
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
 * @tag: for each way, seven bits of the record's hash, so that few records need to be compared, and
 *	MEMLAT_TABLE_TAKEN; 0: free. Records are in the first ways.
 * @weight: for each way, its record's samples plus its error, minus @base; MEMLAT_TABLE_HEAVY: so
 *	many or more
 * @base: at most the weight of the lightest record
 * @floor: the most samples that a key of this set can have had that is not in it
 * @record: the record of each way; it does not move while the table exists
 *
 * @pad: the rest of three cache lines
 *
 * A look-up reads the first cache line, and another one unless the record is in the first two ways.
 */
struct memlat_table_set {
	u8 tag[MEMLAT_TABLE_WAYS];
	u8 weight[MEMLAT_TABLE_WAYS];
	u64 base;
	u64 floor;
	void *record[MEMLAT_TABLE_WAYS];
	u64 pad[2];
};

#define MEMLAT_TABLE_HEAVY	64
#define MEMLAT_TABLE_TAKEN	0x80

#define MEMLAT_TABLE_RECENT	128

/**
 * struct memlat_table_recent - a record that was looked up recently
 * @hash: hash of its key
 * @record: the record, which may be another key's by now; NULL: none
 * @weight: its weight in its set
 */
struct memlat_table_recent {
	u64 hash;
	void *record;
	u8 *weight;
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

static __always_inline struct memlat_table_recent *
memlat_table_recent_of(struct memlat_table *table, u64 hash)
{
	return &table->recent[(hash >> 16) % MEMLAT_TABLE_RECENT];
}

static __always_inline u8 memlat_table_tag(u64 hash)
{
	return hash | MEMLAT_TABLE_TAKEN;
}

/*
 * The ways that may have this tag: bit 8 * n + 7 stands for way n, and bit 8 * n + 6 for way 8 + n.
 * All ways are compared at once, because where a search would end cannot be predicted.
 */
static __always_inline u64 memlat_table_match(const struct memlat_table_set *set, u8 tag)
{
	const u64 all = tag * MEMLAT_BYTES_ONE;
	u64 tags[2];

	static_assert(sizeof(tags) == sizeof(set->tag));
	memcpy(tags, set->tag, sizeof(tags));
	return memlat_bytes_zero(tags[0] ^ all) | memlat_bytes_zero(tags[1] ^ all) >> 1;
}

/* The number of a way in memlat_table_match()'s result. */
static __always_inline unsigned int memlat_table_way(u64 match)
{
	const unsigned int bit = __builtin_ctzll(match);

	return bit / 8 + (~bit & 1) * 8;
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
	void *record = recent->record;
	struct memlat_table_set *set;
	unsigned int way;
	u64 match;

	if (recent->hash == hash && record && kind->same(record, key)) {
		memlat_table_weigh(recent->weight, samples);
		return record;
	}
	if (unlikely(!table->sets))
		return memlat_table_new(table, hash, samples);
	set = memlat_table_set_of(table, hash);
	match = memlat_table_match(set, memlat_table_tag(hash));
	for (; match; match &= match - 1) {
		way = memlat_table_way(match);
		record = set->record[way];
		if (unlikely(!kind->same(record, key)))
			continue;
		memlat_table_weigh(&set->weight[way], samples);
		recent->hash = hash;
		recent->record = record;
		recent->weight = &set->weight[way];
		return record;
	}
	return memlat_table_new(table, hash, samples);
}

/**
 * struct memlat_table_ask - a key that will be looked up
 * @hash: hash of the key
 * @set: the set where its record may be
 * @way: the way where it may be in that set; MEMLAT_TABLE_WAYS: none
 * @record: the record there; NULL: none
 *
 * The sets and records of a large table are in no cache. So a caller with many keys prefetches the
 * sets of all of them, then the ways, then the records; the misses of each step overlap.
 */
struct memlat_table_ask {
	u64 hash;
	struct memlat_table_set *set;
	unsigned int way;
	void *record;
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

	ask->way = MEMLAT_TABLE_WAYS;
	if (likely(match)) {
		ask->way = memlat_table_way(match);
		__builtin_prefetch(&ask->set->record[ask->way]);
	}
}

/**
 * memlat_table_ask_record - third step: the record that the caller is to prefetch
 * @ask: after the second step
 *
 * Return: the record; NULL if there is none.
 */
static __always_inline const void *memlat_table_ask_record(struct memlat_table_ask *ask)
{
	ask->record = likely(ask->way < MEMLAT_TABLE_WAYS) ? ask->set->record[ask->way] : NULL;
	return ask->record;
}

/**
 * memlat_table_get_asked - as memlat_table_get(), for a prefetched record
 * @table: the table
 * @kind: its kind, a constant
 * @ask: after the third step; the table may have changed since
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
	if (likely(ask->record && kind->same(ask->record, key))) {
		memlat_table_weigh(&ask->set->weight[ask->way], samples);
		return ask->record;
	}
	return memlat_table_get(table, kind, ask->hash, key, samples);
}

#endif /* MEMLAT_CORE_TABLE_H */
