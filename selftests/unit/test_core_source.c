// SPDX-License-Identifier: GPL-2.0
/*
 * module/core: every data source code of every type of core. The expected meaning is written as in
 * the manuals: a sentence for each code of a base table, and the changes of later cores. What the other
 * bits of a word mean, and how a word is packed, is compared by the fuzz target "source".
 */
#include "core_test.h"
#include "sample.h"

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

static const struct kind {
	const char *name;
	const struct memlat_source_table *table;
	const struct change *change;
	int code_bits;
	bool two_latencies, store_codes;
} kinds[] = {
	{ "nhm", &memlat_source_nhm, nehalem, 4, false, true },
	{ "wsm", &memlat_source_wsm, nehalem, 4, false, true },
	{ "snb", &memlat_source_snb, none, 4, false, false },
	{ "hsw", &memlat_source_hsw, none, 4, false, false },
	{ "skl", &memlat_source_skl, skylake, 4, false, false },
	{ "skx", &memlat_source_skx, skylake_server, 4, false, false },
	{ "icl", &memlat_source_icl, ice_lake, 4, false, false },
	{ "icx", &memlat_source_icx, ice_lake_server, 4, false, false },
	{ "glc", &memlat_source_glc, ice_lake, 4, true, true },
	{ "spr", &memlat_source_spr, ice_lake_server, 4, true, true },
	{ "grt", &memlat_source_grt, gracemont, 4, true, true },
	{ "cmt", &memlat_source_cmt, crestmont, 5, true, true },
	{ "lnc", &memlat_source_lnc, lion_cove, 8, true, true },
	{ "pnc", &memlat_source_pnc, panther_cove, 9, true, true },
	{ "arw", &memlat_source_arw, arctic_wolf, 9, true, true },
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

/* All codes, with any bits above them. */
TEST(test_words)
{
	const struct memlat_source_code *code;
	const struct kind *kind;
	u8 source, snoop;
	u64 word;

	for (kind = kinds; kind < kinds + sizeof(kinds) / sizeof(kinds[0]); kind++) {
		for (word = 0; word < 0x10000; word++) {
			code = memlat_source_code_of(kind->table, word | 0xdead00000000ULL << 16);
			expect(kind, word, &source, &snoop);
			if (code->source != source || code->snoop != snoop)
				fail_msg("%s: word 0x%llx is source %u snoop %u, not %u %u", kind->name,
					 (unsigned long long)word, code->source, code->snoop, source, snoop);
		}
		assert_int_equal(kind->table->cache_latency, kind->two_latencies);
		assert_int_equal(kind->table->store_l1_hit, !kind->store_codes);
		assert_int_equal(memlat_source_has_xsnp_fwd(kind->table),
				 kind->change == ice_lake || kind->change == ice_lake_server);
	}
}
