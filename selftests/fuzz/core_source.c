// SPDX-License-Identifier: GPL-2.0
/*
 * Source words, compared with the meaning that the manuals give to each bit, which is written here
 * once more.
 */
#include "core.h"

#define BIT_OF(n)	((u16)(1U << (n)))

/* Westmere to Rocket Lake have two bits in addition to the code. */
#define TWO_BITS	.stlb_miss = BIT_OF(4), .locked = BIT_OF(5)
#define GOLDEN_COVE \
	TWO_BITS, .blocked_data = BIT_OF(6), .blocked_addr = BIT_OF(7), \
	.store_stlb_miss = BIT_OF(4), .store_locked = BIT_OF(5), .two_latencies = true, \
	.forwards = true

/* Panther Cove and Arctic Wolf. */
#define NINE_BITS \
	.stlb_miss = BIT_OF(11), .locked = BIT_OF(12), .blocked_data = BIT_OF(13), \
	.blocked_addr = BIT_OF(14), .store_stlb_miss = BIT_OF(11), .store_locked = BIT_OF(12), \
	.nine = true, .two_latencies = true

const struct source_known source_known[SOURCES_KNOWN] = {
	{ .table = &memlat_source_nhm },
	{ .table = &memlat_source_wsm, TWO_BITS },
	{ .table = &memlat_source_snb, TWO_BITS,
	  .store_stlb_miss = BIT_OF(4), .store_locked = BIT_OF(5) },
	{ .table = &memlat_source_hsw, TWO_BITS },
	{ .table = &memlat_source_skl, TWO_BITS },
	{ .table = &memlat_source_skx, TWO_BITS },
	{ .table = &memlat_source_icl, TWO_BITS, .forwards = true },
	{ .table = &memlat_source_icx, TWO_BITS, .forwards = true },
	{ .table = &memlat_source_glc, GOLDEN_COVE },
	{ .table = &memlat_source_spr, GOLDEN_COVE },
	{ .table = &memlat_source_grt, .locked = BIT_OF(4), .stlb_miss = BIT_OF(5),
	  .blocked_data = BIT_OF(6), .store_locked = BIT_OF(4), .store_stlb_miss = BIT_OF(5),
	  .two_latencies = true },
	{ .table = &memlat_source_cmt, .locked = BIT_OF(5), .stlb_miss = BIT_OF(6),
	  .blocked_data = BIT_OF(7), .store_locked = BIT_OF(5), .store_stlb_miss = BIT_OF(6),
	  .five = true, .two_latencies = true },
	{ .table = &memlat_source_lnc, .stlb_miss = BIT_OF(10), .locked = BIT_OF(11),
	  .blocked_data = BIT_OF(12), .blocked_addr = BIT_OF(13),
	  .store_stlb_miss = BIT_OF(10), .store_locked = BIT_OF(11),
	  .wide = true, .two_l1 = true, .two_latencies = true },
	{ .table = &memlat_source_pnc, NINE_BITS, .two_l1 = true },
	{ .table = &memlat_source_arw, NINE_BITS },
};

u8 source_flags(const struct source_known *known, u64 word, bool store)
{
	u8 flags = 0;

	if (store) {
		flags = MEMLAT_CELL_STORE;
		flags |= word & known->store_stlb_miss ? MEMLAT_CELL_STLB_MISS : 0;
		flags |= word & known->store_locked ? MEMLAT_CELL_LOCKED : 0;
		/* Only on cores whose stores have the codes of loads. */
		flags |= known->forwards && known->two_latencies &&
			 source_code(known, word) == 7 ? MEMLAT_CELL_XSNP_FWD : 0;
		return flags;
	}
	flags |= word & known->stlb_miss ? MEMLAT_CELL_STLB_MISS : 0;
	flags |= word & known->locked ? MEMLAT_CELL_LOCKED : 0;
	flags |= word & known->blocked_data ? MEMLAT_CELL_BLOCKED_DATA : 0;
	flags |= word & known->blocked_addr ? MEMLAT_CELL_BLOCKED_ADDR : 0;
	flags |= known->forwards && source_code(known, word) == 7 ? MEMLAT_CELL_XSNP_FWD : 0;
	return flags;
}

static unsigned int code_mask(const struct source_known *known)
{
	return known->nine ? 0x1ff : known->wide ? 0xff : known->five ? 0x1f : 0xf;
}

unsigned int source_code(const struct source_known *known, u64 word)
{
	unsigned int code = word & code_mask(known);

	if (!known->nine)
		return code > 30 ? 31 : code;
	if (code & 0x100 ? (code & 0xf) < 2 : code > 0xf)
		return 0x101;
	/* For memory and mapped devices, the snoop bits have no meaning. */
	return code & 0x100 && (code & 0xf) > 6 ? code & ~0xe0U : code;
}

static void check_load(const struct source_known *known, u64 word)
{
	const struct memlat_source_table *table = known->table;
	const struct memlat_source_code *code = memlat_source_code_of(table, word);
	struct memlat_sample s = { .store = false }, again = { .store = false };

	memlat_source_decode(table, word, &s);
	fuzz_equal(s.flags, source_flags(known, word, false));
	fuzz_check(s.raw < MEMLAT_RAWS && s.source < MEMLAT_SRC_NR);
	fuzz_check(code->snoop <= MEMLAT_SNOOP_XSNP_FWD);
	fuzz_equal(s.source, code->source);
	fuzz_equal(s.raw, memlat_source_raw(table, word));
	fuzz_check(s.raw < memlat_source_raws(table));
	fuzz_equal(memlat_source_word(table, s.raw) & code_mask(known), source_code(known, word));
	if (source_code(known, word) == (known->nine ? 0x101 : 31))
		fuzz_equal(s.source, MEMLAT_SRC_UNKNOWN);
	/* HITM in the snoop's word and in the level have to agree. */
	fuzz_equal(code->snoop == MEMLAT_SNOOP_HITM, memlat_source_is_hitm(s.source));

	/* A word that packs to the same has the same meaning. */
	memlat_source_decode(table, memlat_source_word(table, s.raw), &again);
	fuzz_equal(again.raw, s.raw);
	fuzz_equal(again.source, s.source);
	fuzz_equal(again.flags, s.flags);
}

static void check_store(const struct source_known *known, u64 word)
{
	const struct memlat_source_table *table = known->table;
	struct memlat_sample s = { .store = true };
	bool l1 = table->store_l1_hit ? word & 1 : source_code(known, word) == 1 ||
		  (known->two_l1 && source_code(known, word) == 2);

	memlat_source_decode(table, word, &s);
	fuzz_equal(s.flags, source_flags(known, word, true) | (l1 ? MEMLAT_CELL_L1_HIT : 0));
	if (table->store_l1_hit)
		fuzz_equal(s.source, l1 ? MEMLAT_SRC_L1 : MEMLAT_SRC_UNKNOWN);
	else
		fuzz_equal(s.source, memlat_source_code_of(table, word)->source);
	fuzz_equal(s.raw, 0);
}

void core_source(const uint8_t *data, size_t size)
{
	struct fuzz_input input = { data, size };
	unsigned int i;

	while (input.left) {
		const u64 word = fuzz_take(&input, 8);

		for (i = 0; i < SOURCES_KNOWN; i++) {
			check_load(&source_known[i], word);
			check_store(&source_known[i], word);
		}
	}
}
