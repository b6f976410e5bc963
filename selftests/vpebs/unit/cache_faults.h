/* SPDX-License-Identifier: GPL-2.0 */
/* The cache model's self-check, for tests. */
#ifndef VPEBS_UNIT_CACHE_FAULTS_H
#define VPEBS_UNIT_CACHE_FAULTS_H

#include "../../unit/harness.h"
#include "../cache.h"

/* Return the number of contradictions in the cache, and print the first one. */
static inline unsigned int cache_faults(struct vp_cache *cache)
{
	char why[200] = "";
	unsigned int faults = vp_cache_check(cache, why, sizeof(why));

	if (faults)
		print_error("%u faults, first: %s\n", faults, why);
	return faults;
}

static inline void check(struct vp_cache *cache)
{
	assert_int_equal(cache_faults(cache), 0);
}

#endif
