/* SPDX-License-Identifier: GPL-2.0 */
/* Sort rows of large tables in linear time. */
#ifndef MEMLAT_RADIX_H
#define MEMLAT_RADIX_H

#include <stddef.h>

#include <linux/types.h>

struct radix_row {
	__u64 key;
	size_t row;
};

/*
 * Sort by key, rising. Rows of equal keys keep their order, so to sort by several keys, call it
 * once for each, the least significant first. spare: room for as many rows.
 */
void radix_sort(struct radix_row *rows, struct radix_row *spare, size_t nr);

#endif
