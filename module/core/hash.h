/* SPDX-License-Identifier: GPL-2.0 */
#ifndef MEMLAT_CORE_HASH_H
#define MEMLAT_CORE_HASH_H

#include "types.h"

/**
 * memlat_hash - add a word to a hash
 * @hash: hash of the words before
 * @word: the word
 *
 * Multiplying by the golden ratio carries every bit upwards, and the fold brings the bits down
 * again. That takes a few cycles per word, and both halves of the result are well mixed, so one can
 * be a place and the other a tag.
 */
static inline u64 memlat_hash(u64 hash, u64 word)
{
	hash = (hash ^ word) * 0x9e3779b97f4a7c15ULL;
	return hash ^ hash >> 32;
}

#endif /* MEMLAT_CORE_HASH_H */
