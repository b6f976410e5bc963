// SPDX-License-Identifier: GPL-2.0
/*
 * perf's word for a data source. Each kernel driver uses the words of linux/perf_event.h in its own
 * way: arch/x86/events/intel/ds.c for PEBS, arch/x86/events/amd/ibs.c for IBS, and
 * tools/perf/util/arm-spe.c for what 'perf inject' makes of SPE. The number of the level counts if
 * there is one, and the older bits of the level otherwise.
 *
 * As for Intel's own words in memlat (module/core/source_tables.c), and unlike perf, a line that a
 * remote cache sent is RCACHE, whatever level the word names.
 */
#include "intake.h"

#include <linux/perf_event.h>

/* These are newer than some headers that this is compiled with. */
#define LEVEL_L2_BUFFER	0x05
#define LEVEL_MEMORY_SIDE 0x06
#define LEVEL_L0	0x07
#define LEVEL_UNCACHED	0x08
#define LEVEL_CXL	0x09
#define LEVEL_IO	0x0a
#define SNOOPX_PEER	0x02
#define HOPS_NEAR	0x01	/* another core of this node */
#define WORD_SHIFT	PERF_MEM_SNOOP_SHIFT
#define WORD_BITS	28

static bool old_level(const union perf_mem_data_src *word, __u64 bits)
{
	return word->mem_lvl & bits;
}

/* The level by the bits that are older than its number. */
static unsigned int level_of(const union perf_mem_data_src *word)
{
	static const struct {
		__u64 old;
		unsigned int level;
	} levels[] = {
		{ PERF_MEM_LVL_L1, PERF_MEM_LVLNUM_L1 }, { PERF_MEM_LVL_LFB, PERF_MEM_LVLNUM_LFB },
		{ PERF_MEM_LVL_L2, PERF_MEM_LVLNUM_L2 }, { PERF_MEM_LVL_L3, PERF_MEM_LVLNUM_L3 },
		{ PERF_MEM_LVL_LOC_RAM, PERF_MEM_LVLNUM_RAM }, { PERF_MEM_LVL_IO, LEVEL_IO },
		{ PERF_MEM_LVL_UNC, LEVEL_UNCACHED },
	};
	unsigned int i;

	if (old_level(word, PERF_MEM_LVL_REM_RAM1 | PERF_MEM_LVL_REM_RAM2))
		return PERF_MEM_LVLNUM_RAM;
	if (word->mem_lvl_num && word->mem_lvl_num != PERF_MEM_LVLNUM_NA)
		return word->mem_lvl_num;
	if (old_level(word, PERF_MEM_LVL_REM_CCE1 | PERF_MEM_LVL_REM_CCE2))
		return PERF_MEM_LVLNUM_ANY_CACHE;
	for (i = 0; i < sizeof(levels) / sizeof(levels[0]); i++)
		if (old_level(word, levels[i].old))
			return levels[i].level;
	return PERF_MEM_LVLNUM_NA;
}

static bool is_remote(const union perf_mem_data_src *word)
{
	/* AMD also says remote for another core complex of the same node. */
	if (word->mem_hops)
		return word->mem_hops != HOPS_NEAR;
	return word->mem_remote ||
	       old_level(word, PERF_MEM_LVL_REM_RAM1 | PERF_MEM_LVL_REM_RAM2 |
			 PERF_MEM_LVL_REM_CCE1 | PERF_MEM_LVL_REM_CCE2);
}

static enum memlat_snoop snoop_of(const union perf_mem_data_src *word)
{
	if (word->mem_snoop & PERF_MEM_SNOOP_HITM)
		return MEMLAT_SNOOP_HITM;
	/* A line of a peer may be modified or clean. */
	if (word->mem_snoopx & SNOOPX_PEER)
		return MEMLAT_SNOOP_XSNP_FWD;
	if (word->mem_snoopx & PERF_MEM_SNOOPX_FWD)
		return MEMLAT_SNOOP_FWD;
	if (word->mem_snoop & PERF_MEM_SNOOP_HIT)
		return MEMLAT_SNOOP_HIT;
	if (word->mem_snoop & PERF_MEM_SNOOP_MISS)
		return MEMLAT_SNOOP_MISS;
	return word->mem_snoop & PERF_MEM_SNOOP_NONE ? MEMLAT_SNOOP_NONE : MEMLAT_SNOOP_NA;
}

