/* SPDX-License-Identifier: GPL-2.0 */
/* Find the range that holds an address, among many that may be nested. */
#ifndef MEMLAT_RANGES_H
#define MEMLAT_RANGES_H

#include <stddef.h>

#include <linux/types.h>

struct range {
	__u64 start, end;
	size_t what;
	/* One more than the index of the last range before this one that ends after it; 0: none. */
	size_t outer;
};

struct ranges {
	struct range *rows;
	size_t nr, room;
};

/* Add a range; an empty one is left out. */
void ranges_add(struct ranges *ranges, __u64 start, __u64 end, size_t what);
/* Prepare for ranges_find(), after the last range was added. */
void ranges_settle(struct ranges *ranges);
/* The innermost range that holds the address, which is the one that starts last. */
const struct range *ranges_find(const struct ranges *ranges, __u64 address);
void ranges_free(struct ranges *ranges);

#endif
