/* SPDX-License-Identifier: GPL-2.0 */
/* Binary search in what is sorted. */
#ifndef MEMLAT_SEARCH_H
#define MEMLAT_SEARCH_H

#include <stddef.h>

/*
 * The first of nr places for which a condition on at holds, nr where it holds for none. It holds
 * for all that come after one for which it holds. at is the name of the place in the condition.
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
