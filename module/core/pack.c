// SPDX-License-Identifier: GPL-2.0
/*
 * Most lines have a sample or two, and then three quarters of a line's words are zero. How a
 * packed record looks is told in uapi/linux/memlat_records.h ("Packed records").
 */
#include "pack.h"

/* Zeros stand together: so many words are looked at as one. */
#define STEP	4

static u32 map_words(u32 words)
{
	return (words - 1 + 63) / 64;
}

static bool all_zero(const u64 *word)
{
	return !(word[0] | word[1] | word[2] | word[3]);
}

static u32 packed_words(const u64 *word, u32 words)
{
	u32 n = 1 + map_words(words), i;

	for (i = 1; i + STEP <= words; i += STEP)
		if (!all_zero(&word[i]))
			n += !!word[i] + !!word[i + 1] + !!word[i + 2] + !!word[i + 3];
	for (; i < words; i++)
		n += !!word[i];
	return n;
}

/*
 * Pack nr words, of which the first has this bit of this word of the map. Returns where the
 * next ones go.
 */
static u64 *pack_words(u64 *at, u64 *map, const u64 *word, u32 bit, u32 nr)
{
	u32 i;

	for (i = 0; i < nr; i++) {
		if (!word[i])
			continue;
		*map |= 1ULL << (bit + i);
		*at++ = word[i];
	}
	return at;
}

static u64 *pack(u64 *to, const u64 *word, u32 words)
{
	struct memlat_rec_header header;
	u64 *map = to + 1, *at = map + map_words(words);
	u32 i;

	memset(map, 0, (at - map) * sizeof(*map));
	for (i = 1; i + STEP <= words; i += STEP)
		if (!all_zero(&word[i]))
			at = pack_words(at, &map[(i - 1) / 64], &word[i], (i - 1) % 64, STEP);
	if (i < words)
		at = pack_words(at, &map[(i - 1) / 64], &word[i], (i - 1) % 64, words - i);
	memcpy(&header, word, sizeof(header));
	header.type |= words << MEMLAT_REC_WORDS_SHIFT;
	header.size = (at - to) * sizeof(*to);
	memcpy(to, &header, sizeof(header));
	return at;
}

/**
 * memlat_pack_bytes - what records take when they are packed
 * @records: the records one behind the other, aligned as u64
 * @nr: how many
 * @size: bytes of each, a multiple of 8
 *
 * Return: bytes.
 */
u64 memlat_pack_bytes(const void *records, u32 nr, u32 size)
{
	const u64 *word = records;
	const u32 words = size / sizeof(*word);
	u64 n = 0;

	for (; nr; nr--, word += words)
		n += packed_words(word, words);
	return n * sizeof(*word);
}

/**
 * memlat_pack - pack records
 * @to: room for memlat_pack_bytes() of the same records, aligned as u64
 * @records: as there
 * @nr: likewise
 * @size: likewise
 *
 * Return: the end of what was written.
 */
void *memlat_pack(void *to, const void *records, u32 nr, u32 size)
{
	const u64 *word = records;
	const u32 words = size / sizeof(*word);

	for (; nr; nr--, word += words)
		to = pack(to, word, words);
	return to;
}
