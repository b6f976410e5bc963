// SPDX-License-Identifier: GPL-2.0
/*
 * The data source: from the word that PEBS wrote to a level. The word of a load
 * is kept beside the result, packed into few bits so that each can be counted.
 */
#include "source.h"

static_assert(MEMLAT_SOURCE_FLAGS >> MEMLAT_SOURCE_FLAG_BITS == 1);
static_assert(MEMLAT_WIDE_MEMORY + 2 * MEMLAT_WIDE_REMOTE <= MEMLAT_WIDE_RESERVED);

/* The bits of a wide word that say as much as its code. */
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
	/* A source that is none. */
	if (code >= 2 * MEMLAT_WIDE_REMOTE)
		return MEMLAT_WIDE_L2_MISS | 1;
	how = code / MEMLAT_WIDE_REMOTE;
	return MEMLAT_WIDE_L2_MISS | how << 4 | (code % MEMLAT_WIDE_REMOTE + MEMLAT_OMR_MEMORY);
}

/**
 * memlat_source_word - a word that packs to this
 * @table: of this kind of core
 * @raw: from memlat_source_raw()
 *
 * Return: the word, its bits that mean something.
 */
u32 memlat_source_word(const struct memlat_source_table *table, unsigned int raw)
{
	const u32 flags = (raw & (MEMLAT_SOURCE_FLAGS - 1)) << table->flags_at;
	const unsigned int code = raw >> MEMLAT_SOURCE_FLAG_BITS & (MEMLAT_SOURCE_CODES - 1);

	if (table->wide)
		return wide_word(code) | flags;
	return (code & table->code_mask & MEMLAT_SOURCE_RESERVED) | flags;
}
