/* SPDX-License-Identifier: GPL-2.0 */
/* The stream that read() of /dev/memlat gives, taken apart and checked. */
#ifndef MEMLAT_TEST_SNAPSHOT_H
#define MEMLAT_TEST_SNAPSHOT_H

#include <linux/memlat.h>
#include <stddef.h>

struct snapshot {
	struct memlat_rec_status status;
	struct memlat_rec_buckets buckets;
	struct memlat_rec_raw raw;
	struct memlat_rec_line *lines;
	size_t nr_lines;
	struct memlat_rec_end end;
};

/*
 * Takes a whole stream apart: 0, -ENOMEM, or -EPROTO when it is not what
 * uapi/linux/memlat.h says (order, sizes, number of records).
 */
int snapshot_parse(struct snapshot *snapshot, const void *stream, size_t size);
void snapshot_free(struct snapshot *snapshot);

/*
 * The equations under "The accounts" in uapi/linux/memlat.h, and within each
 * line the same: its sources, its slots and its HITM add up. NULL when all
 * hold, else a text (static) that says which one does not.
 */
const char *snapshot_accounts(const struct snapshot *snapshot);

__u64 snapshot_line_hitm(const struct memlat_rec_line *line);

/* The line with most HITM loads, NULL when no line has any. */
const struct memlat_rec_line *snapshot_top_hitm(const struct snapshot *snapshot);

/* The line of an address in an address space, NULL when it is not there. */
const struct memlat_rec_line *snapshot_line(const struct snapshot *snapshot,
					    __u32 space, __u64 address);

#endif
