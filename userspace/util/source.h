/* SPDX-License-Identifier: GPL-2.0 */
/* Data sources: their stable names, and the columns in which they are shown. */
#ifndef MEMLAT_SOURCE_H
#define MEMLAT_SOURCE_H

#include <stdbool.h>

#include <linux/memlat.h>

/* Columns of the buckets table, the same as /sys/kernel/memlat/buckets. */
enum source_column {
	COLUMN_L1,
	COLUMN_NOT_MEMORY,	/* also L1, of loads that waited longer for another reason */
	COLUMN_LFB,
	COLUMN_L2,
	COLUMN_L3,	/* with or without a snoop that found the line clean */
	COLUMN_L3_FWD,	/* forwarded by a sibling core; the line may be modified or clean */
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
/* Is the source on another socket? */
bool source_remote(enum memlat_source source);
/* "hitm"; NULL: the CPU did not tell */
const char *source_snoop(__u32 snoop);

/* Is there such a column for kinds of cores with these traits (MEMLAT_TRAIT_*)? */
bool source_column_here(enum source_column column, __u32 traits);

/* The key of a part of a source: "xsnp_fwd"; and is it told apart on these? */
const char *source_part_name(enum memlat_part part);
bool source_part_here(enum memlat_part part, __u32 traits);

/* Add up the sources by column. part: of these loads, by enum memlat_part. */
void source_fold(const __u64 count[MEMLAT_SRC_NR], const __u64 part[MEMLAT_PART_NR],
		 __u64 column[COLUMN_NR]);
__u64 source_total(const __u64 count[MEMLAT_SRC_NR]);
/* The sums of all rows of a table of latencies; and those of HITM, local and remote. */
void source_sums(const __u64 rows[MEMLAT_BUCKETS][MEMLAT_SRC_NR], __u64 sum[MEMLAT_SRC_NR]);
__u64 source_hitm(const __u64 rows[MEMLAT_BUCKETS][MEMLAT_SRC_NR]);

#endif
