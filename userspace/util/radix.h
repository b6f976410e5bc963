/* SPDX-License-Identifier: GPL-2.0 */
/* Rows of large tables in order: time that grows with their number, not faster. */
#ifndef MEMLAT_RADIX_H
#define MEMLAT_RADIX_H

#include <stddef.h>

#include <linux/types.h>

struct radix_row {
	__u64 key;
	size_t row;
};

/*
 * By key, rising; rows of equal keys stay in the order that they have, so that an
 * order by several keys is one call for each, the least one first. spare: room for as
 * many.
 */
void radix_sort(struct radix_row *rows, struct radix_row *spare, size_t nr);

#endif
