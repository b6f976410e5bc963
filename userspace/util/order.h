/* SPDX-License-Identifier: GPL-2.0 */
/* Comparisons that the orders of rows are made of: below 0, 0 or above, as strcmp(). */
#ifndef MEMLAT_ORDER_H
#define MEMLAT_ORDER_H

#include <stddef.h>
#include <string.h>

#include <linux/types.h>

static inline int order(__u64 a, __u64 b)
{
	return a < b ? -1 : a > b;
}

/* Of two numbers, for qsort() and bsearch(). */
static inline int order_u64(const void *a, const void *b)
{
	return order(*(const __u64 *)a, *(const __u64 *)b);
}

static inline int order_u32(const void *a, const void *b)
{
	return order(*(const __u32 *)a, *(const __u32 *)b);
}

/* What has no name comes first. */
static inline int order_text(const char *a, const char *b)
{
	if (!a || !b)
		return order(a != NULL, b != NULL);
	return strcmp(a, b);
}

#endif
