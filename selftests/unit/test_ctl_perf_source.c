// SPDX-License-Identifier: GPL-2.0
/*
 * perf's words for data sources: those that Linux makes of Intel's (arch/x86/events/intel/ds.c) and
 * of AMD's (arch/x86/events/amd/ibs.c), and perf of Arm's (tools/perf/util/arm-spe.c).
 */
#include <linux/perf_event.h>

#include "import/intake.h"
#include "harness.h"

#define P(field, value)	PERF_MEM_S(field, value)
#define HIT(level)	(P(OP, LOAD) | P(LVL, HIT) | P(LVL, level))
#define LEVEL(level)	P(LVLNUM, level)
#define REMOTE		P(REMOTE, REMOTE)
/* Newer than the headers with which this may be compiled. */
#define PEER		(2ULL << PERF_MEM_SNOOPX_SHIFT)
#define NUMBER(number)	((__u64)(number) << PERF_MEM_LVLNUM_SHIFT)
#define HOPS(hops)	((__u64)(hops) << 43)

struct word {
	__u64 word;
	enum memlat_source source;
	enum memlat_snoop snoop;
};

static void are(const struct word *words, size_t nr, const struct perf_source_ways *ways)
{
	size_t i;

	for (i = 0; i < nr; i++) {
		const struct perf_source source = perf_source_of(words[i].word, ways);

		if (source.source != words[i].source || source.snoop != words[i].snoop)
			fail_msg("word %zu, %#llx: source %u, not %u; snoop %u, not %u", i,
				 words[i].word, source.source, words[i].source, source.snoop,
				 words[i].snoop);
		assert_true(source.load);
		assert_false(source.store);
	}
}

#define ARE(words, ways) are(words, sizeof(words) / sizeof((words)[0]), ways)

static const struct perf_source_ways plain;

/* In the order of the codes. */
TEST(intel_since_sandy_bridge)
{
	static const struct word words[] = {
		{ P(OP, LOAD) | P(LVL, MISS) | P(LVL, L3) | LEVEL(L3) | P(SNOOP, NA),
		  MEMLAT_SRC_UNKNOWN, MEMLAT_SNOOP_NA },
		{ HIT(L1) | LEVEL(L1) | P(SNOOP, NONE), MEMLAT_SRC_L1, MEMLAT_SNOOP_NONE },
		{ HIT(LFB) | LEVEL(LFB) | P(SNOOP, NONE), MEMLAT_SRC_LFB, MEMLAT_SNOOP_NONE },
		{ HIT(L2) | LEVEL(L2) | P(SNOOP, NONE), MEMLAT_SRC_L2, MEMLAT_SNOOP_NONE },
		{ HIT(L3) | LEVEL(L3) | P(SNOOP, NONE), MEMLAT_SRC_L3, MEMLAT_SNOOP_NONE },
		{ HIT(L3) | LEVEL(L3) | P(SNOOP, MISS), MEMLAT_SRC_L3_SNOOP, MEMLAT_SNOOP_MISS },
		{ HIT(L3) | LEVEL(L3) | P(SNOOP, HIT), MEMLAT_SRC_L3_SNOOP, MEMLAT_SNOOP_HIT },
		{ HIT(L3) | LEVEL(L3) | P(SNOOP, HITM), MEMLAT_SRC_L3_HITM, MEMLAT_SNOOP_HITM },
		{ HIT(REM_CCE1) | REMOTE | LEVEL(L3) | P(SNOOP, HIT), MEMLAT_SRC_RCACHE,
		  MEMLAT_SNOOP_HIT },
		{ HIT(REM_CCE1) | REMOTE | LEVEL(L3) | P(SNOOP, HITM), MEMLAT_SRC_RHITM,
		  MEMLAT_SNOOP_HITM },
		{ HIT(LOC_RAM) | LEVEL(RAM) | P(SNOOP, HIT), MEMLAT_SRC_DRAM, MEMLAT_SNOOP_HIT },
		{ HIT(REM_RAM1) | REMOTE | LEVEL(L3) | P(SNOOP, HIT), MEMLAT_SRC_RDRAM,
		  MEMLAT_SNOOP_HIT },
		{ HIT(LOC_RAM) | LEVEL(RAM) | P(SNOOP, NONE) | P(SNOOP, MISS), MEMLAT_SRC_DRAM,
		  MEMLAT_SNOOP_MISS },
		{ HIT(REM_RAM1) | REMOTE | LEVEL(RAM) | P(SNOOP, NONE) | P(SNOOP, MISS),
		  MEMLAT_SRC_RDRAM, MEMLAT_SNOOP_MISS },
		{ HIT(IO) | LEVEL(NA) | P(SNOOP, NONE), MEMLAT_SRC_IO, MEMLAT_SNOOP_NONE },
		{ HIT(UNC) | LEVEL(NA) | P(SNOOP, NONE), MEMLAT_SRC_UNC, MEMLAT_SNOOP_NONE },
	};

	ARE(words, &plain);
}

