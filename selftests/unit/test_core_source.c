// SPDX-License-Identifier: GPL-2.0
/*
 * module/core: every data source word of every type of core. The expected meaning is written as in
 * the manuals: a sentence for each code of a base table, and the changes of later cores.
 */
#include "core_test.h"
#include "sample.h"

#define CODES 32

/* A sentence, and memlat's meaning of it. */
static const struct {
	const char *says;
	u8 source;
	u8 snoop;
} meaning[] = {
	{ "unknown L3 miss", MEMLAT_SRC_UNKNOWN, MEMLAT_SNOOP_NA },
	{ "reserved", MEMLAT_SRC_UNKNOWN, MEMLAT_SNOOP_NA },
	{ "L1 hit", MEMLAT_SRC_L1, MEMLAT_SNOOP_NONE },
	{ "fill buffer", MEMLAT_SRC_LFB, MEMLAT_SNOOP_NONE },
	{ "L2 hit", MEMLAT_SRC_L2, MEMLAT_SNOOP_NONE },
	{ "L2 miss-handling buffer", MEMLAT_SRC_LFB, MEMLAT_SNOOP_NONE },
	{ "L2 hit, another core of this L2 has it", MEMLAT_SRC_L2, MEMLAT_SNOOP_HIT },
	{ "L2 hit, another core of this L2 had it modified", MEMLAT_SRC_L3_HITM,
	  MEMLAT_SNOOP_HITM },
	{ "L2 prefetch under way", MEMLAT_SRC_L2, MEMLAT_SNOOP_NONE },
	{ "L3 hit, of a snoop nothing is told", MEMLAT_SRC_L3, MEMLAT_SNOOP_NA },
	{ "L3 hit, no snoop", MEMLAT_SRC_L3, MEMLAT_SNOOP_NONE },
	{ "L3 hit, snoop miss", MEMLAT_SRC_L3_SNOOP, MEMLAT_SNOOP_MISS },
	{ "L3 hit, snoop hit clean", MEMLAT_SRC_L3_SNOOP, MEMLAT_SNOOP_HIT },
	{ "L3 hit, forward", MEMLAT_SRC_L3_SNOOP, MEMLAT_SNOOP_FWD },
	{ "L3 hit, sibling core forwarded, modified or clean", MEMLAT_SRC_L3_SNOOP,
	  MEMLAT_SNOOP_XSNP_FWD },
	{ "L3 hit, HITM", MEMLAT_SRC_L3_HITM, MEMLAT_SNOOP_HITM },
	{ "L3 miss, HITM", MEMLAT_SRC_L3_HITM, MEMLAT_SNOOP_HITM },
	{ "remote cache hit", MEMLAT_SRC_RCACHE, MEMLAT_SNOOP_HIT },
	{ "remote cache, of a snoop nothing is told", MEMLAT_SRC_RCACHE, MEMLAT_SNOOP_NA },
	{ "remote cache, no snoop", MEMLAT_SRC_RCACHE, MEMLAT_SNOOP_NONE },
	{ "remote cache, snoop miss", MEMLAT_SRC_RCACHE, MEMLAT_SNOOP_MISS },
	{ "remote cache, forward", MEMLAT_SRC_RCACHE, MEMLAT_SNOOP_FWD },
	{ "remote cache HITM", MEMLAT_SRC_RHITM, MEMLAT_SNOOP_HITM },
	{ "local DRAM, shared", MEMLAT_SRC_DRAM, MEMLAT_SNOOP_HIT },
	{ "local DRAM, exclusive", MEMLAT_SRC_DRAM, MEMLAT_SNOOP_MISS },
	{ "local DRAM, no snoop", MEMLAT_SRC_DRAM, MEMLAT_SNOOP_NONE },
	{ "remote DRAM, shared", MEMLAT_SRC_RDRAM, MEMLAT_SNOOP_HIT },
	{ "remote DRAM, exclusive", MEMLAT_SRC_RDRAM, MEMLAT_SNOOP_MISS },
	{ "remote DRAM, no snoop", MEMLAT_SRC_RDRAM, MEMLAT_SNOOP_NONE },
	{ "L4, snoop hit", MEMLAT_SRC_L4, MEMLAT_SNOOP_HIT },
	{ "remote L4, snoop hit", MEMLAT_SRC_RCACHE, MEMLAT_SNOOP_HIT },
	{ "memory-side cache", MEMLAT_SRC_L4, MEMLAT_SNOOP_NONE },
	{ "PMEM, snoop hit", MEMLAT_SRC_PMEM, MEMLAT_SNOOP_HIT },
	{ "remote PMEM, snoop hit", MEMLAT_SRC_RPMEM, MEMLAT_SNOOP_HIT },
	{ "I/O", MEMLAT_SRC_IO, MEMLAT_SNOOP_NONE },
	{ "uncached", MEMLAT_SRC_UNC, MEMLAT_SNOOP_NONE },
};

