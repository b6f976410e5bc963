/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Add a sample to its cell. This is in a header because it is the inner part of the loop over
 * records; the rare cases are in shard.c.
 */
#ifndef MEMLAT_CORE_CELL_H
#define MEMLAT_CORE_CELL_H

#include "bucket.h"
#include "shard.h"

#define MEMLAT_KEY_WORDS	(MEMLAT_CELL_KEY / 8)

/* The lowest bit of each byte of a word, and the highest bit of each. */
#define MEMLAT_BYTES_ONE	0x0101010101010101ULL
#define MEMLAT_BYTES_HIGH	0x8080808080808080ULL

/**
 * struct memlat_key - the key of a cell, as words with the layout that it has in memory
 * @word: the first MEMLAT_CELL_KEY bytes of struct memlat_cell, 8 in each word
 *
 * It is composed in registers, because storing small parts and then loading whole words would
 * stall the CPU (no store forwarding).
 */
struct memlat_key {
	u64 word[MEMLAT_KEY_WORDS];
};

static __always_inline struct memlat_key memlat_key_of(const struct memlat_sample *s,
						       unsigned int row)
{
	const u64 what = row | s->source << 4 | s->flags << 8;

	return (struct memlat_key) { {
		s->addr,
		s->ip,
		s->phys,
		s->tgid | (u64)s->tid << 32,
		s->gen | (u64)s->stack << 32 | what << 48,
	} };
}

/*
 * Hash a key without its physical line, because keys with different physical lines nearly always
 * have different addresses too. The hash is a sum of products, which do not depend on each other.
 * Its upper bits are the well-mixed ones.
 */
static __always_inline u64 memlat_key_hash(const struct memlat_key *key)
{
	return key->word[0] * 0x9e3779b97f4a7c15ULL + key->word[1] * 0xc2b2ae3d27d4eb4fULL +
	       key->word[3] * 0xd6e8feb86659fd93ULL + key->word[4] * 0xa0761d6478bd642fULL;
}

/* Read adjacent fields of a cell as the word that they are in a key. */
static __always_inline u64 memlat_cell_word(const struct memlat_cell *cell, size_t offset)
{
	u64 word;

	memcpy(&word, (const u8 *)cell + offset, sizeof(word));
	return word;
}

static __always_inline bool memlat_key_is(const struct memlat_key *key,
					  const struct memlat_cell *cell)
{
	return key->word[0] == cell->addr && key->word[1] == cell->ip &&
	       key->word[4] == memlat_cell_word(cell, offsetof(struct memlat_cell, gen)) &&
	       key->word[3] == memlat_cell_word(cell, offsetof(struct memlat_cell, tgid)) &&
	       key->word[2] == cell->phys;
}

/*
 * Set the highest bit of each byte that is 0. A byte of value 1 above a byte that is 0 may be taken
 * for 0 too. Such a way has a tag that differs in one bit, and is never free; callers compare keys.
 */
static __always_inline u64 memlat_bytes_zero(u64 bytes)
{
	return (bytes - MEMLAT_BYTES_ONE) & ~bytes & MEMLAT_BYTES_HIGH;
}

static __always_inline void memlat_cell_add(struct memlat_cell *cell,
					    const struct memlat_sample *s)
{
	cell->samples++;
	cell->weight += s->weight;
	cell->latency_sum += s->latency;
	/* Always store: a branch on which latency is larger would be mispredicted. */
	cell->latency_max = s->latency > cell->latency_max ? s->latency : cell->latency_max;
}

/* Take the key by value: taking its address in the caller would force it into memory each time. */
static __always_inline struct memlat_cell *
memlat_cell_first(struct memlat_shard *shard, struct memlat_counts *counts,
		  const struct memlat_key key, u64 hash, struct memlat_cell *full)
{
	return memlat_shard_start_cell(shard, counts, &key, hash, full);
}

/* The first way of a hash's set, and the tag of a hash. */
static __always_inline unsigned int memlat_hash_set(u64 hash)
{
	return (hash >> (64 - MEMLAT_SHARD_SET_BITS)) * MEMLAT_SHARD_WAYS;
}

static __always_inline u8 memlat_hash_tag(u64 hash)
{
	return hash >> (56 - MEMLAT_SHARD_SET_BITS) | MEMLAT_SHARD_TAKEN;
}

/**
 * memlat_shard_add - add a sample to its cell
 * @shard: this CPU's active shard
 * @counts: this CPU's active counts, for CELLS_LOST
 * @s: the sample, completely filled in
 * @row: its bucket; 0 for a store
 *
 * Runs in NMI: no allocation, no lock, at most MEMLAT_SHARD_WAYS steps.
 */
static __always_inline void memlat_shard_add(struct memlat_shard *shard,
					     struct memlat_counts *counts,
					     const struct memlat_sample *s, unsigned int row)
{
	const struct memlat_key key = memlat_key_of(s, row);
	const u64 hash = memlat_key_hash(&key);
	const unsigned int set = memlat_hash_set(hash);
	struct memlat_cell *cell, *full = NULL;
	u64 tags, match;

	memcpy(&tags, &shard->tag[set], sizeof(tags));
	match = memlat_bytes_zero(tags ^ memlat_hash_tag(hash) * MEMLAT_BYTES_ONE);
	for (; match; match &= match - 1) {
		cell = &shard->cell[set + (unsigned int)__builtin_ctzll(match) / 8];
		if (unlikely(!memlat_key_is(&key, cell)))
			continue;
		if (likely(cell->samples != ~0U)) {
			memlat_cell_add(cell, s);
			return;
		}
		full = cell;
		break;
	}
	memlat_cell_add(memlat_cell_first(shard, counts, key, hash, full), s);
}

#endif /* MEMLAT_CORE_CELL_H */