TEST(intel_since_skylake)
{
	const __u64 load = P(OP, LOAD) | P(LVL, HIT);
	const struct word words[] = {
		{ load | LEVEL(L4) | P(SNOOP, HIT), MEMLAT_SRC_L4, MEMLAT_SNOOP_HIT },
		{ load | LEVEL(L4) | REMOTE | P(SNOOP, HIT), MEMLAT_SRC_RCACHE, MEMLAT_SNOOP_HIT },
		{ load | LEVEL(PMEM) | P(SNOOP, HIT), MEMLAT_SRC_PMEM, MEMLAT_SNOOP_HIT },
		{ load | LEVEL(PMEM) | REMOTE | P(SNOOP, HIT), MEMLAT_SRC_RPMEM, MEMLAT_SNOOP_HIT },
		{ load | LEVEL(RAM) | REMOTE | P(SNOOP, NONE), MEMLAT_SRC_RDRAM, MEMLAT_SNOOP_NONE },
		{ load | LEVEL(ANY_CACHE) | REMOTE | P(SNOOPX, FWD), MEMLAT_SRC_RCACHE,
		  MEMLAT_SNOOP_FWD },
		{ load | LEVEL(ANY_CACHE) | REMOTE | P(SNOOP, HITM), MEMLAT_SRC_RHITM,
		  MEMLAT_SNOOP_HITM },
		/* Crestmont: another core had the line, and a remote cache sent it. */
		{ load | LEVEL(L3) | P(SNOOPX, FWD), MEMLAT_SRC_L3_SNOOP, MEMLAT_SNOOP_FWD },
		{ load | LEVEL(RAM) | REMOTE | P(SNOOPX, FWD), MEMLAT_SRC_RCACHE, MEMLAT_SNOOP_FWD },
		/* Since Lion Cove: buffers of L2, and what is behind the memory controller. */
		{ load | NUMBER(5) | P(SNOOP, NONE), MEMLAT_SRC_LFB, MEMLAT_SNOOP_NONE },
		{ load | NUMBER(6) | P(SNOOP, NONE), MEMLAT_SRC_L4, MEMLAT_SNOOP_NONE },
		{ load | NUMBER(7) | P(SNOOP, NONE), MEMLAT_SRC_L1, MEMLAT_SNOOP_NONE },
		{ P(OP, LOAD) | P(LVL, MISS) | LEVEL(L3) | P(SNOOP, HITM), MEMLAT_SRC_L3_HITM,
		  MEMLAT_SNOOP_HITM },
	};

	ARE(words, &plain);
}

/* Since Ice Lake it is not known whether the other core had modified the line. */
TEST(a_forward_is_no_hitm)
{
	const struct perf_source_ways ways = { .forwards = true };
	const struct word words[] = {
		{ HIT(L3) | LEVEL(L3) | P(SNOOP, HITM), MEMLAT_SRC_L3_SNOOP,
		  MEMLAT_SNOOP_XSNP_FWD },
		{ P(OP, LOAD) | P(LVL, HIT) | LEVEL(ANY_CACHE) | REMOTE | P(SNOOP, HITM),
		  MEMLAT_SRC_RHITM, MEMLAT_SNOOP_HITM },
	};

	ARE(words, &ways);
}

