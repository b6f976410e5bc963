// SPDX-License-Identifier: GPL-2.0
/*
 * How each kind of core encodes the data source: SDM vol. 3B, "Data Source Encoding for Load
 * Latency Record" and the tables of later cores, and Linux' arch/x86/events/intel/ds.c. Where these
 * disagree (code 6 since Sandy Bridge), memlat follows Linux, so that perf and memlat can be
 * compared.
 *
 * Deliberate differences from perf:
 *  - a clean line that a remote cache forwarded is RCACHE, not memory (Crestmont
 *    0xc; perf: remote RAM), and so is a remote L4 (clients' 9);
 *  - Lion Cove's L2 miss-handling buffer (6) is a fill buffer, its memory-side
 *    cache (0x10) an L4: perf has names of its own for them;
 *  - Ice Lake's 7 may be clean: a class of its own (perf: HITM);
 *  - Lion Cove's 0xf, modified in another core though L3 missed, is an L3_HITM:
 *    perf says that L3 missed, and perf c2c does not count it as a HITM;
 *  - one value for the snoop: perf says both "none" and "miss" for memory that no
 *    other core has (base table, 0xc and 0xd), memlat says MISS;
 *  - a code that is not in the table is UNKNOWN.
 */
#include <uapi/linux/memlat.h>

#include "counts.h"

#define CODE(level, snooped)	{ MEMLAT_SRC_##level, MEMLAT_SNOOP_##snooped, 0 }

/* What all cores before Lion Cove have in common. 0: L3 missed, and the core reports no more. */
#define CODES_CORE			\
	[0x0] = CODE(UNKNOWN, NA),	\
	[0x1] = CODE(L1, NONE),		\
	[0x2] = CODE(LFB, NONE),	\
	[0x3] = CODE(L2, NONE),		\
	[0x4] = CODE(L3, NONE),		\
	[0xe] = CODE(IO, NONE),		\
	[0xf] = CODE(UNC, NONE)

/* L3: another core was asked and did not have it, or had it clean. */
#define CODES_L3			\
	[0x5] = CODE(L3_SNOOP, MISS),	\
	[0x6] = CODE(L3_SNOOP, HIT)

/* L3: another core was asked and had it modified. */
#define CODES_HITM			\
	[0x7] = CODE(L3_HITM, HITM)

/*
 * L3, since Ice Lake: another core was asked and sent "either a modified (cross-core HITM) or a
 * non-modified (cross-core FWD) copy" (SDM vol. 3B, 07H). Read-only data that cores share has this
 * code too. Intel's list for Ice Lake-SP has XSNP_FWD in place of XSNP_HITM.
 */
#define CODES_XSNP_FWD			\
	[0x7] = { MEMLAT_SRC_L3_SNOOP, MEMLAT_SNOOP_XSNP_FWD, MEMLAT_CELL_XSNP_FWD }

/* Memory: 0xa and 0xb if other cores share the line, 0xc and 0xd if no other core has it. */
#define CODES_MEMORY			\
	[0xa] = CODE(DRAM, HIT),	\
	[0xb] = CODE(RDRAM, HIT),	\
	[0xc] = CODE(DRAM, MISS),	\
	[0xd] = CODE(RDRAM, MISS)

#define CODES_NHM			\
	[0x5] = CODE(L3_SNOOP, HIT),	\
	[0x6] = CODE(L3_HITM, HITM),	\
	[0x7] = CODE(L3_HITM, HITM),	\
	[0x8] = CODE(RCACHE, HIT),	\
	[0x9] = CODE(RHITM, HITM),	\
	CODES_CORE,			\
	CODES_MEMORY

#define CODES_SNB			\
	[0x8] = CODE(RCACHE, HIT),	\
	[0x9] = CODE(RHITM, HITM),	\
	CODES_CORE,			\
	CODES_L3,			\
	CODES_HITM,			\
	CODES_MEMORY

#define CODES_SKL_COMMON		\
	[0xa] = CODE(DRAM, HIT),	\
	[0xb] = CODE(RDRAM, NONE),	\
	[0xc] = CODE(RCACHE, FWD),	\
	[0xd] = CODE(RHITM, HITM),	\
	CODES_CORE,			\
	CODES_L3

/* Clients may have eDRAM behind L3. */
#define CODES_SKL			\
	[0x8] = CODE(L4, HIT),		\
	[0x9] = CODE(RCACHE, HIT),	\
	CODES_SKL_COMMON

/*
 * Servers have no eDRAM, but may have what the SDM calls far memory: Optane, and since Ice Lake
 * CXL, or DDR that HBM caches.
 */
#define CODES_SKX			\
	[0x8] = CODE(PMEM, HIT),	\
	[0x9] = CODE(RPMEM, HIT),	\
	CODES_SKL_COMMON