/* Sandy Bridge to Broadwell. */
static const char *const base[16] = {
	"unknown L3 miss", "L1 hit", "fill buffer", "L2 hit",
	"L3 hit, no snoop", "L3 hit, snoop miss", "L3 hit, snoop hit clean", "L3 hit, HITM",
	"remote cache hit", "remote cache HITM", "local DRAM, shared", "remote DRAM, shared",
	"local DRAM, exclusive", "remote DRAM, exclusive", "I/O", "uncached",
};

struct change {
	int code;
	const char *says;
};

#define END { -1, NULL }

static const struct change none[] = { END };
static const struct change nehalem[] = {
	{ 0x5, "L3 hit, snoop hit clean" }, { 0x6, "L3 hit, HITM" }, END
};
static const struct change skylake[] = {
	{ 0x8, "L4, snoop hit" }, { 0x9, "remote L4, snoop hit" },
	{ 0xb, "remote DRAM, no snoop" }, { 0xc, "remote cache, forward" },
	{ 0xd, "remote cache HITM" }, END
};
static const struct change skylake_server[] = {
	{ 0x8, "PMEM, snoop hit" }, { 0x9, "remote PMEM, snoop hit" },
	{ 0xb, "remote DRAM, no snoop" }, { 0xc, "remote cache, forward" },
	{ 0xd, "remote cache HITM" }, END
};
/*
 * SDM vol. 3B, "Data Source Encoding for Memory Accesses (Ice Lake and Later)", 07H:
 * "either a modified (cross-core HITM) or a non-modified (cross-core FWD)".
 */
static const struct change ice_lake[] = {
	{ 0x7, "L3 hit, sibling core forwarded, modified or clean" },
	{ 0x8, "L4, snoop hit" }, { 0x9, "remote L4, snoop hit" },
	{ 0xb, "remote DRAM, no snoop" }, { 0xc, "remote cache, forward" },
	{ 0xd, "remote cache HITM" }, END
};
static const struct change ice_lake_server[] = {
	{ 0x7, "L3 hit, sibling core forwarded, modified or clean" },
	{ 0x8, "PMEM, snoop hit" }, { 0x9, "remote PMEM, snoop hit" },
	{ 0xb, "remote DRAM, no snoop" }, { 0xc, "remote cache, forward" },
	{ 0xd, "remote cache HITM" }, END
};
static const struct change gracemont[] = {
	{ 0x5, "L3 hit, snoop hit clean" }, { 0x6, "L3 hit, HITM" }, { 0x8, "L3 hit, forward" },
	END
};
static const struct change crestmont[] = {
	{ 0x7, "L3 hit, forward" }, { 0x8, "L3 hit, HITM" }, { 0xa, "local DRAM, no snoop" },
	{ 0xb, "remote DRAM, no snoop" }, { 0xc, "remote cache, forward" },
	{ 0xd, "remote cache HITM" }, END
};
static const struct change lion_cove[] = {
	{ 0x0, "unknown L3 miss" }, { 0x1, "L1 hit" }, { 0x2, "L1 hit" }, { 0x3, "fill buffer" },
	{ 0x4, "reserved" }, { 0x5, "L2 hit" }, { 0x6, "L2 miss-handling buffer" },
	{ 0x7, "reserved" }, { 0x8, "L3 hit, no snoop" }, { 0x9, "reserved" },
	{ 0xa, "reserved" }, { 0xb, "reserved" }, { 0xc, "L3 hit, forward" },
	{ 0xd, "L3 hit, HITM" }, { 0xe, "reserved" }, { 0xf, "L3 miss, HITM" },
	{ 0x10, "memory-side cache" }, { 0x11, "local DRAM, no snoop" }, END
};

