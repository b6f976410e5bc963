// SPDX-License-Identifier: GPL-2.0
/*
 * Most lines have a sample or two, and then three quarters of a line's words are zero. How a
 * packed record looks is told in uapi/linux/memlat_records.h ("Packed records").
 */
#include "pack.h"

#define MAP_BITS	64	/* words that one word of the map tells of */

/* Zeros stand together: so many words are looked at as one, and a word of the map has some of these. */
#define STEP	4

static u32 map_words(u32 words)
{
	return (words - 1 + MAP_BITS - 1) / MAP_BITS;
}

/*
 * Append a word and say whether it stays: one that is zero is written too, and the next one
 * is written over it. Whether a word is zero is too hard for a CPU to guess for a branch.
 */
static u64 put(u64 **at, u64 word)
{
	const u64 stays = word != 0;

	**at = word;
	*at += stays;
	return stays;
}

/* Pack at most MAP_BITS words, and return their map. */
static u64 pack_words(u64 **at, const u64 *word, u32 words)
{
	u64 map = 0;
	u32 i;

	for (i = 0; i + STEP <= words; i += STEP) {
		const u64 *w = &word[i];

		if (w[0] | w[1] | w[2] | w[3])
			map |= (put(at, w[0]) | put(at, w[1]) << 1 | put(at, w[2]) << 2 |
				put(at, w[3]) << 3) << i;
	}
	for (; i < words; i++)
		map |= put(at, word[i]) << i;
	return map;
}

static u64 *pack(u64 *to, const u64 *word, u32 words)
{
	struct memlat_rec_header header;
	u64 *map = to + 1, *at = map + map_words(words);
	u32 i, n;

	for (i = 1; i < words; i += n) {
		n = words - i < MAP_BITS ? words - i : MAP_BITS;
		*map++ = pack_words(&at, &word[i], n);
	}
	memcpy(&header, word, sizeof(header));
	header.type |= words << MEMLAT_REC_WORDS_SHIFT;
	header.size = (at - to) * sizeof(*to);
	memcpy(to, &header, sizeof(header));
	return at;
}

/**
 * memlat_pack_room - what a record takes at most when it is packed
 * @size: bytes of it, a multiple of 8
 *
 * Return: bytes.
 */
u32 memlat_pack_room(u32 size)
{
	return size + map_words(size / sizeof(u64)) * sizeof(u64);
}

/**
 * memlat_pack - pack records
 * @to: room for memlat_pack_room() of each, aligned as u64
 * @records: the records one behind the other, aligned likewise
 * @nr: how many
 * @size: bytes of each, a multiple of 8
 *
 * What is behind the end, in that room, may be written to.
 *
 * Return: the end of the packed records.
 */
void *memlat_pack(void *to, const void *records, u32 nr, u32 size)
{
	const u64 *word = records;
	const u32 words = size / sizeof(*word);

	for (; nr; nr--, word += words)
		to = pack(to, word, words);
	return to;
}
