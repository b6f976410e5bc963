// SPDX-License-Identifier: GPL-2.0
#include "source.h"

#include <string.h>

static const struct {
	const char *name;
	enum source_column column;
} sources[MEMLAT_SRC_NR] = {
	[MEMLAT_SRC_UNKNOWN]	= { "unknown",	COLUMN_OTHER },
	[MEMLAT_SRC_L1]		= { "l1",	COLUMN_L1 },
	[MEMLAT_SRC_LFB]	= { "lfb",	COLUMN_LFB },
	[MEMLAT_SRC_L2]		= { "l2",	COLUMN_L2 },
	[MEMLAT_SRC_L3]		= { "l3",	COLUMN_L3 },
	[MEMLAT_SRC_L3_SNOOP]	= { "l3_snoop",	COLUMN_L3 },
	[MEMLAT_SRC_L3_HITM]	= { "l3_hitm",	COLUMN_L3_HITM },
	[MEMLAT_SRC_RCACHE]	= { "rcache",	COLUMN_RCACHE },
	[MEMLAT_SRC_RHITM]	= { "rhitm",	COLUMN_RHITM },
	[MEMLAT_SRC_DRAM]	= { "dram",	COLUMN_DRAM },
	[MEMLAT_SRC_RDRAM]	= { "rdram",	COLUMN_RDRAM },
	[MEMLAT_SRC_PMEM]	= { "pmem",	COLUMN_OTHER },
	[MEMLAT_SRC_RPMEM]	= { "rpmem",	COLUMN_OTHER },
	[MEMLAT_SRC_L4]		= { "l4",	COLUMN_OTHER },
	[MEMLAT_SRC_IO]		= { "io",	COLUMN_OTHER },
	[MEMLAT_SRC_UNC]	= { "unc",	COLUMN_OTHER },
};

const char *source_name(enum memlat_source source)
{
	return sources[source].name;
}

bool source_remote(enum memlat_source source)
{
	switch (source) {
	case MEMLAT_SRC_RCACHE:
	case MEMLAT_SRC_RHITM:
	case MEMLAT_SRC_RDRAM:
	case MEMLAT_SRC_RPMEM:
		return true;
	default:
		return false;
	}
}

const char *source_snoop(__u32 snoop)
{
	static const char *const names[] = {
		[MEMLAT_SNOOP_NONE]	= "none",
		[MEMLAT_SNOOP_MISS]	= "miss",
		[MEMLAT_SNOOP_HIT]	= "hit",
		[MEMLAT_SNOOP_HITM]	= "hitm",
		[MEMLAT_SNOOP_FWD]	= "fwd",
		[MEMLAT_SNOOP_XSNP_FWD]	= "xsnp_fwd",
	};

	return snoop < sizeof(names) / sizeof(names[0]) ? names[snoop] : NULL;
}

bool source_column_here(enum source_column column, __u32 traits)
{
	switch (column) {
	case COLUMN_L3_FWD:
		return traits & MEMLAT_TRAIT_XSNP_FWD;
	case COLUMN_NOT_MEMORY:
		return traits & MEMLAT_TRAIT_CACHE_LATENCY;
	default:
		return true;
	}
}

static const struct {
	const char *name;
	__u32 trait;
} parts[MEMLAT_PART_NR] = {
	[MEMLAT_PART_XSNP_FWD]	= { "xsnp_fwd", MEMLAT_TRAIT_XSNP_FWD },
	[MEMLAT_PART_NOT_MEMORY] = { "not_memory", MEMLAT_TRAIT_CACHE_LATENCY },
};

const char *source_part_name(enum memlat_part part)
{
	return parts[part].name;
}

bool source_part_here(enum memlat_part part, __u32 traits)
{
	return traits & parts[part].trait;
}

static void tell_apart(__u64 column[COLUMN_NR], enum source_column from,
		       enum source_column to, __u64 part)
{
	/* In damaged data, a part may be larger than its whole. */
	if (part > column[from])
		part = column[from];
	column[from] -= part;
	column[to] += part;
}

void source_fold(const __u64 count[MEMLAT_SRC_NR], const __u64 part[MEMLAT_PART_NR],
		 __u64 column[COLUMN_NR])
{
	unsigned int i;

	memset(column, 0, COLUMN_NR * sizeof(*column));
	for (i = 0; i < MEMLAT_SRC_NR; i++)
		column[sources[i].column] += count[i];
	tell_apart(column, COLUMN_L3, COLUMN_L3_FWD, part[MEMLAT_PART_XSNP_FWD]);
	tell_apart(column, COLUMN_L1, COLUMN_NOT_MEMORY, part[MEMLAT_PART_NOT_MEMORY]);
}

__u64 source_total(const __u64 count[MEMLAT_SRC_NR])
{
	__u64 total = 0;
	unsigned int i;

	for (i = 0; i < MEMLAT_SRC_NR; i++)
		total += count[i];
	return total;
}

void source_sums(const __u64 rows[MEMLAT_BUCKETS][MEMLAT_SRC_NR], __u64 sum[MEMLAT_SRC_NR])
{
	unsigned int row, source;

	memset(sum, 0, MEMLAT_SRC_NR * sizeof(*sum));
	for (row = 0; row < MEMLAT_BUCKETS; row++)
		for (source = 0; source < MEMLAT_SRC_NR; source++)
			sum[source] += rows[row][source];
}

__u64 source_hitm(const __u64 rows[MEMLAT_BUCKETS][MEMLAT_SRC_NR])
{
	__u64 sum[MEMLAT_SRC_NR];

	source_sums(rows, sum);
	return sum[MEMLAT_SRC_L3_HITM] + sum[MEMLAT_SRC_RHITM];
}
