/* SPDX-License-Identifier: GPL-2.0 */
/* A sample, and how the data source of a record is decoded. */
#ifndef MEMLAT_CORE_SAMPLE_H
#define MEMLAT_CORE_SAMPLE_H

#include <uapi/linux/memlat.h>

#include "types.h"

/* Bits of memlat_sample.flags and memlat_cell.flags, in the order of the bit-fields below. */
#define MEMLAT_CELL_STORE	0x1
#define MEMLAT_CELL_L1_HIT	0x2
#define MEMLAT_CELL_STLB_MISS	0x4
#define MEMLAT_CELL_LOCKED	0x8
#define MEMLAT_CELL_BLOCKED_DATA 0x10
#define MEMLAT_CELL_BLOCKED_ADDR 0x20
#define MEMLAT_CELL_XSNP_FWD	0x40
#define MEMLAT_CELL_NOT_MEMORY	0x80

/**
 * struct memlat_sample - one load or store, as all later stages see it
 * @ip: address of the instruction
 * @addr: linear address of the datum
 * @phys: physical address of its line; 0: not known
 * @weight: qualifying events that it stands for
 * @latency: of a load, in core cycles, at least 1: the cache latency if the CPU reports it, else
 *	the use latency. Of a store, the time until it was done, if the CPU reports it; else 0
 * @use_latency: the use latency if the CPU reports both; else 0
 * @tgid: process, in the initial PID namespace
 * @tid: thread, in the initial PID namespace
 * @gen: generation of the process (hw/who.h)
 * @stack: number of the call chain, from memlat_shard_stack(); 0: none
 * @source: enum memlat_source. Of a store, where its line was: MEMLAT_SRC_L1 or _UNKNOWN if the CPU
 *	reports no more
 * @raw: source word of a load, as memlat_source_raw() packs it
 * @store: a store, not a load
 * @l1_hit: a store that found its line in L1
 * @stlb_miss: it missed the second-level TLB
 * @locked: it had a lock prefix
 * @blocked_data: a load that waited for a store's data
 * @blocked_addr: a load that waited for a store's address
 * @xsnp_fwd: a sibling core forwarded the line, modified or clean (MEMLAT_SNOOP_XSNP_FWD)
 * @not_memory: a load that found its line in L1 and waited longer for something else
 * @flags: all of these bits, as MEMLAT_CELL_*
 */
struct memlat_sample {
	u64 ip;
	u64 addr;
	u64 phys;
	u64 weight;
	u32 latency;
	u32 use_latency;
	u32 tgid;
	u32 tid;
	u32 gen;
	u16 stack;
	u16 raw;
	u8 source;
	union {
		u8 flags;
		struct {
			bool store:1;
			bool l1_hit:1;
			bool stlb_miss:1;
			bool locked:1;
			bool blocked_data:1;
			bool blocked_addr:1;
			bool xsnp_fwd:1;
			bool not_memory:1;
		};
	};
};

#define MEMLAT_SOURCE_FLAG_BITS	4
#define MEMLAT_SOURCE_FLAGS	16
#define MEMLAT_SOURCE_CODES	128
#define MEMLAT_RAWS		(MEMLAT_SOURCE_FLAGS * MEMLAT_SOURCE_CODES)

/*
 * The codes that stand for all unknown codes, because no table has them: of words that are not
 * wide, and of wide words.
 */
#define MEMLAT_SOURCE_RESERVED	31
#define MEMLAT_WIDE_RESERVED	(MEMLAT_SOURCE_CODES - 1)

/*
 * A wide word has nine bits of code. If the ninth bit, "L2 missed", is clear, the other eight are a
 * code below 16 for what L2 or a level before it had. If it is set, they are an OMR (off-module
 * response) encoding: bits 3:0 say who answered, and bits 7:4 how. For caches, bit 4 means remote,
 * bit 5 modified, bit 6 snooped and bit 7 promoted. For memory and mapped I/O only bit 4 has a
 * meaning.
 */
#define MEMLAT_WIDE_L2_MISS	0x100
#define MEMLAT_OMR_SOURCE	0xf
#define MEMLAT_OMR_CACHES	2	/* the first source; 0 and 1 are none */
#define MEMLAT_OMR_MEMORY	7	/* the first that is no cache */