/* Before Golden Cove a store's record says whether it hit L1, and no more. */
#define STORE_L1_HIT	.store_l1_hit = 1 << 0

/* The meanings of the bits beside the code. */
#define T	MEMLAT_CELL_STLB_MISS
#define L	MEMLAT_CELL_LOCKED
#define D	MEMLAT_CELL_BLOCKED_DATA
#define A	MEMLAT_CELL_BLOCKED_ADDR

#define FLAGS_WSM						\
	.code_mask = 0xf,					\
	.flags_at = 4,						\
	.stlb_miss = 1 << 4,					\
	.flags = { 0, T, L, L | T, 0, T, L, L | T,		\
		   0, T, L, L | T, 0, T, L, L | T }

/* All four flags, in the order that cores with all of them use. */
#define FLAGS_ALL						\
	.flags = { 0, T, L, L | T,				\
		   D, D | T, D | L, D | L | T,			\
		   A, A | T, A | L, A | L | T,			\
		   A | D, A | D | T, A | D | L, A | D | L | T }

/* Cores whose stores have the same codes as loads. */
#define FLAGS_GLC			\
	FLAGS_ALL,			\
	.code_mask = 0xf,		\
	.flags_at = 4,			\
	.stlb_miss = 1 << 4,		\
	.blocked_data = 1 << 6,		\
	.blocked_addr = 1 << 7,		\
	.cache_latency = true,		\
	.store_stlb_miss = 1 << 4,	\
	.store_locked = 1 << 5

const struct memlat_source_table memlat_source_nhm = {
	.code = { CODES_NHM },
	.code_mask = 0xf,
	.flags_at = 4,
};

const struct memlat_source_table memlat_source_wsm = {
	.code = { CODES_NHM },
	FLAGS_WSM,
};

/* Precise store reports more of a store than the facility of later cores. */
const struct memlat_source_table memlat_source_snb = {
	.code = { CODES_SNB },
	FLAGS_WSM,
	STORE_L1_HIT,
	.store_stlb_miss = 1 << 4,
	.store_locked = 1 << 5,
};

const struct memlat_source_table memlat_source_hsw = {
	.code = { CODES_SNB },
	FLAGS_WSM,
	STORE_L1_HIT,
};

const struct memlat_source_table memlat_source_skl = {
	.code = { CODES_SKL, CODES_HITM },
	FLAGS_WSM,
	STORE_L1_HIT,
};

const struct memlat_source_table memlat_source_skx = {
	.code = { CODES_SKX, CODES_HITM },
	FLAGS_WSM,
	STORE_L1_HIT,
};

const struct memlat_source_table memlat_source_icl = {
	.code = { CODES_SKL, CODES_XSNP_FWD },
	FLAGS_WSM,
	STORE_L1_HIT,
};

const struct memlat_source_table memlat_source_icx = {
	.code = { CODES_SKX, CODES_XSNP_FWD },
	FLAGS_WSM,
	STORE_L1_HIT,
};

const struct memlat_source_table memlat_source_glc = {
	.code = { CODES_SKL, CODES_XSNP_FWD },
	FLAGS_GLC,
};

const struct memlat_source_table memlat_source_spr = {
	.code = { CODES_SKX, CODES_XSNP_FWD },
	FLAGS_GLC,
};

/* Gracemont: the bits of locked and STLB miss are swapped. */
const struct memlat_source_table memlat_source_grt = {
	.code = {
		CODES_CORE,
		[0x5] = CODE(L3_SNOOP, HIT),
		[0x6] = CODE(L3_HITM, HITM),
		[0x7] = CODE(L3_HITM, HITM),
		[0x8] = CODE(L3_SNOOP, FWD),
		[0x9] = CODE(RHITM, HITM),
		CODES_MEMORY,
	},
	.code_mask = 0xf,
	.flags_at = 4,
	.stlb_miss = 1 << 5,
	.blocked_data = 1 << 6,
	.flags = { 0, L, T, L | T, D, D | L, D | T, D | L | T,
		   0, L, T, L | T, D, D | L, D | T, D | L | T },
	.cache_latency = true,
	.store_stlb_miss = 1 << 5,
	.store_locked = 1 << 4,
};

/*
 * Crestmont and later: the code has five bits. Linux uses only four, so it would take a code above
 * 15 for another code; memlat uses all five, and such a code is unknown.
 */
