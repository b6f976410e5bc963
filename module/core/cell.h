/* SPDX-License-Identifier: GPL-2.0 */
/*
 * From a sample to its cell. In a header, because it is the inner part of the
 * loop over records; what seldom happens is in shard.c.
 */
#ifndef MEMLAT_CORE_CELL_H
#define MEMLAT_CORE_CELL_H

#include "bucket.h"
#include "shard.h"

#define MEMLAT_KEY_WORDS	(MEMLAT_CELL_KEY / 8)

/* Of each byte of a word the lowest bit, and the highest. */
#define MEMLAT_BYTES_ONE	0x0101010101010101ULL
#define MEMLAT_BYTES_HIGH	0x8080808080808080ULL

/**
 * struct memlat_key - the key of a cell, as the words that it has in memory
 *
 * Put together in registers: what is stored in small parts and then read as a
 * whole makes a CPU wait.
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
 * Without the physical line: where it differs, so does the address, but for chance.
 * A sum of products, so that the products don't wait for each other; the upper bits
 * of such a sum are the good ones.
 */
static __always_inline u64 memlat_key_hash(const struct memlat_key *key)
{
	return key->word[0] * 0x9e3779b97f4a7c15ULL + key->word[1] * 0xc2b2ae3d27d4eb4fULL +
	       key->word[3] * 0xd6e8feb86659fd93ULL + key->word[4] * 0xa0761d6478bd642fULL;
}

/* Two fields of a cell as the one word that they are in a key. */
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
 * The highest bit of each byte that is 0. Also of one that is 1 above the lowest of
 * these: of a way whose tag is almost the same, never of one that is free.
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
	/* Stored always: no predictor knows which latency is the largest yet. */
	cell->latency_max = s->latency > cell->latency_max ? s->latency : cell->latency_max;
}

/* Whose address is given away is kept in memory: of each sample, but for this copy. */
static __always_inline struct memlat_cell *
memlat_cell_first(struct memlat_shard *shard, struct memlat_counts *counts,
		  const struct memlat_key key, u64 hash, struct memlat_cell *full)
{
	return memlat_shard_start_cell(shard, counts, &key, hash, full);
}

/* The first way of its set, and what is kept of it there. */
static __always_inline unsigned int memlat_hash_set(u64 hash)
{
	return (hash >> (64 - MEMLAT_SHARD_SET_BITS)) * MEMLAT_SHARD_WAYS;
}

static __always_inline u8 memlat_hash_tag(u64 hash)
{
	return hash >> (56 - MEMLAT_SHARD_SET_BITS) | MEMLAT_SHARD_TAKEN;
}

/**
 * memlat_shard_add - count one sample in the cell that it belongs to
 * @shard: this CPU's active shard
 * @counts: this CPU's active counts, for CELLS_LOST
 * @s: the sample, whole
 * @row: its bucket, 0 for a store
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
