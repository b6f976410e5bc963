/* SPDX-License-Identifier: GPL-2.0 */
/* Parse and check the stream that read() of /dev/memlat gives. */
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

/* The record types in a complete snapshot of a sampling session. Strides only if it has any. */
#define SNAPSHOT_ALL	(1u << MEMLAT_REC_STATUS | 1u << MEMLAT_REC_BUCKETS | \
			 1u << MEMLAT_REC_RAW | 1u << MEMLAT_REC_LINE |	\
			 1u << MEMLAT_REC_END | 1u << MEMLAT_REC_SITE |	\
			 1u << MEMLAT_REC_ACCESS | 1u << MEMLAT_REC_THREAD | \
			 1u << MEMLAT_REC_STACK | 1u << MEMLAT_REC_CORE | \
			 1u << MEMLAT_REC_SOURCE | 1u << MEMLAT_REC_STRIDE | \
			 1u << MEMLAT_REC_PARTS | 1u << MEMLAT_REC_STORES)

/*
 * Parse a whole stream. Returns 0, -ENOMEM, or -EPROTO if it is not as uapi/linux/memlat.h says
 * (order, sizes, number of records).
 */
int snapshot_parse(struct snapshot *snapshot, const void *stream, size_t size);
void snapshot_free(struct snapshot *snapshot);

/*
 * Unpack a record of the stream into MEMLAT_REC_MAX bytes, or copy it if it is not packed. The
 * header has been checked, except for packing. Returns 0 or -EPROTO.
 */
int snapshot_unpack(char *to, const char *from);

/* Did each event count for a tenth of the time? On a busy host, turns are rare. */
bool snapshot_had_turns(const struct snapshot *snapshot);

/*
 * Check the equations under "The accounts" in uapi/linux/memlat_records.h, and that within each
 * record the sources, slots and HITM add up. Returns NULL if all hold, or else a static text that
 * says which one does not. The snapshot must have all tables.
 */
const char *snapshot_accounts(const struct snapshot *snapshot);

/*
 * Check those of these equations that need only buckets and raw counts, and those of cores and
 * source words if the snapshot has them.
 */
const char *snapshot_totals(const struct snapshot *snapshot);

__u64 snapshot_line_hitm(const struct memlat_rec_line *line);

/*
 * The line of a program with most loads that are HITM, or that may be HITM if the CPU cannot tell
 * (MEMLAT_PART_XSNP_FWD); NULL if there are none. Lines of the kernel are left out, because their
 * HITM depends on timing.
 */
const struct memlat_rec_line *snapshot_top_hitm(const struct snapshot *snapshot);

/* The line of an address in an address space, or NULL. */
const struct memlat_rec_line *snapshot_line(const struct snapshot *snapshot,
					    __u32 space, __u64 address);

/* The thread's record, or NULL. */
const struct memlat_rec_thread *snapshot_thread(const struct snapshot *snapshot,
						__u32 tid);

/* The call chain with this id, or NULL. */
const struct memlat_rec_stack *snapshot_stack(const struct snapshot *snapshot,
					      __u32 id);

/* The kind of core with this number, or NULL. */
const struct memlat_rec_core *snapshot_core(const struct snapshot *snapshot,
					    __u32 core);

/* Is this the address of kernel code or data? */
bool snapshot_is_kernel(__u64 address);

#endif
