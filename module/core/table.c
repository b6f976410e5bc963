// SPDX-License-Identifier: GPL-2.0
/*
 * Each key has one set where its record may be. When that is full, the lightest
 * record of the set leaves and the newcomer starts with its weight as an error:
 * it may itself have been here before and have left with at most that many
 * samples. So no hot record stays out for long, and samples <= truth <= samples
 * + error. This is the space-saving sketch of Metwally, Agrawal and El Abbadi
 * (ICDT 2005), per set.
 *
 * The bound of a set is its floor, the weight of the last record that left: all
 * that stay are at least as heavy, so the floor never falls. What is not in the
 * table had at most the largest floor, and that is the table's error.
 */
#include "table.h"

static_assert(sizeof(struct memlat_table_set) == 320);
static_assert(offsetof(struct memlat_table_set, way) == 64);
static_assert(MEMLAT_TABLE_WAYS == 16);

static u64 align(u64 bytes, u32 page)
{
	return (bytes + page - 1) / page * page;
}

static u64 bytes_of(u64 sets, u64 max_chunks, u64 chunks, u32 page)
{
	return align(sets * sizeof(struct memlat_table_set), page) +
	       align(max_chunks * sizeof(void *), page) + chunks * MEMLAT_TABLE_CHUNK;
}

/**
 * memlat_table_plan - find out how many records a table may have
 * @table: filled in but for the memory, of which it has none yet
 * @kind: of the table
 * @bytes: all that it may ever take; 0: a table without a place
 * @page: granularity of the allocations that hold its index
 */
void memlat_table_plan(struct memlat_table *table, const struct memlat_table_kind *kind,
		       u64 bytes, u32 page)
{
	u32 per_chunk = MEMLAT_TABLE_CHUNK / kind->size;
	u64 sets = bytes * per_chunk / (sizeof(struct memlat_table_set) * per_chunk +
					MEMLAT_TABLE_WAYS * (MEMLAT_TABLE_CHUNK + sizeof(void *)));
	u64 chunks;

	/* Some less, for the last page and chunk that are not filled: a few steps. */
	for (;; sets--) {
		chunks = (sets * MEMLAT_TABLE_WAYS + per_chunk - 1) / per_chunk;
		if (!sets || bytes_of(sets, chunks, chunks, page) <= bytes)
			break;
	}
	/* It is too large for a literal, which would be on the stack. */
	memset(table, 0, sizeof(*table));
	table->kind = kind;
	table->sets = sets;
	table->max_chunks = chunks;
	table->per_chunk = per_chunk;
}

/**
 * memlat_table_bytes - memory that the table takes now
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

static void raise(u64 *to, u64 value)
{
	if (value > *to)
		*to = value;
}

static void *start(struct memlat_table *table, struct memlat_table_set *set, unsigned int nr,
		   u64 hash, u64 samples)
{
	struct memlat_table_recent *recent = memlat_table_recent_of(table, hash);
	const struct memlat_table_kind *kind = table->kind;
	struct memlat_table_way *way = &set->way[nr];

	kind->start(way->record);
	if (!kind->keep)
		*(u64 *)(way->record + kind->samples + sizeof(u64)) = set->floor;
	set->tag[nr] = memlat_table_tag(hash);
	way->weight = set->floor + samples;
	recent->hash = hash;
	recent->way = way;
	return way->record;
}

static unsigned int lightest(const struct memlat_table_set *set)
{
	unsigned int way = 0, i;

	for (i = 1; i < set->used; i++)
		if (set->way[i].weight < set->way[way].weight)
			way = i;
	return way;
}

/**
 * memlat_table_new - a record for a key that has none
 * @table: the table
 * @hash: of the key
 * @samples: how many will be added, at least one
 *
 * Return: as memlat_table_get().
 */
void *memlat_table_new(struct memlat_table *table, u64 hash, u64 samples)
{
	struct memlat_table_set *set;
	unsigned int way;

	if (!table->sets) {
		table->now.evicted += samples;
		table->now.error += samples;
		return NULL;
	}
	set = memlat_table_set_of(table, hash);
	if (set->used < MEMLAT_TABLE_WAYS && memlat_table_room(table)) {
		way = set->used++;
		set->way[way].record = memlat_table_at(table, table->now.used++);
		return start(table, set, way, hash, samples);
	}
	if (set->used && !table->kind->keep) {
		way = lightest(set);
		set->floor = set->way[way].weight;
		raise(&table->now.error, set->floor);
		table->now.evicted += samples_of(table, set->way[way].record);
		return start(table, set, way, hash, samples);
	}
	/*
	 * Nothing that may leave. Any key of this set may be the one that is
	 * kept out, again and again.
	 */
	table->now.evicted += samples;
	if (!table->kind->keep) {
		set->floor += samples;
		raise(&table->now.error, set->floor);
	}
	return NULL;
}

/**
 * memlat_table_clear - make a table empty, keep its memory
 * @table: the table
 * @first: first set of this call
 * @sets: how many; a large table takes several calls, and is not used between
 */
void memlat_table_clear(struct memlat_table *table, u32 first, u32 sets)
{
	memset(table->set + first, 0, (size_t)sets * sizeof(*table->set));
	table->now = (struct memlat_figures) { 0 };
	memset(table->recent, 0, sizeof(table->recent));
}
