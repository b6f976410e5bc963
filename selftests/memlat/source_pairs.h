/* SPDX-License-Identifier: GPL-2.0 */
/* memlat's and perf's names of the same source, for test_sources.c. */
#ifndef MEMLAT_TEST_SOURCE_PAIRS_H
#define MEMLAT_TEST_SOURCE_PAIRS_H

#include <linux/memlat.h>
#include <linux/perf_event.h>

/* perf's constants, which a guest's older headers lack. */
#define LEVEL(x)	((__u64)PERF_MEM_LVLNUM_##x << PERF_MEM_LVLNUM_SHIFT)
#define LEVEL_L2_MHB	(5ull << PERF_MEM_LVLNUM_SHIFT)
#define LEVEL_MSC	(6ull << PERF_MEM_LVLNUM_SHIFT)
#define LEVEL_L0	(7ull << PERF_MEM_LVLNUM_SHIFT)
#define REGION_SHIFT	46
#define REGION_MASK	(0x1full << REGION_SHIFT)
#define P(a, b)		((__u64)PERF_MEM_##a##_##b << PERF_MEM_##a##_SHIFT)
#define FOUND		(P(OP, LOAD) | P(LVL, HIT))
#define MISSED		(P(OP, LOAD) | P(LVL, MISS))
#define REM		P(REMOTE, REMOTE)

#define HOW_MASK	(P(LOCK, NA) | P(LOCK, LOCKED) | 0x7full << PERF_MEM_TLB_SHIFT | \
			 P(BLK, NA) | P(BLK, DATA) | P(BLK, ADDR))

#define BEFORE_SKL	"nhm wsm snb ivb hsw bdw"
#define CRESTMONT	"mtl-e lnl-e arl-e arl-lp srf grr ptl-e cwf"
#define LION_COVE	"lnl-p arl-p ptl-p"
#define PANTHER_COVE	"nvl-p dmr"
#define ARCTIC_WOLF	"nvl-e"
#define NINE_BITS	PANTHER_COVE " " ARCTIC_WOLF
/* perf's bits for a remote cache, and for a cache that forwarded the line. */
#define FAR_L3		(FOUND | P(LVL, L3) | P(LVL, REM_CCE1) | REM | LEVEL(L3))
#define NEAR_L3		(FOUND | P(LVL, L3) | LEVEL(L3))

