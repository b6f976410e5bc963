// SPDX-License-Identifier: GPL-2.0
/*
 * A key's record may be in one set only. If that set is full, its lightest record is evicted, and
 * the new record starts with that record's weight as its error: the new key may have been in the
 * table before and have been evicted with at most that many samples. So no hot record stays out for
 * long, and samples <= truth <= samples + error. This is the space-saving sketch of Metwally,
 * Agrawal and El Abbadi (ICDT 2005), applied to each set.
 *
 * A set's floor is the weight of the record that was evicted last. All records that stay are at
 * least as heavy, so the floor never falls. A key that is not in the table had at most as many
 * samples as the largest floor, which is the table's error.
 */
#include "table.h"

static_assert(sizeof(struct memlat_table_set) == 64);
static_assert(MEMLAT_TABLE_WAYS == 16);
static_assert(MEMLAT_TABLE_CHUNK <= 1 << 16);	/* memlat_table_rest() */

static u64 align(u64 bytes, u32 page)
{
	return (bytes + page - 1) / page * page;
}

static u64 bytes_of(u64 sets, u64 max_chunks, u64 chunks, u32 page)
{
	return align(sets * MEMLAT_TABLE_SET_BYTES, page) +
	       align(max_chunks * sizeof(void *), page) + chunks * MEMLAT_TABLE_CHUNK;
}

/**
 * memlat_table_plan - compute how many records a table may have
 * @table: filled in, without memory
 * @kind: type of its records
 * @bytes: the most memory that it may ever use; 0: a table without room
 * @page: granularity of the allocations of its index
 */
void memlat_table_plan(struct memlat_table *table, const struct memlat_table_kind *kind,
		       u64 bytes, u32 page)
{
	u32 per_chunk = MEMLAT_TABLE_CHUNK / (kind->size + kind->rest);
	u64 sets = bytes * per_chunk / (MEMLAT_TABLE_SET_BYTES * per_chunk +
					MEMLAT_TABLE_WAYS * (MEMLAT_TABLE_CHUNK + sizeof(void *)));
	u64 chunks;

	/* The last page and chunk may not be filled, so use a few sets less. */
	for (;; sets--) {
		chunks = (sets * MEMLAT_TABLE_WAYS + per_chunk - 1) / per_chunk;
		if (!sets || bytes_of(sets, chunks, chunks, page) <= bytes)
			break;
	}
	/* Not a compound literal, which would be too large for the stack. */
	memset(table, 0, sizeof(*table));
	table->kind = kind;
	table->sets = sets;
	table->max_chunks = chunks;
	table->per_chunk = per_chunk;
}

/**
 * memlat_table_bytes - memory that a table uses now
 * @table: the table
 * @page: as in memlat_table_plan()
 */
u64 memlat_table_bytes(const struct memlat_table *table, u32 page)
{
	return bytes_of(table->sets, table->max_chunks, table->chunks, page);
}

static u64 samples_of(const struct memlat_table *table, const void *record)
{
	return *(const u64 *)(record + table->kind->samples);
}

static u8 at_most_heavy(u64 weight)
{
	return weight < MEMLAT_TABLE_HEAVY ? weight : MEMLAT_TABLE_HEAVY;
}

static u64 *error_of(const struct memlat_table *table, void *record)
{
	return record + table->kind->samples + sizeof(u64);
}

static void raise(u64 *to, u64 value)
{
	if (value > *to)
		*to = value;
}

/* The next record, of which only the place of its second part is filled in. */
static void *memlat_table_take(struct memlat_table *table)
{
	const struct memlat_table_kind *kind = table->kind;
	const u32 in_chunk = table->now.used % table->per_chunk;
	void *record = memlat_table_at(table, table->now.used++);

	if (kind->rest)
		*(u16 *)(record + kind->rest_at) = (table->per_chunk - in_chunk) * kind->size +
						   in_chunk * kind->rest;
	return record;
}

static void *memlat_table_start(struct memlat_table *table, struct memlat_table_set *set,
				unsigned int nr, u64 hash, u64 samples,
				struct memlat_table_place *place)
{
	const struct memlat_table_kind *kind = table->kind;
	void *record = *memlat_table_record(table, set, nr);

	kind->start(record);
	if (!kind->keep)
		*error_of(table, record) = set->floor;
	*memlat_table_tag_of(set, nr) = memlat_table_tag(hash);
	/* Samples and error as of the moment at which the caller has added the samples. */
	set->weight[nr] = MEMLAT_TABLE_HEAVY;
	if (set->base)
		set->weight[nr] = at_most_heavy(set->floor + samples - set->base);
	place->record = record;
	place->weight = &set->weight[nr];
	return record;
}

