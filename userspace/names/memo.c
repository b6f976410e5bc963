// SPDX-License-Identifier: GPL-2.0
#include "memo.h"

#include <stdbool.h>
#include <stdlib.h>

#include "../util/xalloc.h"

#define FIRST_ROOM	1024

struct memo_entry {
	struct memo_key key;
	const void *answer;	/* NULL: free */
};

static size_t hash(struct memo_key key)
{
	__u64 sum = key.address * 0x9e3779b97f4a7c15ULL;

	sum ^= sum >> 32;
	sum += ((__u64)key.space << 32 | key.tid) * 0xbf58476d1ce4e5b9ULL;
	sum ^= sum >> 29;
	sum += key.gen * 0x94d049bb133111ebULL;
	return (size_t)(sum ^ sum >> 31);
}

static bool same(struct memo_key a, struct memo_key b)
{
	return a.address == b.address && a.space == b.space && a.gen == b.gen &&
	       a.tid == b.tid;
}

/* The entry of this key, or the free one where it would go. */
static struct memo_entry *entry_of(const struct memo *memo, struct memo_key key)
{
	size_t at = hash(key) & (memo->room - 1);

	while (memo->entries[at].answer && !same(memo->entries[at].key, key))
		at = (at + 1) & (memo->room - 1);
	return &memo->entries[at];
}

const void *memo_find(const struct memo *memo, struct memo_key key)
{
	return memo->room ? entry_of(memo, key)->answer : NULL;
}

void memo_reserve(struct memo *memo, size_t nr)
{
	struct memo bigger = { .used = memo->used, .room = memo->room ? memo->room : FIRST_ROOM };
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

void memo_keep(struct memo *memo, struct memo_key key, const void *answer)
{
	struct memo_entry *entry;

	memo_reserve(memo, memo->used + 1);
	entry = entry_of(memo, key);
	if (!entry->answer)
		memo->used++;
	*entry = (struct memo_entry){ .key = key, .answer = answer };
}

void memo_free(struct memo *memo)
{
	free(memo->entries);
	*memo = (struct memo){ 0 };
}
