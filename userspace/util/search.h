/* SPDX-License-Identifier: GPL-2.0 */
/* Binary search in sorted arrays. */
#ifndef MEMLAT_SEARCH_H
#define MEMLAT_SEARCH_H

#include <stddef.h>

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
