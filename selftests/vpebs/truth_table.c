// SPDX-License-Identifier: GPL-2.0
/* Hash tables of lines and instructions, and the accounts that consist of them. */
#include <stdlib.h>
#include <string.h>

#include "truth_internal.h"

#define CHUNK		1024U	/* places */
#define FIRST_INDEX	2048U

void place_table_init(struct place_table *table, size_t size, uint32_t max)
{
	*table = (struct place_table){ .size = size, .max = max };
}

void place_table_destroy(struct place_table *table)
{
	uint32_t i;

	for (i = 0; i < table->chunks; i++)
		free(table->chunk[i]);
	free(table->chunk);
	free(table->index);
	place_table_init(table, table->size, table->max);
}

void place_table_clear(struct place_table *table)
{
	place_table_destroy(table);
}

struct place *place_table_at(const struct place_table *table, uint32_t i)
{
	return (struct place *)(table->chunk[i / CHUNK] + i % CHUNK * table->size);
}

static uint32_t hash_of(uint64_t key0, uint64_t key1)
{
	uint64_t x = key0 * 0x9e3779b97f4a7c15ULL ^ key1 * 0xc2b2ae3d27d4eb4fULL;

	x ^= x >> 31;
	x *= 0x9e3779b97f4a7c15ULL;
	return (uint32_t)(x >> 32);
}

static void index_add(uint32_t *index, uint32_t mask, uint32_t hash, uint32_t value)
{
	uint32_t i = hash & mask;

	while (index[i])
		i = (i + 1) & mask;
	index[i] = value;
}

static bool index_grow(struct place_table *table)
{
	uint32_t size = table->index ? 2 * (table->mask + 1) : FIRST_INDEX;
	uint32_t *index = calloc(size, sizeof(*index));
	uint32_t i;

	if (!index)
		return false;
	for (i = 0; i < table->used; i++) {
		const struct place *place = place_table_at(table, i);

		index_add(index, size - 1, hash_of(place->key[0], place->key[1]), i + 1);
	}
	free(table->index);
	table->index = index;
	table->mask = size - 1;
	return true;
}

static bool chunk_add(struct place_table *table)
{
	char **list = realloc(table->chunk, (table->chunks + 1) * sizeof(*list));

	if (!list)
		return false;
	table->chunk = list;
	list[table->chunks] = malloc(CHUNK * table->size);
	if (!list[table->chunks])
		return false;
	table->chunks++;
	return true;
}

struct place *place_table_get(struct place_table *table, uint64_t key0, uint64_t key1)
{
	uint32_t hash = hash_of(key0, key1);
	struct place *place;
	uint32_t i;

	if (table->index) {
		for (i = hash & table->mask; table->index[i]; i = (i + 1) & table->mask) {
			place = place_table_at(table, table->index[i] - 1);
			if (place->key[0] == key0 && place->key[1] == key1)
				return place;
		}
	}
	if (table->used >= table->max)
		return NULL;
	if ((!table->index || table->used >= (table->mask + 1) / 2) && !index_grow(table))
		return NULL;
	if (table->used == table->chunks * CHUNK && !chunk_add(table))
		return NULL;
	place = place_table_at(table, table->used++);
	memset(place, 0, table->size);
	place->key[0] = key0;
	place->key[1] = key1;
	index_add(table->index, table->mask, hash, table->used);
	return place;
}

void account_init(struct account *account, uint32_t max_lines, uint32_t max_ips)
{
	memset(account, 0, sizeof(*account));
	place_table_init(&account->lines, sizeof(struct line_place), max_lines);
	place_table_init(&account->ips, sizeof(struct place), max_ips);
}

void account_destroy(struct account *account)
{
	place_table_destroy(&account->lines);
	place_table_destroy(&account->ips);
}

void account_clear(struct account *account)
{
	uint32_t max_lines = account->lines.max, max_ips = account->ips.max;

	account_destroy(account);
	account_init(account, max_lines, max_ips);
}

static void add_all(uint64_t *to, const uint64_t *from, unsigned int n)
{
	while (n--)
		*to++ += *from++;
}

static void add_all_small(uint32_t *to, const uint32_t *from, unsigned int n)
{
	while (n--)
		add_small(to++, *from++);
}

static void place_add(struct place *to, const struct place *from)
{
	to->counted += from->counted;
	to->records += from->records;
	to->qualified += from->qualified;
	to->stores += from->stores;
	to->store_counted += from->store_counted;
	to->store_l1_hit += from->store_l1_hit;
	to->store_records += from->store_records;
	add_all_small(to->by_code, from->by_code, VP_CODES);
}

void line_add(struct line_place *to, const struct line_place *from)
{
	place_add(&to->place, &from->place);
	add_all_small(to->slots, from->slots, TRUTH_SLOTS);
	add_all_small(to->slot_hitm, from->slot_hitm, TRUTH_SLOTS);
	add_all_small(to->store_slots, from->store_slots, TRUTH_SLOTS);
	add_small(&to->modified, from->modified);
	add_small(&to->store_modified, from->store_modified);
	add_all_small(to->store_by_code, from->store_by_code, VP_CODES);
	to->hitm_nodes |= from->hitm_nodes;
}

/* Add an account. A place that a full table cannot take is missing there, but not in the totals. */
void account_add(struct account *to, const struct account *from)
{
	uint32_t i;

	add_all(to->by_raw, from->by_raw, TRUTH_RAWS);
	add_all(to->written_raw, from->written_raw, TRUTH_RAWS);
	add_all(to->cell[0], from->cell[0], VP_CODES * TRUTH_BUCKETS);
	add_all(to->latency, from->latency, VP_CODES);
	add_all(to->memory, from->memory, VP_CODES);
	add_all(to->by_memory, from->by_memory, TRUTH_BUCKETS);
	add_all(to->fate, from->fate, VP_FATES);
	to->load_records += from->load_records;
	to->store_records += from->store_records;
	to->store_counted += from->store_counted;
	to->store_l1_hit += from->store_l1_hit;
	add_all(to->store_by_code, from->store_by_code, VP_CODES);
	add_all(to->store_memory, from->store_memory, VP_CODES);
	add_all(to->written_store_raw, from->written_store_raw, TRUTH_RAWS);
	add_all(to->counted_by, from->counted_by, 2);
	add_all(to->qualified_by, from->qualified_by, 2);
	to->unkept += from->unkept;
	to->pmis_sent += from->pmis_sent;
	to->pmis_masked += from->pmis_masked;

	for (i = 0; i < from->lines.used; i++) {
		const struct line_place *line =
			(const struct line_place *)place_table_at(&from->lines, i);
		struct line_place *sum =
			(struct line_place *)place_table_get(&to->lines, line->place.key[0],
							     line->place.key[1]);

		if (sum)
			line_add(sum, line);
	}
	for (i = 0; i < from->ips.used; i++) {
		const struct place *ip = place_table_at(&from->ips, i);
		struct place *sum = place_table_get(&to->ips, ip->key[0], ip->key[1]);

		if (sum)
			place_add(sum, ip);
	}
}

uint64_t account_counted(const struct account *account)
{
	uint64_t total = 0;
	unsigned int raw;

	for (raw = 0; raw < TRUTH_RAWS; raw++)
		total += account->by_raw[raw];
	return total;
}