/* A record's weight is its samples plus its error. It only grows. */
static u64 weight_of(const struct memlat_table *table, void *record)
{
	return samples_of(table, record) + *error_of(table, record);
}

/* The first way with the least weight. */
static unsigned int lightest_way(const struct memlat_table_set *set, unsigned int used)
{
	unsigned int way = 0, i;

	for (i = 1; i < used; i++)
		if (set->weight[i] < set->weight[way])
			way = i;
	return way;
}

/* Choose another base, so that the weight of the lightest record at least is exact. */
static void memlat_table_reweigh(const struct memlat_table *table, struct memlat_table_set *set,
				 unsigned int used)
{
	unsigned int i;
	u64 weight[MEMLAT_TABLE_WAYS];

	set->base = ~0ULL;
	for (i = 0; i < used; i++) {
		weight[i] = weight_of(table, *memlat_table_record(table, set, i));
		if (weight[i] < set->base)
			set->base = weight[i];
	}
	for (i = 0; i < used; i++)
		set->weight[i] = at_most_heavy(weight[i] - set->base);
}

/* The way of the first record with the least weight in a set that has records. */
static unsigned int lightest(const struct memlat_table *table, struct memlat_table_set *set,
			     unsigned int used)
{
	unsigned int way = lightest_way(set, used);

	if (likely(set->weight[way] != MEMLAT_TABLE_HEAVY))
		return way;
	memlat_table_reweigh(table, set, used);
	return lightest_way(set, used);
}

/* The number of records in a set. */
static unsigned int used_of(struct memlat_table_set *set)
{
	unsigned int used = 0;

	while (used < MEMLAT_TABLE_WAYS && *memlat_table_tag_of(set, used))
		used++;
	return used;
}

/* Add a record for a key that has none. */
static void *memlat_table_new(struct memlat_table *table, struct memlat_table_set *set,
			      u64 hash, u64 samples, struct memlat_table_place *place)
{
	unsigned int used = used_of(set), way;
	void *record;

	if (used < MEMLAT_TABLE_WAYS && memlat_table_room(table)) {
		*memlat_table_record(table, set, used) = memlat_table_take(table);
		return memlat_table_start(table, set, used, hash, samples, place);
	}
	if (used && !table->kind->keep) {
		way = lightest(table, set, used);
		record = *memlat_table_record(table, set, way);
		set->floor = weight_of(table, record);
		raise(&table->now.error, set->floor);
		table->now.evicted += samples_of(table, record);
		return memlat_table_start(table, set, way, hash, samples, place);
	}
	/*
	 * Nothing can be evicted. All samples that are turned away may belong to one key, so raise
	 * the floor by their number.
	 */
	table->now.evicted += samples;
	if (!table->kind->keep) {
		set->floor += samples;
		raise(&table->now.error, set->floor);
	}
	return NULL;
}

/**
 * memlat_table_search - look up or add the record of a key, wherever in its set it is
 * @table: the table
 * @hash: hash of the key
 * @key: the key
 * @samples: number of samples that the caller will add, at least one
 * @place: filled in
 *
 * Return: as memlat_table_get().
 */
void *memlat_table_search(struct memlat_table *table, u64 hash, const void *key, u64 samples,
			  struct memlat_table_place *place)
{
	struct memlat_table_set *set;
	unsigned int way;
	void *record;
	u64 match;

	place->record = NULL;
	if (!table->sets) {
		table->now.evicted += samples;
		table->now.error += samples;
		return NULL;
	}
	set = memlat_table_set_of(table, hash);
	for (match = memlat_table_match(set, hash); match; match &= match - 1) {
		way = memlat_table_way(match);
		record = *memlat_table_record(table, set, way);
		if (!table->kind->same(record, key))
			continue;
		place->record = record;
		place->weight = &set->weight[way];
		memlat_table_weigh(place->weight, samples);
		return record;
	}
	return memlat_table_new(table, set, hash, samples, place);
}

/**
 * memlat_table_clear - empty a table, but keep its memory
 * @table: the table
 * @first: first set to clear
 * @sets: number of sets to clear; the table must not be used between the calls for all its sets
 */
void memlat_table_clear(struct memlat_table *table, u32 first, u32 sets)
{
	memset(table->set + first, 0, (size_t)sets * sizeof(*table->set));
	table->now = (struct memlat_figures) { 0 };
	memset(table->recent, 0, sizeof(table->recent));
}
