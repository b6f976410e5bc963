/* SPDX-License-Identifier: GPL-2.0 */
/* The stream that read() of /dev/memlat gives, taken apart and checked. */
#ifndef MEMLAT_TEST_SNAPSHOT_H
#define MEMLAT_TEST_SNAPSHOT_H

#include <linux/memlat.h>
#include <stdbool.h>
#include <stddef.h>

struct snapshot {
	struct memlat_rec_status status;
	struct memlat_rec_buckets buckets;
	struct memlat_rec_parts parts;
	struct memlat_rec_stores stores;
	struct memlat_rec_raw raw;
	struct memlat_rec_line *lines;
	struct memlat_rec_site *sites;
	struct memlat_rec_access *accesses;
	struct memlat_rec_thread *threads;
	struct memlat_rec_stack *stacks;
	struct memlat_rec_core *cores;
	struct memlat_rec_source *sources;
	struct memlat_rec_count *counts;
	struct memlat_rec_stride *strides;
	size_t nr_lines, nr_sites, nr_accesses, nr_threads, nr_stacks;
	size_t nr_cores, nr_sources, nr_counts, nr_strides;
	struct memlat_rec_end end;
	unsigned int types;	/* bit (1 << type) of each record type seen */
};

/* The record types that a session which samples gives who asks for all; strides if it has any. */
#define SNAPSHOT_ALL	(1u << MEMLAT_REC_STATUS | 1u << MEMLAT_REC_BUCKETS | \
			 1u << MEMLAT_REC_RAW | 1u << MEMLAT_REC_LINE |	\
			 1u << MEMLAT_REC_END | 1u << MEMLAT_REC_SITE |	\
			 1u << MEMLAT_REC_ACCESS | 1u << MEMLAT_REC_THREAD | \
			 1u << MEMLAT_REC_STACK | 1u << MEMLAT_REC_CORE | \
			 1u << MEMLAT_REC_SOURCE | 1u << MEMLAT_REC_STRIDE | \
			 1u << MEMLAT_REC_PARTS | 1u << MEMLAT_REC_STORES)

/*
 * Takes a whole stream apart: 0, -ENOMEM, or -EPROTO when it is not what
 * uapi/linux/memlat.h says (order, sizes, number of records).
 */
int snapshot_parse(struct snapshot *snapshot, const void *stream, size_t size);
void snapshot_free(struct snapshot *snapshot);

/*
 * A record of the stream, packed or not, as it is without: into MEMLAT_REC_MAX bytes. The header
 * has been checked, but for what it says of packing. 0 or -EPROTO.
 */
int snapshot_unpack(char *to, const char *from);

/* Did each event count for a tenth of the time? On a host that is busy turns are rare. */
bool snapshot_had_turns(const struct snapshot *snapshot);

/*
 * The equations under "The accounts" in uapi/linux/memlat_records.h, and within each
 * record the same: its sources, its slots and its HITM add up. NULL when all
 * hold, else a text (static) that says which one does not. For snapshots of all
 * tables.
 */
const char *snapshot_accounts(const struct snapshot *snapshot);

/*
 * Of these, the equations that need no more than buckets and raw counts; those of
 * cores and source words too, where the snapshot has them.
 */
const char *snapshot_totals(const struct snapshot *snapshot);

__u64 snapshot_line_hitm(const struct memlat_rec_line *line);

/*
 * The line of a program with most loads that are HITM, or may be where the CPU does not tell
 * (MEMLAT_PART_XSNP_FWD); NULL when none has any. How often CPUs meet in the kernel's is for
 * their timing to say.
 */
const struct memlat_rec_line *snapshot_top_hitm(const struct snapshot *snapshot);

/* The line of an address in an address space, NULL when it is not there. */
const struct memlat_rec_line *snapshot_line(const struct snapshot *snapshot,
					    __u32 space, __u64 address);

/* The thread's record, NULL when it is not there. */
const struct memlat_rec_thread *snapshot_thread(const struct snapshot *snapshot,
						__u32 tid);

/* The chain with this id, NULL when it is not there. */
const struct memlat_rec_stack *snapshot_stack(const struct snapshot *snapshot,
					      __u32 id);

/* The kind of core with this number, NULL when it is not there. */
const struct memlat_rec_core *snapshot_core(const struct snapshot *snapshot,
					    __u32 core);

/* Is this the address of kernel code or data? */
bool snapshot_is_kernel(__u64 address);

#endif
