/* SPDX-License-Identifier: GPL-2.0 */
/* Data sources: their stable names, and the columns they fold into. */
#ifndef MEMLAT_SOURCE_H
#define MEMLAT_SOURCE_H

#include <stdbool.h>

#include <linux/memlat.h>

/* Columns of the buckets table, the same as /sys/kernel/memlat/buckets. */
enum source_column {
	COLUMN_L1,
	COLUMN_NOT_MEMORY,	/* L1 too, and waited longer for something else */
	COLUMN_LFB,
	COLUMN_L2,
	COLUMN_L3,	/* with and without a snoop that found it clean */
	COLUMN_L3_FWD,	/* forwarded by a sibling core, modified or clean */
	COLUMN_L3_HITM,
	COLUMN_RCACHE,
	COLUMN_RHITM,
	COLUMN_DRAM,
	COLUMN_RDRAM,
	COLUMN_OTHER,	/* unknown, pmem, rpmem, l4, io, unc */
	COLUMN_NR
};

/* The key of a source in JSON: "l1", "l3_hitm", ... */
const char *source_name(enum memlat_source source);
/* Did it come from another socket? */
bool source_remote(enum memlat_source source);
/* "hitm"; NULL: the CPU did not say */
const char *source_snoop(__u32 snoop);
const char *source_column_name(enum source_column column);

/* Is there such a column where these kinds of cores are (MEMLAT_TRAIT_*)? */
bool source_column_here(enum source_column column, __u32 traits);

/* The key of a part of a source: "xsnp_fwd"; and is it told apart on these? */
const char *source_part_name(enum memlat_part part);
bool source_part_here(enum memlat_part part, __u32 traits);

/* part: of these loads, by enum memlat_part. */
void source_fold(const __u64 count[MEMLAT_SRC_NR], const __u64 part[MEMLAT_PART_NR],
		 __u64 column[COLUMN_NR]);
__u64 source_total(const __u64 count[MEMLAT_SRC_NR]);

#endif
