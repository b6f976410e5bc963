// SPDX-License-Identifier: GPL-2.0
/*
 * The data source: decode the word that PEBS wrote. A load's word is also packed into few bits, so
 * that each word can be counted.
 */
#include "sample.h"

static_assert(MEMLAT_SOURCE_FLAGS >> MEMLAT_SOURCE_FLAG_BITS == 1);
static_assert(MEMLAT_WIDE_MEMORY + 2 * MEMLAT_WIDE_REMOTE <= MEMLAT_WIDE_RESERVED);

/* Make the bits of a wide word that has this code. */
static u32 wide_word(unsigned int code)
{
	unsigned int how;

	if (code < MEMLAT_WIDE_CACHE(MEMLAT_OMR_CACHES))
		return code;
	if (code < MEMLAT_WIDE_MEMORY) {
		how = (code >> 3 & 1) | (code >> 1 & 2) | (code & 3) << 2;
		return MEMLAT_WIDE_L2_MISS | how << 4 | (code / 16 - 1 + MEMLAT_OMR_CACHES);
	}
	code -= MEMLAT_WIDE_MEMORY;
	/* Source 1 does not exist, so this word is unknown too. */
	if (code >= 2 * MEMLAT_WIDE_REMOTE)
		return MEMLAT_WIDE_L2_MISS | 1;
	how = code / MEMLAT_WIDE_REMOTE;
	return MEMLAT_WIDE_L2_MISS | how << 4 | (code % MEMLAT_WIDE_REMOTE + MEMLAT_OMR_MEMORY);
}

/**
 * memlat_source_wide_number - the code of a wide word
 * @word: data source as hardware wrote it
 *
 * Not inline, so that the code for all other cores can use more registers.
 *
 * Return: less than MEMLAT_SOURCE_CODES.
 */
unsigned int memlat_source_wide_number(u64 word)
{
	const unsigned int source = word & MEMLAT_OMR_SOURCE, how = word >> 4 & 0xf;

	if (!(word & MEMLAT_WIDE_L2_MISS))
		return how ? MEMLAT_WIDE_RESERVED : source;
	if (source < MEMLAT_OMR_CACHES)
		return MEMLAT_WIDE_RESERVED;
	if (source < MEMLAT_OMR_MEMORY)
		return MEMLAT_WIDE_CACHE(source) + ((how & 1) << 3 | (how & 2) << 1 | how >> 2);
	return MEMLAT_WIDE_MEMORY + source - MEMLAT_OMR_MEMORY + (how & 1) * MEMLAT_WIDE_REMOTE;
}

/**
 * memlat_source_word - unpack a word
 * @table: of this kind of core
 * @raw: from memlat_source_raw()
 *
 * Return: the word, with only the bits that memlat_source_raw() kept.
 */
u32 memlat_source_word(const struct memlat_source_table *table, unsigned int raw)
{
	const u32 flags = (raw & (MEMLAT_SOURCE_FLAGS - 1)) << table->flags_at;
	const unsigned int code = raw >> MEMLAT_SOURCE_FLAG_BITS & (MEMLAT_SOURCE_CODES - 1);

	if (table->wide)
		return wide_word(code) | flags;
	return (code & table->code_mask & MEMLAT_SOURCE_RESERVED) | flags;
}
