// SPDX-License-Identifier: GPL-2.0
/*
 * Pack records: leave out words that are 0. Most lines have a sample or two, and three quarters of
 * the words of such a line are 0. uapi/linux/memlat_records.h has the format ("Packed records").
 */
#include "tables.h"

#define MAP_BITS	64	/* words per word of the map */

/*
 * How many words are tested for 0 at once, because words that are 0 are next to each other.
 * MAP_BITS is a multiple of it.
 */
#define STEP	4

static u32 map_words(u32 words)
{
	return (words - 1 + MAP_BITS - 1) / MAP_BITS;
}

/*
 * Append a word, and return 1 if it stays. A word that is 0 is written too, and overwritten by the
 * next one, because a branch on whether a word is 0 would be mispredicted.
 */
static u64 put(u64 **at, u64 word)
{
	const u64 stays = word != 0;

	**at = word;
	*at += stays;
	return stays;
}

/* Pack at most MAP_BITS words. Returns their map. */
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
 * memlat_pack_room - upper bound of the size of a packed record
 * @size: bytes of the record, a multiple of 8
 *
 * Return: bytes.
 */
u32 memlat_pack_room(u32 size)
{
	return size + map_words(size / sizeof(u64)) * sizeof(u64);
}

/**
 * memlat_pack - pack records
 * @to: room for memlat_pack_room() of each record, aligned as u64
 * @records: the records, contiguous and aligned as u64
 * @nr: number of records
 * @size: bytes of each record, a multiple of 8
 *
 * Room that the packed records do not take may be overwritten.
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
