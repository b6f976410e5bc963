// SPDX-License-Identifier: GPL-2.0
/*
 * A table of the store, compared with its rules in their simplest form: sets are lists, keys are
 * looked up one after the other, and the lightest entry is evicted. All answers are the same.
 */
#include "core.h"

struct record {
	struct memlat_rec_header hdr;
	u64 key;
	u64 samples;
	u64 error;
	u64 more[5];
};

#define SETS_MOST	256

struct entry {
	u64 key, samples, error;
};

struct set {
	struct entry entry[MEMLAT_TABLE_WAYS];
	unsigned int used;
	u64 floor;
};

struct model {
	struct set set[SETS_MOST];
	u64 used, evicted, error;
	bool keep;
};

static struct model model;

static bool same(const void *record, const void *key)
{
	return ((const struct record *)record)->key == *(const u64 *)key;
}

static void start(void *record)
{
	*(struct record *)record = (struct record){ .hdr = { 77, sizeof(struct record) } };
}

static u64 key_hash;

static u64 hash(const void *key)
{
	return key_hash;
}

#define KIND(kept)	{						\
	.type = 77, .size = sizeof(struct record), .keep = kept,	\
	.samples = offsetof(struct record, samples), .hash = hash, .same = same,	\
	.start = start }

static const struct memlat_table_kind losing = KIND(false), keeping = KIND(true);

/* Few sets and few tags, so that keys collide, because collisions are the difficult part. */
static u64 hash_of(u64 key, u8 way)
{
	u64 hash = key * 0x9e3779b97f4a7c15ULL;

	if (way & 1)
		hash &= ~0x3fffffffULL;
	if (way & 2)
		hash &= 0xe0000000ffffffffULL;
	if (way & 4)
		hash &= ~0x7ff0ULL;
	return hash;
}

/* Return what the table should return. NULL: there is no room. */
static struct entry *expect(const struct memlat_table *table, u64 hash, u64 key, u64 samples,
			    u64 room)
{
	struct set *set = &model.set[(hash >> 32) * table->sets >> 32];
	struct entry *entry = NULL;
	unsigned int i;

	for (i = 0; i < set->used; i++)
		if (set->entry[i].key == key)
			return &set->entry[i];
	if (set->used < MEMLAT_TABLE_WAYS && room > model.used) {
		entry = &set->entry[set->used++];
		model.used++;
	} else if (set->used && !model.keep) {
		entry = &set->entry[0];
		for (i = 1; i < set->used; i++)
			if (set->entry[i].samples + set->entry[i].error <
			    entry->samples + entry->error)
				entry = &set->entry[i];
		set->floor = entry->samples + entry->error;
		model.evicted += entry->samples;
	} else {
		model.evicted += samples;
		if (!model.keep)
			set->floor += samples;
	}
	if (!model.keep && set->floor > model.error)
		model.error = set->floor;
	if (entry)
		*entry = (struct entry){ key, 0, model.keep ? 0 : set->floor };
	return entry;
}

static void add(struct memlat_table *table, u64 key, u64 samples, u8 way)
{
	const u64 room = (u64)table->chunks * table->per_chunk;
	struct memlat_table_place place = { NULL };
	struct entry *entry;
	struct record *record;

	key_hash = hash_of(key, way);
	if (way & 8) {
		memlat_table_prefetch(table, key_hash, &place);
		memlat_table_find(table, sizeof(*record), key_hash, &place);
		record = memlat_table_get(table, table->kind, key_hash, &key, samples, &place);
		fuzz_check(place.record == record);
	} else {
		record = memlat_table_get_recent(table, table->kind, key, &key, samples);
	}
	if (!table->sets) {
		model.evicted += samples;
		model.error += samples;
		fuzz_check(!record);
		return;
	}
	entry = expect(table, key_hash, key, samples, room);
	fuzz_equal(!record, !entry);
	if (!record)
		return;
	fuzz_equal(record->samples, entry->samples);
	fuzz_equal(record->error, entry->error);
	if (!record->samples) {
		fuzz_equal(record->more[4], 0);
		record->key = key;
	}
	fuzz_equal(record->key, key);
	record->samples += samples;
	record->more[4] += samples;
	entry->samples += samples;
}

static void check(const struct memlat_table *table)
{
	unsigned int i, k, way;
	u64 seen = 0;

	fuzz_equal(table->now.used, model.used);
	fuzz_equal(table->now.evicted, model.evicted);
	fuzz_equal(table->now.error, model.error);
	for (i = 0; i < table->sets; i++) {
		const struct set *set = &model.set[i];

		fuzz_equal(table->set[i].floor, set->floor);
		for (way = 0; way < set->used; way++) {
			const struct record *record =
				*memlat_table_record(table, &table->set[i], way);

			fuzz_equal(record->key, set->entry[way].key);
			fuzz_equal(record->samples, set->entry[way].samples);
			fuzz_equal(record->error, set->entry[way].error);
			fuzz_equal(record->hdr.type, 77);
		}
		seen += set->used;
	}
	fuzz_equal(seen, table->now.used);
	/* Each entry is also found once by its number. */
	for (i = 0; i < table->now.used; i++)
		for (k = 0; k < i; k++)
			fuzz_check(((struct record *)memlat_table_at(table, i))->key !=
				   ((struct record *)memlat_table_at(table, k))->key);
}

static void clear(struct memlat_table *table)
{
	bool keep = model.keep;
	u32 half = table->sets / 2;

	memlat_table_clear(table, 0, half);
	memlat_table_clear(table, half, table->sets - half);
	memset(&model, 0, sizeof(model));
	model.keep = keep;
}

void core_table(const uint8_t *data, size_t size)
{
	struct fuzz_input input = { data, size };
	const u64 bytes = fuzz_take(&input, 1) * 1024;
	const u8 how = fuzz_take(&input, 1), way = fuzz_take(&input, 1);
	const u32 page = how & 2 ? 64 : PAGE;
	struct memlat_table table;

	memset(&model, 0, sizeof(model));
	model.keep = how & 1;
	memlat_table_plan(&table, model.keep ? &keeping : &losing, bytes, page);
	fuzz_check(table.sets <= SETS_MOST);
	fuzz_equal(table.now.used, 0);
	table_alloc(&table);
	table_grow(&table, how >> 2);
	fuzz_check(memlat_table_bytes(&table, page) <= bytes);
	while (input.left) {
		u8 op = fuzz_take(&input, 1);
		u64 key = fuzz_take(&input, 1);
		unsigned int times = op >> 3, i;

		if (op == 0xff) {
			check(&table);
			clear(&table);
		} else if (op == 0xfe) {
			table_grow(&table, key);
			fuzz_check(memlat_table_bytes(&table, page) <= bytes);
		} else {
			for (i = 0; i <= times; i++)
				add(&table, key + i * 7, 1 + (op & 7), way);
		}
	}
	check(&table);
	table_free(&table);
}