TEST(amd_ibs)
{
	const struct word words[] = {
		{ HIT(L1) | LEVEL(L1), MEMLAT_SRC_L1, MEMLAT_SNOOP_NA },
		{ HIT(L2) | LEVEL(L2), MEMLAT_SRC_L2, MEMLAT_SNOOP_NA },
		{ HIT(LFB) | LEVEL(LFB) | P(SNOOP, NA), MEMLAT_SRC_LFB, MEMLAT_SNOOP_NA },
		{ HIT(UNC) | NUMBER(8), MEMLAT_SRC_UNC, MEMLAT_SNOOP_NA },
		/* Before Zen 4: the core complex's L3, or another core of the node. */
		{ HIT(L3) | P(LVL, REM_CCE1) | LEVEL(ANY_CACHE) | HOPS(1), MEMLAT_SRC_L3,
		  MEMLAT_SNOOP_NA },
		{ HIT(L3) | P(LVL, REM_CCE1) | LEVEL(ANY_CACHE) | HOPS(1) | P(SNOOP, HITM),
		  MEMLAT_SRC_L3_HITM, MEMLAT_SNOOP_HITM },
		{ HIT(REM_CCE2) | LEVEL(ANY_CACHE) | REMOTE | HOPS(2), MEMLAT_SRC_RCACHE,
		  MEMLAT_SNOOP_NA },
		/* Zen 4: L3, another core complex of this node, one of another node. */
		{ HIT(L3) | LEVEL(L3), MEMLAT_SRC_L3, MEMLAT_SNOOP_NA },
		{ HIT(L3) | LEVEL(L3) | P(SNOOP, HITM), MEMLAT_SRC_L3_HITM, MEMLAT_SNOOP_HITM },
		{ HIT(REM_CCE1) | LEVEL(ANY_CACHE) | REMOTE | HOPS(1), MEMLAT_SRC_L3_SNOOP,
		  MEMLAT_SNOOP_NA },
		{ HIT(REM_CCE1) | LEVEL(ANY_CACHE) | REMOTE | HOPS(1) | P(SNOOP, HITM),
		  MEMLAT_SRC_L3_HITM, MEMLAT_SNOOP_HITM },
		{ HIT(REM_CCE2) | LEVEL(ANY_CACHE) | REMOTE | HOPS(2) | P(SNOOP, HITM),
		  MEMLAT_SRC_RHITM, MEMLAT_SNOOP_HITM },
		{ HIT(LOC_RAM) | LEVEL(RAM), MEMLAT_SRC_DRAM, MEMLAT_SNOOP_NA },
		{ HIT(REM_RAM1) | LEVEL(RAM) | REMOTE | HOPS(2), MEMLAT_SRC_RDRAM,
		  MEMLAT_SNOOP_NA },
		{ P(OP, LOAD) | LEVEL(PMEM), MEMLAT_SRC_PMEM, MEMLAT_SNOOP_NA },
		{ P(OP, LOAD) | NUMBER(9), MEMLAT_SRC_PMEM, MEMLAT_SNOOP_NA },
		{ P(OP, LOAD) | NUMBER(9) | REMOTE | HOPS(2), MEMLAT_SRC_RPMEM, MEMLAT_SNOOP_NA },
		{ HIT(IO) | NUMBER(10), MEMLAT_SRC_IO, MEMLAT_SNOOP_NA },
		{ P(OP, LOAD) | P(LVL, NA), MEMLAT_SRC_UNKNOWN, MEMLAT_SNOOP_NA },
	};

	ARE(words, &plain);
}

