// SPDX-License-Identifier: GPL-2.0
#include "snapshot.h"

#include <string.h>

#include <linux/memlat.h>

#define WORD		sizeof(__u64)
#define MAP_BITS	64

/* Words of the map of a record of so many words, with its header. */
static size_t map_words(size_t words)
{
	return (words - 1 + MAP_BITS - 1) / MAP_BITS;
}

static __u64 word_at(const void *words, size_t n)
{
	__u64 word;

	memcpy(&word, (const char *)words + n * WORD, WORD);
	return word;
}

static void put_word(void *words, size_t n, __u64 word)
{
	memcpy((char *)words + n * WORD, &word, WORD);
}

size_t snapshot_pack(void *to, const void *record, size_t size)
{
	const size_t words = size / WORD;
	struct memlat_rec_header header;
	size_t at = 1 + map_words(words), n;

	memset(to, 0, at * WORD);
	for (n = 1; n < words; n++) {
		const __u64 word = word_at(record, n);
		const size_t bit = n - 1;

		if (!word)
			continue;
		put_word(to, 1 + bit / MAP_BITS,
			 word_at(to, 1 + bit / MAP_BITS) | 1ULL << bit % MAP_BITS);
		put_word(to, at++, word);
	}
	memcpy(&header, record, sizeof(header));
	header.type |= (__u32)words << MEMLAT_REC_WORDS_SHIFT;
	header.size = (__u32)(at * WORD);
	memcpy(to, &header, sizeof(header));
	return at * WORD;
}

size_t snapshot_unpack(void *to, const void *packed, size_t size)
{
	struct memlat_rec_header header;
	size_t words, at, map;

	memcpy(&header, packed, sizeof(header));
	words = header.type >> MEMLAT_REC_WORDS_SHIFT;
	if (!words || words * WORD > MEMLAT_REC_MAX)
		return 0;
	at = 1 + map_words(words);
	if (size < at * WORD)
		return 0;
	memset(to, 0, words * WORD);
	for (map = 0; map < map_words(words); map++) {
		__u64 bits = word_at(packed, 1 + map);

		for (; bits; bits &= bits - 1) {
			const size_t n = 1 + map * MAP_BITS + (size_t)__builtin_ctzll(bits);

			if (n >= words || (at + 1) * WORD > size)
				return 0;
			put_word(to, n, word_at(packed, at++));
		}
	}
	/* Words that the map does not tell of. */
	if (at * WORD != size)
		return 0;
	header.type &= MEMLAT_REC_TYPE_MASK;
	header.size = (__u32)(words * WORD);
	memcpy(to, &header, sizeof(header));
	return words * WORD;
}
