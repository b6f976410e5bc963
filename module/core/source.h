/* SPDX-License-Identifier: GPL-2.0 */
#ifndef MEMLAT_CORE_SOURCE_H
#define MEMLAT_CORE_SOURCE_H

#include "sample.h"

#define MEMLAT_SOURCE_CODES	32
#define MEMLAT_RAWS		512

/**
 * struct memlat_source_code - what a code means
 * @source: enum memlat_source
 * @snoop: enum memlat_snoop
 */
struct memlat_source_code {
	u8 source;
	u8 snoop;
};

/**
 * struct memlat_source_table - how one kind of core writes the source word
 * @code: by code; codes that are not in the table are unknown
 * @code_mask: bits of the word that hold the code: 0xf or 0xff
 * @stlb_miss: bit of a load's word that says "missed the STLB"; 0: none does,
 *	here and below
 * @locked: "locked access"
 * @blocked_data: "waited for a store's data"
 * @blocked_addr: "waited for a store's address"
 * @cache_latency: the latency word holds two: [15:0] use latency, [47:32] cache
 *	latency; else it is one of 32 bits
 * @store_l1_hit: bit of a store's word that says "found its line in L1"; 0: a
 *	store's code is read as a load's
 * @store_stlb_miss: as @stlb_miss, of a store's word
 * @store_locked: as @locked, of a store's word
 */
struct memlat_source_table {
	struct memlat_source_code code[MEMLAT_SOURCE_CODES];
	u16 code_mask;
	u16 stlb_miss;
	u16 locked;
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
extern const struct memlat_source_table memlat_source_skl;	/* clients .. TGL, RKL */
extern const struct memlat_source_table memlat_source_skx;	/* servers .. ICX */
extern const struct memlat_source_table memlat_source_glc;	/* client P cores: ADL, RPL, MTL */
extern const struct memlat_source_table memlat_source_spr;	/* servers: SPR, EMR, GNR */
extern const struct memlat_source_table memlat_source_grt;
extern const struct memlat_source_table memlat_source_cmt;	/* and SKT */
extern const struct memlat_source_table memlat_source_lnc;

/* In NMI. Sets source, raw, stlb_miss, locked, blocked_* and l1_hit of @s. */
void memlat_source_decode(const struct memlat_source_table *table, u64 word,
			  struct memlat_sample *s);

const struct memlat_source_code *
memlat_source_code_of(const struct memlat_source_table *table, u64 word);

/*
 * A word's place in a table of MEMLAT_RAWS counts, and back. Where the code has 4
 * bits: bits 7:0 of the word. Where it has 8: the code in bits 4:0 (0x1f: all
 * above 0x1e) and bits 13:10 of the word above it.
 */
unsigned int memlat_source_raw(const struct memlat_source_table *table, u64 word);
u32 memlat_source_word(const struct memlat_source_table *table, unsigned int raw);

#endif /* MEMLAT_CORE_SOURCE_H */