/* Words with nine bits of code: those of accesses that did not miss L2. */
static const struct change panther_cove[] = {
	{ 0x1, "L1 hit" }, { 0x2, "L1 hit" }, { 0x3, "fill buffer" }, { 0x4, "L2 hit" },
	{ 0x7, "L2 hit, another core of this L2 has it" },
	{ 0x8, "L2 hit, another core of this L2 had it modified" },
	{ 0x9, "L2 prefetch under way" }, { 0xa, "L2 prefetch under way" }, { 0xf, "uncached" },
	END
};
static const struct change arctic_wolf[] = {
	{ 0x1, "L1 hit" }, { 0x2, "fill buffer" }, { 0x3, "L2 hit" },
	{ 0x4, "L2 hit, another core of this L2 has it" },
	{ 0x5, "L2 hit, another core of this L2 had it modified" }, { 0x6, "uncached" }, END
};

/* And those of accesses that did: a byte with who answered (bits 3:0), and how. */
static const char *off_module(unsigned int byte)
{
	const bool remote = byte & 0x10, modified = byte & 0x20, snoop = byte & 0x40;
	static const char *const shared[2][4] = {
		{ "L3 hit, of a snoop nothing is told", "L3 hit, snoop miss",
		  "L3 hit, snoop hit clean", "L3 hit, no snoop" },
		{ "remote cache, of a snoop nothing is told", "remote cache, snoop miss",
		  "remote cache hit", "remote cache, no snoop" },
	};

	switch (byte & 0xf) {
	case 0:
	case 1:
		return "reserved";
	case 4:		/* an agent for I/O */
	case 7:		/* what is mapped */
		return "I/O";
	case 2:
	case 3:
	case 5:
	case 6:
		if (modified)
			return remote ? "remote cache HITM" : "L3 hit, HITM";
		if ((byte & 0xf) == 2)
			return shared[remote][byte >> 6];
		if (remote)
			return snoop ? "remote cache, forward" : "remote cache hit";
		return snoop ? "L3 hit, forward" : "L3 hit, snoop hit clean";
	default:
		return remote ? "remote DRAM, no snoop" : "local DRAM, no snoop";
	}
}

/* Bit numbers. NO: the core does not report this. */
#define NO (-1)
/* The first bit of a store is such a bit, or the code is that of a load. */
#define CODE (-2)