const struct memlat_source_table memlat_source_cmt = {
	.code = {
		CODES_CORE,
		[0x5] = CODE(L3_SNOOP, MISS),
		[0x6] = CODE(L3_SNOOP, HIT),
		[0x7] = CODE(L3_SNOOP, FWD),
		[0x8] = CODE(L3_HITM, HITM),
		[0x9] = CODE(RHITM, HITM),
		[0xa] = CODE(DRAM, NONE),
		[0xb] = CODE(RDRAM, NONE),
		[0xc] = CODE(RCACHE, FWD),
		[0xd] = CODE(RHITM, HITM),
	},
	.code_mask = 0x1f,
	.flags_at = 5,
	.stlb_miss = 1 << 6,
	.blocked_data = 1 << 7,
	.flags = { 0, L, T, L | T, D, D | L, D | T, D | L | T,
		   0, L, T, L | T, D, D | L, D | T, D | L | T },
	.cache_latency = true,
	.store_stlb_miss = 1 << 6,
	.store_locked = 1 << 5,
};

const struct memlat_source_table memlat_source_lnc = {
	.code = {
		[0x00] = CODE(UNKNOWN, NA),	/* L3 miss, the CPU says no more */
		[0x01] = CODE(L1, NONE),
		[0x02] = CODE(L1, NONE),
		[0x03] = CODE(LFB, NONE),	/* L1 miss-handling buffer */
		[0x05] = CODE(L2, NONE),
		[0x06] = CODE(LFB, NONE),	/* L2 miss-handling buffer */
		[0x08] = CODE(L3, NONE),
		[0x0c] = CODE(L3_SNOOP, FWD),
		[0x0d] = CODE(L3_HITM, HITM),
		[0x0f] = CODE(L3_HITM, HITM),	/* L3 missed */
		[0x10] = CODE(L4, NONE),	/* memory-side cache */
		[0x11] = CODE(DRAM, NONE),
	},
	.code_mask = 0xff,
	.flags_at = 10,
	.stlb_miss = 1 << 10,
	.blocked_data = 1 << 12,
	.blocked_addr = 1 << 13,
	FLAGS_ALL,
	.cache_latency = true,
	.store_stlb_miss = 1 << 10,
	.store_locked = 1 << 11,
};

/*
 * Since Panther Cove and Arctic Wolf a word has 16 bits (Linux' pnc_latency_data(),
 * arw_latency_data(), parse_omr_data_source(); sample.h has the layout). The word of an access that
 * missed L2 says who answered. CA is a caching agent: the core's tile, or another one.
 *
 * Deliberate differences from perf: if an L2 of several cores finds a line modified in one of these
 * cores, it is an L3_HITM, because that is memlat's name for "modified in another core, this
 * socket"; an agent for I/O and mapped I/O are IO; remote caches are RCACHE and RHITM. The eight
 * regions of memory count as memory of this node or of another one; what each region is has not
 * been published.
 */
#define OMR(source)	MEMLAT_WIDE_CACHE(source)
#define REMOTE_OMR	(MEMLAT_WIDE_MEMORY + MEMLAT_WIDE_REMOTE)