/* Set the source for a line from a cache outside the core. */
static void shared_cache(struct perf_source *source, const union perf_mem_data_src *word,
			 const struct perf_source_ways *ways)
{
	if (is_remote(word)) {
		/*
		 * A line from a peer on another socket may have been modified: the word does not
		 * tell.
		 */
		if (source->snoop == MEMLAT_SNOOP_XSNP_FWD)
			source->snoop = MEMLAT_SNOOP_NA;
		source->source = source->snoop == MEMLAT_SNOOP_HITM ? MEMLAT_SRC_RHITM :
								      MEMLAT_SRC_RCACHE;
		return;
	}
	if (source->snoop == MEMLAT_SNOOP_HITM && ways->forwards)
		source->snoop = MEMLAT_SNOOP_XSNP_FWD;
	switch (source->snoop) {
	case MEMLAT_SNOOP_HITM:
		source->source = MEMLAT_SRC_L3_HITM;
		break;
	case MEMLAT_SNOOP_XSNP_FWD:
	case MEMLAT_SNOOP_FWD:
	case MEMLAT_SNOOP_HIT:
	case MEMLAT_SNOOP_MISS:
		source->source = MEMLAT_SRC_L3_SNOOP;
		break;
	default:
		source->source = word->mem_remote ? MEMLAT_SRC_L3_SNOOP : MEMLAT_SRC_L3;
	}
}

static void memory(struct perf_source *source, const union perf_mem_data_src *word)
{
	source->source = MEMLAT_SRC_DRAM;
	if (!is_remote(word))
		return;
	/* The other socket had the line and sent it: Crestmont's 0xc. */
	source->source = source->snoop == MEMLAT_SNOOP_FWD ? MEMLAT_SRC_RCACHE : MEMLAT_SRC_RDRAM;
}

static void by_level(struct perf_source *source, const union perf_mem_data_src *word,
		     const struct perf_source_ways *ways)
{
	switch (level_of(word)) {
	case PERF_MEM_LVLNUM_L1:
	case LEVEL_L0:
		source->source = MEMLAT_SRC_L1;
		break;
	case PERF_MEM_LVLNUM_LFB:
	case LEVEL_L2_BUFFER:
		source->source = MEMLAT_SRC_LFB;
		break;
	case PERF_MEM_LVLNUM_L2:
		/* On Arm this is another core's L2. */
		if (source->snoop == MEMLAT_SNOOP_XSNP_FWD)
			shared_cache(source, word, ways);
		else
			source->source = MEMLAT_SRC_L2;
		break;
	case PERF_MEM_LVLNUM_L3:
	case PERF_MEM_LVLNUM_ANY_CACHE:
		shared_cache(source, word, ways);
		break;
	case PERF_MEM_LVLNUM_L4:
	case LEVEL_MEMORY_SIDE:
		source->source = is_remote(word) ? MEMLAT_SRC_RCACHE : MEMLAT_SRC_L4;
		break;
	case PERF_MEM_LVLNUM_RAM:
		memory(source, word);
		break;
	case PERF_MEM_LVLNUM_PMEM:
	case LEVEL_CXL:
		source->source = is_remote(word) ? MEMLAT_SRC_RPMEM : MEMLAT_SRC_PMEM;
		break;
	case LEVEL_IO:
		source->source = MEMLAT_SRC_IO;
		break;
	case LEVEL_UNCACHED:
		source->source = MEMLAT_SRC_UNC;
		break;
	}
}

/* Does the word name a level that was missed? Then the level that was hit is not known. */
static bool missed(const union perf_mem_data_src *word)
{
	return old_level(word, PERF_MEM_LVL_MISS) && !old_level(word, PERF_MEM_LVL_HIT);
}

static __u16 flags_of(const union perf_mem_data_src *word)
{
	__u16 flags = 0;

	if (word->mem_dtlb & PERF_MEM_TLB_MISS)
		flags |= MEMLAT_WORD_STLB_MISS;
	if (word->mem_lock & PERF_MEM_LOCK_LOCKED)
		flags |= MEMLAT_WORD_LOCKED;
	if (word->mem_blk & PERF_MEM_BLK_DATA)
		flags |= MEMLAT_WORD_BLOCKED_DATA;
	if (word->mem_blk & PERF_MEM_BLK_ADDR)
		flags |= MEMLAT_WORD_BLOCKED_ADDR;
	return flags;
}

struct perf_source perf_source_of(__u64 data_src, const struct perf_source_ways *ways)
{
	const union perf_mem_data_src word = { .val = data_src };
	struct perf_source source = {
		.load = word.mem_op & PERF_MEM_OP_LOAD,
		.store = word.mem_op & PERF_MEM_OP_STORE,
		.source = MEMLAT_SRC_UNKNOWN,
		.snoop = (__u8)snoop_of(&word),
		.flags = flags_of(&word),
		.word = (__u32)(data_src >> WORD_SHIFT) & ((1U << WORD_BITS) - 1),
		.tlb = word.mem_dtlb & (PERF_MEM_TLB_HIT | PERF_MEM_TLB_MISS),
		.blocked = word.mem_blk && !(word.mem_blk & PERF_MEM_BLK_NA),
	};

	/* Lion Cove's 0xf: the load missed L3, and another core had the line modified. */
	if (!missed(&word))
		by_level(&source, &word, ways);
	else if (source.snoop == MEMLAT_SNOOP_HITM && !source.store)
		shared_cache(&source, &word, ways);
	/* An atomic operation loads and stores. Its waiting counts for the load. */
	if (source.load)
		source.store = false;
	if (source.store && !ways->stores && source.source != MEMLAT_SRC_L1)
		source.source = MEMLAT_SRC_UNKNOWN;
	return source;
}
