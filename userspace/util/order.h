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

/* What has no name comes first. */
static inline int order_text(const char *a, const char *b)
{
	if (!a || !b)
		return order(a != NULL, b != NULL);
	return strcmp(a, b);
}

#endif
