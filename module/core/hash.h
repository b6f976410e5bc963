/* SPDX-License-Identifier: GPL-2.0 */
#ifndef MEMLAT_CORE_HASH_H
#define MEMLAT_CORE_HASH_H

#include "types.h"

/**
 * memlat_hash - take one more word into a hash
 * @hash: of the words before
 * @word: the word
 *
 * A multiplication by the golden ratio carries every bit upwards, the fold
 * brings them down again: a few cycles a word, and both halves of the result
 * are fit for use, one as place and one as tag.
 */
static inline u64 memlat_hash(u64 hash, u64 word)
{
	hash = (hash ^ word) * 0x9e3779b97f4a7c15ULL;
	return hash ^ hash >> 32;
}

#endif /* MEMLAT_CORE_HASH_H */
