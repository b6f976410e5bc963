/* SPDX-License-Identifier: GPL-2.0 */
/* Comparisons for sorting: the result is below 0, 0 or above, as with strcmp(). */
#ifndef MEMLAT_ORDER_H
#define MEMLAT_ORDER_H

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <linux/types.h>

static inline int order(__u64 a, __u64 b)
{
	return a < b ? -1 : a > b;
}

/* Compare two numbers, for SORT() and bsearch(). */
static inline int order_u64(const void *a, const void *b)
{
	return order(*(const __u64 *)a, *(const __u64 *)b);
}

static inline int order_u32(const void *a, const void *b)
{
	return order(*(const __u32 *)a, *(const __u32 *)b);
}

/* NULL comes first. */
static inline int order_text(const char *a, const char *b)
{
	if (!a || !b)
		return order(a != NULL, b != NULL);
	return strcmp(a, b);
}

/* As qsort(), which must not get NULL even if there are no rows. */
static inline void order_rows(void *rows, size_t nr, size_t size,
			      int (*compare)(const void *a, const void *b))
{
	if (nr)
		qsort(rows, nr, size, compare);
}

#define SORT(rows, nr, compare)	order_rows(rows, nr, sizeof(*(rows)), compare)

/*
 * A comparison for SORT() and bsearch(): static int name(const void *, const void *). result
 * compares two rows of a type, a and b.
 */
#define COMPARE(name, type, result)				\
static int name(const void *pa, const void *pb)			\
{								\
	const type *a = pa, *b = pb;				\
								\
	return result;						\
}
/* The same for an array of pointers to rows. */
#define COMPARE_POINTERS(name, type, result)			\
static int name(const void *pa, const void *pb)			\
{								\
	const type *a = *(const type *const *)pa;		\
	const type *b = *(const type *const *)pb;		\
								\
	return result;						\
}

/* Compare structures by a member; by one, and by another where that is the same. */
#define ORDER_OF(a, b)	((a) < (b) ? -1 : (a) > (b))
#define ORDER_BY(name, type, member) COMPARE(name, type, ORDER_OF(a->member, b->member))
#define ORDER_BY_2(name, type, first, second) \
	COMPARE(name, type, ORDER_OF(a->first, b->first) ?: ORDER_OF(a->second, b->second))

/* Sort rows of large tables in linear time. */

struct radix_row {
	__u64 key;
	size_t row;
};

/*
 * Sort by key, rising. Rows of equal keys keep their order, so to sort by several keys, call it
 * once for each, the least significant first. spare: room for as many rows.
 */
void radix_sort(struct radix_row *rows, struct radix_row *spare, size_t nr);

/* Binary search in sorted arrays. */

/*
 * The first of nr indices for which a condition on at holds, or nr if it holds for none. If the
 * condition holds for an index, it must hold for all later ones. at is the name of the index in the
 * condition.
 */
#define FIRST_WHERE(at, nr, condition) ({			\
	size_t low_ = 0, high_ = (nr);				\
								\
	while (low_ < high_) {					\
		const size_t at = low_ + (high_ - low_) / 2;	\
								\
		if (condition)					\
			high_ = at;				\
		else						\
			low_ = at + 1;				\
	}							\
	low_;							\
})

#endif