static const struct kind {
	const char *name;
	const struct memlat_source_table *table;
	const struct change *change;
	int code_bits;
	int stlb_miss, locked, data, addr;
	int store_hit, store_stlb_miss, store_locked;
	bool two_latencies;
} kinds[] = {
	{ "nhm", &memlat_source_nhm, nehalem, 4, NO, NO, NO, NO, CODE, NO, NO, false },
	{ "wsm", &memlat_source_wsm, nehalem, 4, 4, 5, NO, NO, CODE, NO, NO, false },
	{ "snb", &memlat_source_snb, none, 4, 4, 5, NO, NO, 0, 4, 5, false },
	{ "hsw", &memlat_source_hsw, none, 4, 4, 5, NO, NO, 0, NO, NO, false },
	{ "skl", &memlat_source_skl, skylake, 4, 4, 5, NO, NO, 0, NO, NO, false },
	{ "skx", &memlat_source_skx, skylake_server, 4, 4, 5, NO, NO, 0, NO, NO, false },
	{ "icl", &memlat_source_icl, ice_lake, 4, 4, 5, NO, NO, 0, NO, NO, false },
	{ "icx", &memlat_source_icx, ice_lake_server, 4, 4, 5, NO, NO, 0, NO, NO, false },
	{ "glc", &memlat_source_glc, ice_lake, 4, 4, 5, 6, 7, CODE, 4, 5, true },
	{ "spr", &memlat_source_spr, ice_lake_server, 4, 4, 5, 6, 7, CODE, 4, 5, true },
	{ "grt", &memlat_source_grt, gracemont, 4, 5, 4, 6, NO, CODE, 5, 4, true },
	{ "cmt", &memlat_source_cmt, crestmont, 5, 6, 5, 7, NO, CODE, 6, 5, true },
	{ "lnc", &memlat_source_lnc, lion_cove, 8, 10, 11, 12, 13, CODE, 10, 11, true },
	{ "pnc", &memlat_source_pnc, panther_cove, 9, 11, 12, 13, 14, CODE, 11, 12, true },
	{ "arw", &memlat_source_arw, arctic_wolf, 9, 11, 12, 13, 14, CODE, 11, 12, true },
};

static const char *sentence(const struct kind *kind, unsigned int code)
{
	const struct change *change;

	if (code & 0x100)
		return off_module(code & 0xff);
	for (change = kind->change; change->says; change++)
		if (change->code == (int)code)
			return change->says;
	/* Crestmont has no sentence for a code with the fifth bit. */
	return kind->code_bits < 8 && code < 16 ? base[code] : "reserved";
}

static void expect(const struct kind *kind, u64 word, u8 *source, u8 *snoop)
{
	const char *says = sentence(kind, word & ((1U << kind->code_bits) - 1));
	unsigned int i;

	for (i = 0; i < sizeof(meaning) / sizeof(meaning[0]); i++) {
		if (strcmp(says, meaning[i].says))
			continue;
		*source = meaning[i].source;
		*snoop = meaning[i].snoop;
		return;
	}
	fail_msg("no meaning for '%s'", says);
}

static bool bit(u64 word, int number)
{
	return number >= 0 && word >> number & 1;
}

static void check_load(const struct kind *kind, u64 word)
{
	struct memlat_sample s;
	u8 source, snoop;

	memset(&s, 0xa5, sizeof(s));
	s.store = false;
	memlat_source_decode(kind->table, word, &s);
	expect(kind, word, &source, &snoop);
	if (s.source != source || memlat_source_code_of(kind->table, word)->snoop != snoop)
		fail_msg("%s: load word 0x%llx is source %u snoop %u, not %u %u", kind->name,
			 (unsigned long long)word, s.source,
			 memlat_source_code_of(kind->table, word)->snoop, source, snoop);
	assert_false(s.l1_hit);
	assert_int_equal(s.stlb_miss, bit(word, kind->stlb_miss));
	assert_int_equal(s.locked, bit(word, kind->locked));
	assert_int_equal(s.blocked_data, bit(word, kind->data));
	assert_int_equal(s.blocked_addr, bit(word, kind->addr));
	assert_int_equal(s.xsnp_fwd, snoop == MEMLAT_SNOOP_XSNP_FWD);
	assert_int_equal(s.raw, memlat_source_raw(kind->table, word));
}

static void check_store(const struct kind *kind, u64 word)
{
	struct memlat_sample s;
	u8 source, snoop;

	memset(&s, 0xa5, sizeof(s));
	s.store = true;
	memlat_source_decode(kind->table, word, &s);
	expect(kind, word, &source, &snoop);
	/* If a store's event has a load's codes, it reports as much. */
	if (kind->store_hit == CODE) {
		assert_int_equal(s.source, source);
		assert_int_equal(s.l1_hit, source == MEMLAT_SRC_L1);
		assert_int_equal(s.xsnp_fwd, snoop == MEMLAT_SNOOP_XSNP_FWD);
	} else {
		assert_int_equal(s.l1_hit, bit(word, kind->store_hit));
		assert_int_equal(s.source, s.l1_hit ? MEMLAT_SRC_L1 : MEMLAT_SRC_UNKNOWN);
		assert_false(s.xsnp_fwd);
	}
	assert_int_equal(memlat_source_of_stores(kind->table),
			 kind->store_hit == CODE && kind->two_latencies);
	assert_false(s.not_memory);
	assert_int_equal(s.stlb_miss, bit(word, kind->store_stlb_miss));
	assert_int_equal(s.locked, bit(word, kind->store_locked));
	assert_false(s.blocked_data);
	assert_false(s.blocked_addr);
	assert_int_equal(s.raw, 0);
}