/*
 * The places of OMR codes, after the first 16. Each cache has sixteen: 8 is remote, 4 modified, 2
 * promoted, 1 snooped. Each other source has two, and the remote ones follow all local ones.
 */
#define MEMLAT_WIDE_CACHE(source)	(16 * ((source) - MEMLAT_OMR_CACHES + 1))
#define MEMLAT_WIDE_MEMORY		MEMLAT_WIDE_CACHE(MEMLAT_OMR_MEMORY)
#define MEMLAT_WIDE_REMOTE		(MEMLAT_OMR_SOURCE - MEMLAT_OMR_MEMORY + 1)

/**
 * struct memlat_source_code - what a code means
 * @source: enum memlat_source
 * @snoop: enum memlat_snoop
 * @flags: MEMLAT_CELL_* that it implies
 */
struct memlat_source_code {
	u8 source;
	u8 snoop;
	u8 flags;
};

/**
 * struct memlat_source_table - how one kind of core writes the source word
 * @code: by memlat_source_number(); codes that are not in the table are unknown
 * @wide: words are wide (nine bits of code), and @code_mask is not used
 * @code_mask: the bits of the word that hold the code: 0xf, 0x1f or 0xff
 * @flags_at: the lowest of the four bits of a load's word that are flags
 * @flags: what they mean, MEMLAT_CELL_* by their value
 * @stlb_miss: bit of a load's word that says "missed the STLB"; here and below, 0: no bit does
 * @blocked_data: bit of a load's word that says "waited for a store's data"
 * @blocked_addr: bit of a load's word that says "waited for a store's address"
 * @cache_latency: the latency word holds two latencies, [15:0] use latency and [47:32] cache
 *	latency; else it holds one of 32 bits
 * @store_l1_hit: bit of a store's word that says "found its line in L1"; 0: a store's code is read
 *	as a load's
 * @store_stlb_miss: bit of a store's word that says "missed the STLB"
 * @store_locked: bit of a store's word that says "had a lock prefix"
 */
struct memlat_source_table {
	struct memlat_source_code code[MEMLAT_SOURCE_CODES];
	bool wide;
	u16 code_mask;
	u8 flags_at;
	u8 flags[MEMLAT_SOURCE_FLAGS];
	u16 stlb_miss;
	u16 blocked_data;
	u16 blocked_addr;
	bool cache_latency;
	u16 store_l1_hit;
	u16 store_stlb_miss;
	u16 store_locked;
};

/* hw-facts C.2 and C.3; SDM vol. 3B and Linux' arch/x86/events/intel/ds.c. */
extern const struct memlat_source_table memlat_source_nhm;	/* no TLB, no lock bits */
extern const struct memlat_source_table memlat_source_wsm;
extern const struct memlat_source_table memlat_source_snb;	/* and IVB */
extern const struct memlat_source_table memlat_source_hsw;	/* and BDW */
extern const struct memlat_source_table memlat_source_skl;	/* clients */
extern const struct memlat_source_table memlat_source_skx;	/* servers .. CPX */
extern const struct memlat_source_table memlat_source_icl;	/* clients .. TGL, RKL */
extern const struct memlat_source_table memlat_source_icx;	/* servers */
extern const struct memlat_source_table memlat_source_glc;	/* client P cores: ADL, RPL, MTL */
extern const struct memlat_source_table memlat_source_spr;	/* servers: SPR, EMR, GNR */
extern const struct memlat_source_table memlat_source_grt;
extern const struct memlat_source_table memlat_source_cmt;	/* and SKT */
extern const struct memlat_source_table memlat_source_lnc;
extern const struct memlat_source_table memlat_source_pnc;	/* Panther Cove, Coyote Cove */
extern const struct memlat_source_table memlat_source_arw;	/* Arctic Wolf */

unsigned int memlat_source_wide_number(u64 word);

/**
 * memlat_source_number - the code of a word
 * @table: of this kind of core
 * @word: data source as hardware wrote it
 *
 * Return: less than MEMLAT_SOURCE_CODES.
 */
static inline unsigned int memlat_source_number(const struct memlat_source_table *table, u64 word)
{
	unsigned int code = word & table->code_mask;

	if (unlikely(table->wide))
		return memlat_source_wide_number(word);
	return code < MEMLAT_SOURCE_RESERVED ? code : MEMLAT_SOURCE_RESERVED;
}

