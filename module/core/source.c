// SPDX-License-Identifier: GPL-2.0
/*
 * The data source: from the word that PEBS wrote to a level. The word of a load
 * is kept beside the result, packed into few bits so that each can be counted.
 */
#include "source.h"

static_assert(MEMLAT_SOURCE_CODES >> MEMLAT_SOURCE_CODE_BITS == 1);

/**
 * memlat_source_word - a word that packs to this
 * @table: of this kind of core
 * @raw: from memlat_source_raw()
 *
 * Return: the word, its bits that mean something.
 */
u32 memlat_source_word(const struct memlat_source_table *table, unsigned int raw)
{
	u32 flags = raw >> MEMLAT_SOURCE_CODE_BITS & (MEMLAT_SOURCE_FLAGS - 1);

	return (raw & table->code_mask & MEMLAT_SOURCE_RESERVED) | flags << table->flags_at;
}