/* What memlat reports for a source word, and what perf reports for it. */
static const struct pair {
	__u8 source, snoop;
	__u64 perf;
	const char *why;	/* they differ on purpose, and this is why */
	const char *cores;	/* then: on these, */
	unsigned int code;	/* at this code */
} pairs[] = {
#define SAME(source, snoop, perf)					\
	{ MEMLAT_SRC_##source, MEMLAT_SNOOP_##snoop, perf, NULL, NULL, 0 }
#define OTHER(source, snoop, perf, cores, code, why)			\
	{ MEMLAT_SRC_##source, MEMLAT_SNOOP_##snoop, perf, why, cores, code }
	SAME(UNKNOWN, NA, MISSED | LEVEL(L3) | P(SNOOP, NA)),
	SAME(L1, NONE, FOUND | P(LVL, L1) | LEVEL(L1) | P(SNOOP, NONE)),
	SAME(LFB, NONE, FOUND | P(LVL, LFB) | LEVEL(LFB) | P(SNOOP, NONE)),
	SAME(L2, NONE, FOUND | P(LVL, L2) | LEVEL(L2) | P(SNOOP, NONE)),
	SAME(L3, NONE, FOUND | P(LVL, L3) | LEVEL(L3) | P(SNOOP, NONE)),
	SAME(L3_SNOOP, MISS, FOUND | P(LVL, L3) | LEVEL(L3) | P(SNOOP, MISS)),
	SAME(L3_SNOOP, HIT, FOUND | P(LVL, L3) | LEVEL(L3) | P(SNOOP, HIT)),
	SAME(L3_SNOOP, FWD, FOUND | P(LVL, L3) | LEVEL(L3) | P(SNOOPX, FWD)),
	SAME(L3_HITM, HITM, FOUND | P(LVL, L3) | LEVEL(L3) | P(SNOOP, HITM)),
	SAME(RCACHE, HIT, FOUND | P(LVL, REM_CCE1) | REM | LEVEL(L3) | P(SNOOP, HIT)),
	SAME(RCACHE, FWD, FOUND | LEVEL(ANY_CACHE) | REM | P(SNOOPX, FWD)),
	SAME(RHITM, HITM, FOUND | P(LVL, REM_CCE1) | REM | LEVEL(L3) | P(SNOOP, HITM)),
	SAME(RHITM, HITM, FOUND | LEVEL(ANY_CACHE) | REM | P(SNOOP, HITM)),
	SAME(DRAM, HIT, FOUND | P(LVL, LOC_RAM) | LEVEL(RAM) | P(SNOOP, HIT)),
	SAME(DRAM, NONE, FOUND | P(LVL, LOC_RAM) | LEVEL(RAM) | P(SNOOP, NONE)),
	SAME(RDRAM, NONE, FOUND | LEVEL(RAM) | REM | P(SNOOP, NONE)),
	SAME(PMEM, HIT, FOUND | LEVEL(PMEM) | P(SNOOP, HIT)),
	SAME(RPMEM, HIT, FOUND | LEVEL(PMEM) | REM | P(SNOOP, HIT)),
	SAME(L4, HIT, FOUND | LEVEL(L4) | P(SNOOP, HIT)),
	SAME(IO, NONE, FOUND | P(LVL, IO) | LEVEL(NA) | P(SNOOP, NONE)),
	SAME(UNC, NONE, FOUND | P(LVL, UNC) | LEVEL(NA) | P(SNOOP, NONE)),

	OTHER(RDRAM, HIT, FOUND | P(LVL, REM_RAM1) | REM | LEVEL(L3) | P(SNOOP, HIT),
	      BEFORE_SKL " adl-e", 0xb,
	      "perf's level is remote memory and its level number L3; memlat has one word"),
	OTHER(DRAM, MISS, FOUND | P(LVL, LOC_RAM) | LEVEL(RAM) | P(SNOOP, NONE) | P(SNOOP, MISS),
	      BEFORE_SKL " adl-e", 0xc,
	      "no other core has the line: perf sets both of its snoop bits, memlat has one word"),
	OTHER(RDRAM, MISS,
	      FOUND | P(LVL, REM_RAM1) | LEVEL(RAM) | REM | P(SNOOP, NONE) | P(SNOOP, MISS),
	      BEFORE_SKL " adl-e", 0xd,
	      "no other core has the line: perf sets both of its snoop bits, memlat has one word"),
	OTHER(L3_SNOOP, XSNP_FWD, FOUND | P(LVL, L3) | LEVEL(L3) | P(SNOOP, HITM),
	      "icl tgl icx adl-p spr emr gnr mtl-p", 0x7,
	      "forwarded by a sibling core, modified or clean: perf calls it HITM"),
	OTHER(RCACHE, HIT, FOUND | LEVEL(L4) | REM | P(SNOOP, HIT),
	      "skl icl tgl adl-p mtl-p", 0x9,
	      "a remote L4 is a remote cache to memlat, which tells no levels of these"),
	OTHER(RCACHE, FWD, FOUND | LEVEL(RAM) | REM | P(SNOOPX, FWD), CRESTMONT, 0xc,
	      "a remote cache forwarded the line: to perf that is remote memory"),
	OTHER(RHITM, HITM, FOUND | LEVEL(RAM) | REM | P(SNOOP, HITM), CRESTMONT, 0xd,
	      "a remote cache had it modified: to perf that is remote memory"),
	OTHER(LFB, NONE, FOUND | LEVEL_L2_MHB | P(SNOOP, NONE), LION_COVE, 0x06,
	      "perf has a word for L2's miss-handling buffer; to memlat it is a fill buffer"),
	OTHER(L3_HITM, HITM, MISSED | P(LVL, L3) | LEVEL(L3) | P(SNOOP, HITM), LION_COVE, 0x0f,
	      "modified in another core: to perf an L3 miss, which perf c2c counts as no HITM"),
	OTHER(L4, NONE, FOUND | LEVEL_MSC | P(SNOOP, NONE), LION_COVE, 0x10,
	      "perf has a word for a memory-side cache; to memlat it is an L4"),
	/* Words with nine bits of code, without perf's region (region_agreed()). */
	SAME(L2, HIT, FOUND | P(LVL, L2) | LEVEL(L2) | P(SNOOP, HIT)),
	SAME(L3, NA, NEAR_L3 | P(SNOOP, NA)),
	SAME(L3_SNOOP, FWD, NEAR_L3 | P(SNOOP, HIT) | P(SNOOPX, FWD)),
	SAME(L3_HITM, HITM, NEAR_L3 | P(SNOOP, HITM) | P(SNOOPX, FWD)),
	SAME(RCACHE, NA, FAR_L3 | P(SNOOP, NA)),
	SAME(RCACHE, NONE, FAR_L3 | P(SNOOP, NONE)),
	SAME(RCACHE, MISS, FAR_L3 | P(SNOOP, MISS)),
	SAME(RCACHE, HIT, FAR_L3 | P(SNOOP, HIT)),
	SAME(RCACHE, FWD, FAR_L3 | P(SNOOP, HIT) | P(SNOOPX, FWD)),
	SAME(RHITM, HITM, FAR_L3 | P(SNOOP, HITM)),
	SAME(RHITM, HITM, FAR_L3 | P(SNOOP, HITM) | P(SNOOPX, FWD)),
	SAME(RDRAM, NONE, FOUND | P(LVL, REM_RAM1) | LEVEL(RAM) | REM | P(SNOOP, NONE)),
	SAME(UNKNOWN, NA, P(OP, LOAD) | P(LVL, NA) | LEVEL(NA) | P(SNOOP, NA)),
	OTHER(L1, NONE, FOUND | LEVEL_L0 | P(SNOOP, NONE), PANTHER_COVE, 0x001,
	      "perf has a word for the L0; to memlat it is a part of L1, as to Intel's events"),
	OTHER(L3_HITM, HITM, FOUND | P(LVL, L2) | LEVEL(L2) | P(SNOOP, HITM), PANTHER_COVE, 0x008,
	      "modified in another core of this L2: to perf an L2 hit, HITM"),
	OTHER(L3_HITM, HITM, FOUND | P(LVL, L2) | LEVEL(L2) | P(SNOOP, HITM), ARCTIC_WOLF, 0x005,
	      "modified in another core of this L2: to perf an L2 hit, HITM"),
	OTHER(UNKNOWN, NA, P(OP, LOAD) | P(LVL, NA) | LEVEL(NA) | P(SNOOP, NA) | P(SNOOP, NONE),
	      NINE_BITS, 0x100, "invalid: perf says of the snoop both that it is not told, and none"),
	OTHER(UNKNOWN, NA,
	      P(OP, LOAD) | P(LVL, NA) | LEVEL(NA) | REM | P(SNOOP, NA) | P(SNOOP, NONE),
	      NINE_BITS, 0x100, "likewise, and that it is remote"),
	OTHER(UNKNOWN, NA, P(OP, LOAD) | P(SNOOP, NONE), NINE_BITS, 0x101,
	      "reserved: perf says that no snoop was needed"),
	OTHER(UNKNOWN, NA, P(OP, LOAD) | REM | P(SNOOP, NONE), NINE_BITS, 0x101,
	      "likewise, and that it is remote"),
	OTHER(IO, NONE, FOUND | LEVEL(RAM) | P(SNOOP, NONE), NINE_BITS, 0x107,
	      "what is mapped: to perf memory, in a region that is called so"),
	OTHER(IO, NONE, FOUND | LEVEL(RAM) | REM | P(SNOOP, NONE), NINE_BITS, 0x107,
	      "likewise, and remote"),
#define AGENT(perf)							\
	OTHER(IO, NONE, perf, NINE_BITS, 0x104, "an agent for I/O had it: to perf an L3")
	AGENT(NEAR_L3 | P(SNOOP, HIT)),
	AGENT(NEAR_L3 | P(SNOOP, HIT) | P(SNOOPX, FWD)),
	AGENT(NEAR_L3 | P(SNOOP, HITM)),
	AGENT(NEAR_L3 | P(SNOOP, HITM) | P(SNOOPX, FWD)),
	AGENT(FAR_L3 | P(SNOOP, HIT)),
	AGENT(FAR_L3 | P(SNOOP, HIT) | P(SNOOPX, FWD)),
	AGENT(FAR_L3 | P(SNOOP, HITM)),
	AGENT(FAR_L3 | P(SNOOP, HITM) | P(SNOOPX, FWD)),
#undef AGENT
	/* What perf reports for a code that is not in its table. */
	SAME(UNKNOWN, NA, P(OP, LOAD) | LEVEL(NA) | P(SNOOP, NA)),
#undef SAME
#undef OTHER
};

#endif