/* By OMR source: 2 is L3, 3 a core's own cache, 5 and 6 the same of another tile. */
#define CODES_OMR							\
	[OMR(2) + 0x0] = CODE(L3, NA),					\
	[OMR(2) + 0x1] = CODE(L3_SNOOP, MISS),				\
	[OMR(2) + 0x2] = CODE(L3_SNOOP, HIT),				\
	[OMR(2) + 0x3] = CODE(L3, NONE),				\
	[OMR(2) + 0x4 ... OMR(2) + 0x7] = CODE(L3_HITM, HITM),		\
	[OMR(2) + 0x8] = CODE(RCACHE, NA),				\
	[OMR(2) + 0x9] = CODE(RCACHE, MISS),				\
	[OMR(2) + 0xa] = CODE(RCACHE, HIT),				\
	[OMR(2) + 0xb] = CODE(RCACHE, NONE),				\
	[OMR(2) + 0xc ... OMR(2) + 0xf] = CODE(RHITM, HITM),		\
	[OMR(3) + 0x0] = CODE(L3_SNOOP, HIT),				\
	[OMR(3) + 0x1] = CODE(L3_SNOOP, FWD),				\
	[OMR(3) + 0x2] = CODE(L3_SNOOP, HIT),				\
	[OMR(3) + 0x3] = CODE(L3_SNOOP, FWD),				\
	[OMR(3) + 0x4 ... OMR(3) + 0x7] = CODE(L3_HITM, HITM),		\
	[OMR(3) + 0x8] = CODE(RCACHE, HIT),				\
	[OMR(3) + 0x9] = CODE(RCACHE, FWD),				\
	[OMR(3) + 0xa] = CODE(RCACHE, HIT),				\
	[OMR(3) + 0xb] = CODE(RCACHE, FWD),				\
	[OMR(3) + 0xc ... OMR(3) + 0xf] = CODE(RHITM, HITM),		\
	[OMR(4) ... OMR(4) + 0xf] = CODE(IO, NONE),			\
	[OMR(5) + 0x0] = CODE(L3_SNOOP, HIT),				\
	[OMR(5) + 0x1] = CODE(L3_SNOOP, FWD),				\
	[OMR(5) + 0x2] = CODE(L3_SNOOP, HIT),				\
	[OMR(5) + 0x3] = CODE(L3_SNOOP, FWD),				\
	[OMR(5) + 0x4 ... OMR(5) + 0x7] = CODE(L3_HITM, HITM),		\
	[OMR(5) + 0x8] = CODE(RCACHE, HIT),				\
	[OMR(5) + 0x9] = CODE(RCACHE, FWD),				\
	[OMR(5) + 0xa] = CODE(RCACHE, HIT),				\
	[OMR(5) + 0xb] = CODE(RCACHE, FWD),				\
	[OMR(5) + 0xc ... OMR(5) + 0xf] = CODE(RHITM, HITM),		\
	[OMR(6) + 0x0] = CODE(L3_SNOOP, HIT),				\
	[OMR(6) + 0x1] = CODE(L3_SNOOP, FWD),				\
	[OMR(6) + 0x2] = CODE(L3_SNOOP, HIT),				\
	[OMR(6) + 0x3] = CODE(L3_SNOOP, FWD),				\
	[OMR(6) + 0x4 ... OMR(6) + 0x7] = CODE(L3_HITM, HITM),		\
	[OMR(6) + 0x8] = CODE(RCACHE, HIT),				\
	[OMR(6) + 0x9] = CODE(RCACHE, FWD),				\
	[OMR(6) + 0xa] = CODE(RCACHE, HIT),				\
	[OMR(6) + 0xb] = CODE(RCACHE, FWD),				\
	[OMR(6) + 0xc ... OMR(6) + 0xf] = CODE(RHITM, HITM),		\
	[MEMLAT_WIDE_MEMORY] = CODE(IO, NONE),				\
	[MEMLAT_WIDE_MEMORY + 1 ... REMOTE_OMR - 1] = CODE(DRAM, NONE),	\
	[REMOTE_OMR] = CODE(IO, NONE),					\
	[REMOTE_OMR + 1 ... REMOTE_OMR + 8] = CODE(RDRAM, NONE)

/* Not used: bits 9 and 10 say more of the TLB, or of the queue; bit 15: fill buffers were full. */
#define FLAGS_WIDE			\
	FLAGS_ALL,			\
	.wide = true,			\
	.flags_at = 11,			\
	.stlb_miss = 1 << 11,		\
	.blocked_data = 1 << 13,	\
	.blocked_addr = 1 << 14,	\
	.cache_latency = true,		\
	.store_stlb_miss = 1 << 11,	\
	.store_locked = 1 << 12

const struct memlat_source_table memlat_source_pnc = {
	.code = {
		[0x0] = CODE(UNKNOWN, NA),	/* no access of a cache */
		[0x1] = CODE(L1, NONE),		/* L0 */
		[0x2] = CODE(L1, NONE),
		[0x3] = CODE(LFB, NONE),	/* L1 miss-handling buffer */
		[0x4] = CODE(L2, NONE),
		[0x7] = CODE(L2, HIT),		/* another core that shares the L2 has it */
		[0x8] = CODE(L3_HITM, HITM),	/* such a core had it modified */
		[0x9] = CODE(L2, NONE),		/* a prefetch was under way */
		[0xa] = CODE(L2, NONE),		/* another core's */
		[0xf] = CODE(UNC, NONE),
		CODES_OMR,
	},
	FLAGS_WIDE,
};

const struct memlat_source_table memlat_source_arw = {
	.code = {
		[0x0] = CODE(UNKNOWN, NA),
		[0x1] = CODE(L1, NONE),
		[0x2] = CODE(LFB, NONE),
		[0x3] = CODE(L2, NONE),
		[0x4] = CODE(L2, HIT),
		[0x5] = CODE(L3_HITM, HITM),
		[0x6] = CODE(UNC, NONE),
		CODES_OMR,
	},
	FLAGS_WIDE,
};

/* The edges of buckets, and for each octave of latencies its first bucket and the edge in it. */
const u32 memlat_bucket_edge[MEMLAT_BUCKETS - 1] = {
	32, 45, 64, 90, 128, 180, 256, 360, 512, 724, 1024, 2048, 4096,
};

const struct memlat_octave memlat_octave[MEMLAT_OCTAVES] = {
	{ 0, 32 }, { 1, 45 }, { 3, 90 }, { 5, 180 }, { 7, 360 }, { 9, 724 },
	{ 11, 2048 }, { 12, 4096 },
	[8 ... MEMLAT_OCTAVES - 1] = { MEMLAT_BUCKETS - 1, ~0U },
};
