// SPDX-License-Identifier: GPL-2.0
/*
 * The data source: from the word that PEBS wrote to a level. The word of a load
 * is kept beside the result, packed into few bits so that each can be counted.
 */
#include <uapi/linux/memlat.h>

#include "source.h"

/* Where codes have 8 bits, those that are defined have few. */
#define WIDE_MASK	0xff
#define WIDE_CODE_BITS	5
#define WIDE_FLAGS_AT	10
#define WIDE_FLAGS	0xf
#define RESERVED	(MEMLAT_SOURCE_CODES - 1)

static_assert(MEMLAT_SOURCE_CODES == 1 << WIDE_CODE_BITS);
static_assert(MEMLAT_RAWS == (WIDE_FLAGS + 1) << WIDE_CODE_BITS && MEMLAT_RAWS >= 256);

/* No table has the last code, so that it stands for all that are not in it. */
static unsigned int code_number(const struct memlat_source_table *table, u64 word)
{
	unsigned int code = word & table->code_mask;

	return code < RESERVED ? code : RESERVED;
}

/**
 * memlat_source_code_of - what the code of a word means
 * @table: of this kind of core
 * @word: data source as hardware wrote it
 *
 * Return: the entry; UNKNOWN for a code that is not in the table.
 */
const struct memlat_source_code *
memlat_source_code_of(const struct memlat_source_table *table, u64 word)
{
	return &table->code[code_number(table, word)];
}

/**
 * memlat_source_raw - pack a word
 * @table: of this kind of core
 * @word: data source as hardware wrote it
 *
 * Return: less than MEMLAT_RAWS.
 */
unsigned int memlat_source_raw(const struct memlat_source_table *table, u64 word)
{
	if (table->code_mask != WIDE_MASK)
		return (u8)word;
	return code_number(table, word) |
	       (unsigned int)(word >> WIDE_FLAGS_AT & WIDE_FLAGS) << WIDE_CODE_BITS;
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
	if (table->code_mask != WIDE_MASK)
		return (u8)raw;
	return (raw & RESERVED) | (raw >> WIDE_CODE_BITS & WIDE_FLAGS) << WIDE_FLAGS_AT;
}

static void decode_store(const struct memlat_source_table *table, u64 word,
			 struct memlat_sample *s)
{
	if (table->store_l1_hit)
		s->l1_hit = word & table->store_l1_hit;
	else
		s->l1_hit = memlat_source_code_of(table, word)->source == MEMLAT_SRC_L1;
	s->source = s->l1_hit ? MEMLAT_SRC_L1 : MEMLAT_SRC_UNKNOWN;
	s->raw = 0;
	s->stlb_miss = word & table->store_stlb_miss;
	s->locked = word & table->store_locked;
	s->blocked_data = false;
	s->blocked_addr = false;
}

/**
 * memlat_source_decode - fill in what the source word says
 * @table: of this kind of core
 * @word: data source as hardware wrote it
 * @s: sample; its store says how to read @word. source, raw, stlb_miss, locked,
 *	blocked_data, blocked_addr and l1_hit are set
 *
 * Runs in NMI.
 */
void memlat_source_decode(const struct memlat_source_table *table, u64 word,
			  struct memlat_sample *s)
{
	if (s->store) {
		decode_store(table, word, s);
		return;
	}
	s->l1_hit = false;
	s->source = memlat_source_code_of(table, word)->source;
	s->raw = memlat_source_raw(table, word);
	s->stlb_miss = word & table->stlb_miss;
	s->locked = word & table->locked;
	s->blocked_data = word & table->blocked_data;
	s->blocked_addr = word & table->blocked_addr;
}