/**
 * memlat_source_code_of - what the code of a word means
 * @table: of this kind of core
 * @word: data source as hardware wrote it
 *
 * Return: the entry; UNKNOWN for a code that is not in the table.
 */
static inline const struct memlat_source_code *
memlat_source_code_of(const struct memlat_source_table *table, u64 word)
{
	return &table->code[memlat_source_number(table, word)];
}

/**
 * memlat_source_raw - pack a word
 * @table: of this kind of core
 * @word: data source as hardware wrote it
 *
 * The result is the word's place in a table of counts: the four flags of the word, and above them
 * its code (31, or 127 for wide words, for all unknown codes).
 *
 * Return: less than memlat_source_raws().
 */
static inline unsigned int memlat_source_raw(const struct memlat_source_table *table, u64 word)
{
	unsigned int flags = word >> table->flags_at & (MEMLAT_SOURCE_FLAGS - 1);

	return flags | memlat_source_number(table, word) << MEMLAT_SOURCE_FLAG_BITS;
}

/**
 * memlat_source_raws - number of places that the words of this kind of core have
 * @table: of this kind of core
 *
 * Return: MEMLAT_RAWS, or less.
 */
static inline unsigned int memlat_source_raws(const struct memlat_source_table *table)
{
	return table->wide ? MEMLAT_RAWS : MEMLAT_SOURCE_FLAGS * (MEMLAT_SOURCE_RESERVED + 1);
}

/**
 * memlat_source_has_xsnp_fwd - check whether some code may be HITM or a clean forward
 * @table: of this kind of core
 */
static inline bool memlat_source_has_xsnp_fwd(const struct memlat_source_table *table)
{
	unsigned int code;

	for (code = 0; code < MEMLAT_SOURCE_CODES; code++)
		if (table->code[code].flags & MEMLAT_CELL_XSNP_FWD)
			return true;
	return false;
}

/**
 * memlat_source_of_stores - check whether stores report their line's source and their latency
 * @table: of this kind of core
 */
static inline bool memlat_source_of_stores(const struct memlat_source_table *table)
{
	return table->cache_latency && !table->store_l1_hit;
}

u32 memlat_source_word(const struct memlat_source_table *table, unsigned int raw);

static __always_inline void memlat_source_decode_load(const struct memlat_source_table *table,
						      u64 word, struct memlat_sample *s)
{
	const unsigned int flags = word >> table->flags_at & (MEMLAT_SOURCE_FLAGS - 1);
	const unsigned int code = memlat_source_number(table, word);

	s->source = table->code[code].source;
	s->raw = flags | code << MEMLAT_SOURCE_FLAG_BITS;
	/* A load never has this flag; the mask lets the compiler drop the branch. */
	s->flags = (table->flags[flags] | table->code[code].flags) & ~MEMLAT_CELL_STORE;
}

static __always_inline void memlat_source_decode_store(const struct memlat_source_table *table,
						       u64 word, struct memlat_sample *s)
{
	const struct memlat_source_code *code = memlat_source_code_of(table, word);
	u8 flags = code->flags;

	s->source = code->source;
	if (table->store_l1_hit) {
		s->source = word & table->store_l1_hit ? MEMLAT_SRC_L1 : MEMLAT_SRC_UNKNOWN;
		flags = 0;
	}
	s->raw = 0;
	s->flags = MEMLAT_CELL_STORE | flags |
		   (s->source == MEMLAT_SRC_L1 ? MEMLAT_CELL_L1_HIT : 0) |
		   (word & table->store_stlb_miss ? MEMLAT_CELL_STLB_MISS : 0) |
		   (word & table->store_locked ? MEMLAT_CELL_LOCKED : 0);
}

/**
 * memlat_source_decode - decode a source word
 * @table: of this kind of core
 * @word: data source as hardware wrote it
 * @s: the sample; source, raw and flags are set. @s->store says how to read @word
 *
 * Runs in NMI.
 */
static __always_inline void memlat_source_decode(const struct memlat_source_table *table,
						 u64 word, struct memlat_sample *s)
{
	if (s->store)
		memlat_source_decode_store(table, word, s);
	else
		memlat_source_decode_load(table, word, s);
}

#endif /* MEMLAT_CORE_SAMPLE_H */
