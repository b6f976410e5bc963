// SPDX-License-Identifier: GPL-2.0
#include "name_cache.h"

#include <stdbool.h>
#include <stdlib.h>

#include "../util/xalloc.h"

#define FIRST_ROOM	1024

struct name_cache_entry {
	struct name_cache_key key;
	const void *answer;	/* NULL: free */
};

static size_t hash(struct name_cache_key key)
{
	__u64 sum = key.address * 0x9e3779b97f4a7c15ULL;

	sum ^= sum >> 32;
	sum += ((__u64)key.space << 32 | key.tid) * 0xbf58476d1ce4e5b9ULL;
	sum ^= sum >> 29;
	sum += key.gen * 0x94d049bb133111ebULL;
	return (size_t)(sum ^ sum >> 31);
}

static bool same(struct name_cache_key a, struct name_cache_key b)
{
	return a.address == b.address && a.space == b.space && a.gen == b.gen &&
	       a.tid == b.tid;
}

/* The entry of this key, or the free one where it would go. */
static struct name_cache_entry *entry_of(const struct name_cache *memo, struct name_cache_key key)
{
	size_t at = hash(key) & (memo->room - 1);

	while (memo->entries[at].answer && !same(memo->entries[at].key, key))
		at = (at + 1) & (memo->room - 1);
	return &memo->entries[at];
}

const void *name_cache_find(const struct name_cache *memo, struct name_cache_key key)
{
	return memo->room ? entry_of(memo, key)->answer : NULL;
}

void name_cache_reserve(struct name_cache *memo, size_t nr)
{
	struct name_cache bigger = { .used = memo->used, .room = memo->room ? memo->room : FIRST_ROOM };
	size_t i;

	while (4 * nr > 3 * bigger.room)
		bigger.room *= 2;
	if (bigger.room == memo->room)
		return;
	bigger.entries = xcalloc(bigger.room, sizeof(*bigger.entries));
	for (i = 0; i < memo->room; i++)
		if (memo->entries[i].answer)
			*entry_of(&bigger, memo->entries[i].key) = memo->entries[i];
	free(memo->entries);
	*memo = bigger;
}

void name_cache_keep(struct name_cache *memo, struct name_cache_key key, const void *answer)
{
	struct name_cache_entry *entry;

	name_cache_reserve(memo, memo->used + 1);
	entry = entry_of(memo, key);
	if (!entry->answer)
		memo->used++;
	*entry = (struct name_cache_entry){ .key = key, .answer = answer };
}

void name_cache_free(struct name_cache *memo)
{
	free(memo->entries);
	*memo = (struct name_cache){ 0 };
}