/* All defined bits of any word, and a bit above that is not defined. */
TEST(test_words)
{
	const struct kind *kind;
	u64 word;

	for (kind = kinds; kind < kinds + sizeof(kinds) / sizeof(kinds[0]); kind++) {
		for (word = 0; word < 0x10000; word++) {
			check_load(kind, word);
			check_store(kind, word);
			check_load(kind, word | 0xdead00000000ULL << 16);
		}
		assert_int_equal(kind->table->cache_latency, kind->two_latencies);
		assert_int_equal(memlat_source_has_xsnp_fwd(kind->table),
				 kind->change == ice_lake || kind->change == ice_lake_server);
	}
}

/* Return the bits of a word that have a meaning. */
static u32 says_of(const struct kind *kind, u64 word)
{
	const unsigned int source = word & 0xf;
	u32 code = word & ((1U << kind->code_bits) - 1), flags;

	/* The code and four bits above it, or above a gap. */
	flags = word & (kind->code_bits == 8 ? 0x3c00 : kind->code_bits == 9 ? 0x7800 :
			0xfU << kind->code_bits);
	/* Reserved codes share a place, the last one of a code. */
	if (kind->code_bits < 9)
		return (code < CODES - 1 ? code : CODES - 1) | flags;
	if (code & 0x100 ? source < 2 : code > 0xf)
		return 0x101 | flags;
	/* If it is no cache, the snoop bits have no meaning. */
	return (code & 0x100 && source > 6 ? code & ~0xe0U : code) | flags;
}

/* 16 codes of what L2 had, 16 ways for each of 5 caches, and whether 9 others are remote. */
static unsigned int codes_of(const struct kind *kind)
{
	return kind->code_bits == 9 ? 16 + 16 * 5 + 2 * 9 : kind->code_bits == 4 ? 16 : CODES;
}

/* A word's place is enough to know its meaning. */
TEST(test_places)
{
	const struct kind *kind;
	unsigned int raw;
	u64 word;
	u32 back;

	for (kind = kinds; kind < kinds + sizeof(kinds) / sizeof(kinds[0]); kind++) {
		for (word = 0; word < 0x10000; word++) {
			raw = memlat_source_raw(kind->table, word);
			back = memlat_source_word(kind->table, raw);
			assert_in_range(raw, 0, memlat_source_raws(kind->table) - 1);
			assert_int_equal(memlat_source_raw(kind->table, back), raw);
			assert_int_equal(back, says_of(kind, word));
		}
		/* And every place belongs to a word, except those that no word of the type has. */
		for (raw = 0; raw < memlat_source_raws(kind->table); raw++) {
			back = memlat_source_word(kind->table, raw);
			if (raw / MEMLAT_SOURCE_FLAGS < codes_of(kind))
				assert_int_equal(memlat_source_raw(kind->table, back), raw);
		}
	}
}

/* Each sentence means one of the sources, and HITM is HITM in both words. */
TEST(test_meanings)
{
	unsigned int i;

	for (i = 0; i < sizeof(meaning) / sizeof(meaning[0]); i++) {
		assert_in_range(meaning[i].source, 0, MEMLAT_SRC_NR - 1);
		assert_int_equal(meaning[i].snoop == MEMLAT_SNOOP_HITM,
				 memlat_source_is_hitm(meaning[i].source));
	}
}