TEST(arm_spe)
{
	const struct word words[] = {
		{ HIT(L1) | LEVEL(L1) | P(SNOOP, NONE), MEMLAT_SRC_L1, MEMLAT_SNOOP_NONE },
		{ HIT(L2) | LEVEL(L2) | P(SNOOP, NONE), MEMLAT_SRC_L2, MEMLAT_SNOOP_NONE },
		/* A peer core, the cluster, another cluster: modified or clean. */
		{ HIT(L2) | LEVEL(L2) | PEER, MEMLAT_SRC_L3_SNOOP, MEMLAT_SNOOP_XSNP_FWD },
		{ HIT(L3) | LEVEL(L3) | PEER, MEMLAT_SRC_L3_SNOOP, MEMLAT_SNOOP_XSNP_FWD },
		{ HIT(L3) | LEVEL(L3) | P(SNOOP, HIT), MEMLAT_SRC_L3_SNOOP, MEMLAT_SNOOP_HIT },
		/* The other socket. The state of the line is not reported. */
		{ P(OP, LOAD) | P(LVL, REM_CCE1) | LEVEL(ANY_CACHE) | REMOTE | PEER,
		  MEMLAT_SRC_RCACHE, MEMLAT_SNOOP_NA },
		{ HIT(LOC_RAM) | LEVEL(RAM) | P(SNOOP, NONE), MEMLAT_SRC_DRAM, MEMLAT_SNOOP_NONE },
		/* Cores about which perf knows less. */
		{ HIT(L3), MEMLAT_SRC_L3, MEMLAT_SNOOP_NA },
		{ P(OP, LOAD) | P(LVL, L1) | P(LVL, MISS), MEMLAT_SRC_UNKNOWN, MEMLAT_SNOOP_NA },
	};

	ARE(words, &plain);
}

static struct perf_source store_of(__u64 word, bool stores)
{
	const struct perf_source_ways ways = { .stores = stores };

	return perf_source_of(P(OP, STORE) | word, &ways);
}

TEST(stores)
{
	assert_true(store_of(0, false).store);
	assert_false(store_of(0, false).load);
	assert_int_equal(store_of(P(LVL, L1) | P(LVL, HIT), false).source, MEMLAT_SRC_L1);
	assert_int_equal(store_of(P(LVL, L1) | P(LVL, MISS), false).source, MEMLAT_SRC_UNKNOWN);
	/*
	 * AMD reports an L2 hit but not its latency, which is less than what memlat means by the
	 * source.
	 */
	assert_int_equal(store_of(P(LVL, L2) | P(LVL, HIT), false).source, MEMLAT_SRC_UNKNOWN);
	assert_int_equal(store_of(P(LVL, L2) | P(LVL, HIT), true).source, MEMLAT_SRC_L2);
	assert_int_equal(store_of(P(LVL, HIT) | LEVEL(ANY_CACHE) | REMOTE | P(SNOOP, HITM),
				  true).source, MEMLAT_SRC_RHITM);
	/*
	 * Neither a load nor a store. An access that does both counts as a load, because it waited.
	 */
	assert_false(perf_source_of(P(OP, NA), &plain).load);
	assert_false(perf_source_of(P(OP, PFETCH), &plain).store);
	assert_false(perf_source_of(P(OP, LOAD) | P(OP, STORE), &plain).store);
}

TEST(flags)
{
	struct perf_source source;

	source = perf_source_of(HIT(L1) | P(TLB, MISS) | P(TLB, L2) | P(LOCK, LOCKED) |
				P(BLK, DATA) | P(BLK, ADDR), &plain);
	assert_int_equal(source.flags, MEMLAT_WORD_STLB_MISS | MEMLAT_WORD_LOCKED |
			 MEMLAT_WORD_BLOCKED_DATA | MEMLAT_WORD_BLOCKED_ADDR);
	assert_true(source.tlb && source.blocked);
	source = perf_source_of(HIT(L1) | P(TLB, NA) | P(LOCK, NA) | P(BLK, NA), &plain);
	assert_int_equal(source.flags, 0);
	assert_false(source.tlb || source.blocked);
	/* The word is what is above the old level. */
	assert_int_equal(source.word, (HIT(L1) | P(TLB, NA) | P(LOCK, NA) | P(BLK, NA)) >> 19);
}
